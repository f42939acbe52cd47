"""Print the rows that break what must always hold; exit 0 when there are none."""

import sys
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand

from crawler.agents import invariants
from crawler.agents.crew import utc_now
from topics.search.consistency import differences
from topics.search.errors import IndexUnusableError
from topics.search.outbox import indexable_pages
from topics.search.store import default_store


class Command(BaseCommand):
    help = "Check pages against the index (I1), the frontier (I3) and reasons (I8)."

    def handle(self, *args: Any, **options: Any) -> None:
        now = utc_now()
        breaches = [
            *(f"I1 {row}" for row in _index_breaches()),
            *(f"I3 {row}" for row in invariants.frontier_breaches(now)),
            *(f"I8 {row}" for row in invariants.silent_ends(now)),
        ]
        for row in breaches:
            self.stdout.write(row)
        if breaches:
            sys.exit(1)


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
