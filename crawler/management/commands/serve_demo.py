"""Serve the demo web by Host header on loopback."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from crawler.errors import ConfigurationError
from crawler.management.commands.serve_snapshot import opened_log, require_port
from focusweb.demo.loopback_server import LoopbackServer, serve_until_interrupted
from focusweb.demo.server import demo_application
from focusweb.demo.web import CLOCK_FILE, LivingWeb


class Command(BaseCommand):
    help = "Serve the demo web by Host header on loopback (127.0.0.1)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        folder = Path(settings.BASE_DIR) / "fixtures" / "demo_web"
        parser.add_argument("--folder", type=Path, default=folder, help="sources of the demo web")
        parser.add_argument(
            "--port", type=int, default=settings.DEMO_PORT, help="0 takes any free port"
        )
        parser.add_argument("--log", type=Path, help="append one JSON line per request")

    def handle(self, *args: Any, **options: Any) -> None:
        require_port(options["port"])
        try:
            living = LivingWeb(options["folder"], datetime.now(UTC), settings.DATA_DIR / CLOCK_FILE)
            web = living.at(datetime.now(UTC))
        except ConfigurationError as error:
            raise CommandError(str(error)) from error
        log = opened_log(options["log"])
        try:
            server = LoopbackServer(
                demo_application(lambda: living.at(datetime.now(UTC))),
                port=options["port"],
                log=log,
            )
        except OSError as error:
            raise CommandError(
                f"Cannot serve the demo web on port {options['port']} ({error.strerror}); "
                "free it or name another with FOCUSWEB_DEMO_PORT."
            ) from error
        self.stdout.write(
            f"Serving {len(web.pages)} pages of {len(web.sites)} demo sites "
            f"on http://127.0.0.1:{server.port}"
        )
        self.stdout.flush()
        serve_until_interrupted(server)
