"""Does the index hold what the database says it should? (invariant I1)"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from crawler.models import IndexOutbox
from topics.search.backend import SearchBackend
from topics.search.outbox import indexable_pages


@dataclass(frozen=True, slots=True)
class Difference:
    """A page that the index and the database do not agree on."""

    page_id: int
    what: str


def differences(backend: SearchBackend) -> list[Difference]:
    """Return the pages that are missing from the index, too much in it, or in it twice.

    Pages with a row in the outbox are on their way and not named.
    """
    # Looked at before and after: a page that is written meanwhile has its row
    # in at least one of the two.
    waiting = _waiting()
    indexed = Counter(backend.ids())
    wanted = set(indexable_pages().values_list("pk", flat=True))
    waiting |= _waiting()
    found = sorted(_compare(indexed, wanted), key=lambda row: (row.page_id, row.what))
    return [row for row in found if row.page_id not in waiting]


def _waiting() -> set[int]:
    return set(IndexOutbox.objects.values_list("page_id", flat=True))


def _compare(indexed: Counter[int], wanted: set[int]) -> Iterator[Difference]:
    yield from (Difference(page_id, "missing") for page_id in wanted - indexed.keys())
    yield from (Difference(page_id, "not wanted") for page_id in indexed.keys() - wanted)
    yield from (Difference(page_id, "twice") for page_id, count in indexed.items() if count > 1)
