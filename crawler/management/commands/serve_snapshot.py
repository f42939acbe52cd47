"""Serve a web snapshot by Host header on loopback."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crawler.lab.snapshot_server import snapshot_application
from crawler.replay.snapshot import read_snapshot
from crawler.replay.snapshot_files import SnapshotError
from focusweb.demo.loopback_server import (
    LoopbackServer,
    RequestLog,
    serve_until_interrupted,
)

#: One hour.
MOST_DELAY_MS = 3_600_000


class Command(BaseCommand):
    help = "Serve a web snapshot by Host header on loopback (127.0.0.1)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="folder of the snapshot")
        parser.add_argument("--port", type=int, default=0, help="0 takes any free port")
        parser.add_argument("--log", type=Path, help="append one JSON line per request")
        parser.add_argument("--delay-ms", type=float, default=0.0, help="wait before each answer")

    def handle(self, *args: Any, **options: Any) -> None:
        require_port(options["port"])
        if not 0 <= options["delay_ms"] <= MOST_DELAY_MS:
            raise CommandError(
                f"--delay-ms must be from 0 to {MOST_DELAY_MS}, got {options['delay_ms']}"
            )
        try:
            snapshot = read_snapshot(options["folder"])
        except SnapshotError as error:
            raise CommandError(str(error)) from error
        log = opened_log(options["log"])
        try:
            server = LoopbackServer(
                snapshot_application(snapshot),
                port=options["port"],
                log=log,
                delay_s=options["delay_ms"] / 1000,
            )
        except OSError as error:
            raise CommandError(
                f"Cannot serve on port {options['port']} ({error.strerror}); "
                "free it or give another --port."
            ) from error
        hosts = len({page.host for page in snapshot.pages.values()})
        self.stdout.write(
            f"Serving {len(snapshot.pages)} pages of {hosts} hosts "
            f"on http://127.0.0.1:{server.port}"
        )
        self.stdout.flush()
        serve_until_interrupted(server)


def require_port(port: int) -> None:
    """Raise CommandError for a number that is not a port."""
    if not 0 <= port <= 65535:
        raise CommandError(f"--port must be from 0 to 65535, got {port}")


def opened_log(path: Path | None) -> RequestLog | None:
    """Open the log that an option names; CommandError if it cannot be written."""
    try:
        return RequestLog.open(path) if path else None
    except OSError as error:
        raise CommandError(f"{path}: cannot be written ({error.strerror})") from error
