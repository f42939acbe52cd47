"""Does the index hold what the database says it should? (invariants I1 and I9)"""

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from crawler.api.tables import IndexOutbox, Page
from crawler.api.text import tokenize
from topics.search.backend import SearchBackend, StoresOutsideFolder
from topics.search.errors import IndexUnusableError
from topics.search.outbox import BUILD_BATCH, indexable_pages, load_documents
from topics.search.query import parse_query
from topics.search.store import IndexStore, default_store

logger = logging.getLogger(__name__)

#: How often both sides are compared.
SWEEP_EVERY = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Difference:
    """A page that the index and the database do not agree on."""

    page_id: int
    what: str


def differences(backend: SearchBackend) -> list[Difference]:
    """Return the pages that are missing from the index, too much in it, or in it twice.

    Pages with a row in the outbox are on their way and not named.
    """
    # Read before and after: a page that is written meanwhile has its row in at least one of the
    # two.
    waiting = _waiting()
    indexed = Counter(backend.ids())
    wanted = set(indexable_pages().values_list("pk", flat=True))
    waiting |= _waiting()
    found = sorted(_compare(indexed, wanted), key=lambda row: (row.page_id, row.what))
    return [row for row in found if row.page_id not in waiting]


def sweep(now: datetime, store: IndexStore | None = None) -> int:
    """Queue every page the index has wrong, if the last sweep is old. Return how many.

    Nothing should ever be found: this is the net below the outbox.
    """
    store = store or default_store()
    if not store.is_sweep_due(now, SWEEP_EVERY):
        return 0
    try:
        wrong = differences(store.open())
    except IndexUnusableError:
        return 0  # It is built anew with the next batch, from the tables.
    for row in wrong:
        logger.warning("search index: page %s is %s; it is put right", row.page_id, row.what)
    IndexOutbox.objects.bulk_create(IndexOutbox(page_id=row.page_id, queued=now) for row in wrong)
    store.note_sweep(now)
    return len(wrong)


def rebuild_differences(store: IndexStore, n_queries: int = 50) -> Iterator[str]:
    """I9: say where an index built anew from the database differs from the one in use.

    Compared are the pages and what `n_queries` words of titles find. Not the order: what
    was deleted counts in a live index's statistics until its segment is merged.
    """
    try:
        live = store.open()
    except IndexUnusableError as error:
        yield f"the index in use cannot be read: {error}"
        return
    page_ids = list(indexable_pages().order_by("pk").values_list("pk", flat=True))
    with _index_beside(store.kind) as fresh:
        for start in range(0, len(page_ids), BUILD_BATCH):
            fresh.index(load_documents(page_ids[start : start + BUILD_BATCH]))
        if sorted(live.ids()) != sorted(fresh.ids()):
            yield f"the index holds {live.count()} pages, one built anew {fresh.count()}"
        for word in _words_of_titles(page_ids, n_queries):
            found, wanted = _found(live, word), _found(fresh, word)
            if found != wanted:
                yield f"{word!r} finds pages {sorted(found)}, after building anew {sorted(wanted)}"


@contextmanager
def _index_beside(kind: type[SearchBackend]) -> Iterator[SearchBackend]:
    """Give an empty index that is removed afterwards, also what is not in its folder."""
    with TemporaryDirectory(prefix="focusweb-index-") as name:
        try:
            yield kind.create(Path(name))
        finally:
            if isinstance(kind, StoresOutsideFolder):
                kind.discard(Path(name))


def _words_of_titles(page_ids: list[int], n_words: int) -> list[str]:
    titles = Page.objects.filter(pk__in=page_ids[:: max(1, len(page_ids) // n_words)])
    tokens = (tokenize(title) for title in titles.values_list("title", flat=True))
    words = dict.fromkeys(max(some, key=len) for some in tokens if some)
    return [word for word in words if word.isalnum()][:n_words]


def _found(backend: SearchBackend, word: str) -> set[int]:
    return {hit.id for hit in backend.search(parse_query(word), limit=100_000).hits}


def _waiting() -> set[int]:
    return set(IndexOutbox.objects.values_list("page_id", flat=True))


def _compare(indexed: Counter[int], wanted: set[int]) -> Iterator[Difference]:
    yield from (Difference(page_id, "missing") for page_id in wanted - indexed.keys())
    yield from (Difference(page_id, "not wanted") for page_id in indexed.keys() - wanted)
    yield from (Difference(page_id, "twice") for page_id, count in indexed.items() if count > 1)
