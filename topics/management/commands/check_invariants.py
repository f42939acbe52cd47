"""Print the rows that break what must always hold; exit 0 when there are none."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from crawler.api.checks import invariants, server_log
from crawler.api.runs import utc_now
from topics.delivery.invariants import delivery_breaches
from topics.search.consistency import differences, rebuild_differences
from topics.search.errors import IndexUnusableError
from topics.search.outbox import indexable_pages
from topics.search.store import default_store


class Command(BaseCommand):
    help = (
        "Check pages against the index (I1), digests and alerts (I2), the frontier (I3) and"
        " reasons (I8); with a server's log also politeness (I4) and robots.txt (I5); on request"
        " an index built anew (I9)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--server-log", type=Path, help="log of a server that was crawled")
        parser.add_argument(
            "--delay",
            type=float,
            default=settings.MAPPED_SITE_DELAY_S,
            help="rest in seconds between two requests to one host of that log",
        )
        parser.add_argument(
            "--rebuild", action="store_true", help="build the index anew beside, and compare"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        now = utc_now()
        breaches = [
            *(f"I1 {row}" for row in invariants.page_breaches()),
            *(f"I1 {row}" for row in _index_breaches()),
            *(f"I2 {row}" for row in delivery_breaches(now)),
            *(f"I3 {row}" for row in invariants.frontier_breaches(now)),
            *(f"I8 {row}" for row in invariants.silent_ends()),
        ]
        if options["server_log"] is not None:
            breaches += _log_breaches(options["server_log"], options["delay"])
        if options["rebuild"]:
            breaches += [f"I9 {row}" for row in rebuild_differences(default_store())]
        for row in breaches:
            self.stdout.write(row)
        if breaches:
            sys.exit(1)


def _log_breaches(file: Path, delay_s: float) -> Iterator[str]:
    try:
        seen = server_log.read_log(file)
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from error
    except ValueError as error:
        raise CommandError(str(error)) from error
    yield from (f"I4 {row}" for row in server_log.politeness_breaches(seen, delay_s))
    yield from (f"I5 {row}" for row in server_log.robots_breaches(seen))


def _index_breaches() -> Iterator[str]:
    """I1: the index holds each kept page once, and nothing else."""
    try:
        backend = default_store().open()
    except IndexUnusableError as error:
        if indexable_pages().exists():
            yield f"index: {error}"
        return
    for difference in differences(backend):
        yield f"page {difference.page_id}: {difference.what}"
