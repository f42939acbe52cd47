"""From the database to the index: the outbox, and building anew.

The page's transaction leaves a row in the outbox. Whoever drains it puts the
page's present state into the index, commits, and then deletes exactly the rows
it had read: dying anywhere repeats work and loses none.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from time import monotonic

from django.db.models.query import QuerySet

from crawler.api.tables import Harvest, IndexOutbox, Page
from focusweb.failpoints import pass_point
from topics.search.backend import SearchBackend
from topics.search.document import Document
from topics.search.errors import IndexBusyError, IndexUnusableError
from topics.search.store import IndexStore, default_store, writer_lock

logger = logging.getLogger(__name__)

#: Rows per commit: a commit costs much more than a page.
BATCH = 200
#: Pages per commit while building anew.
BUILD_BATCH = 500


def indexable_pages() -> QuerySet[Page]:
    """Pages that belong into the index: kept by a crawl, and not marked noindex."""
    kept = Harvest.objects.kept().values("url_id")
    return Page.objects.filter(noindex=False, pk__in=kept)


def load_documents(page_ids: Collection[int]) -> list[Document]:
    """Load the indexable ones of some pages."""
    crawls: dict[int, list[str]] = {}
    kept = Harvest.objects.kept().filter(url_id__in=page_ids)
    for page_id, key in kept.values_list("url_id", "crawl__key"):
        crawls.setdefault(page_id, []).append(key)
    pages = Page.objects.filter(pk__in=list(crawls), noindex=False).order_by("pk")
    return [
        Document(page.pk, page.title, page.text, tuple(sorted(crawls[page.pk]))) for page in pages
    ]


def drain_batch(backend: SearchBackend, *, limit: int = BATCH) -> int:
    """Bring the index up to date by up to `limit` rows; return how many were done.

    The caller holds the writer's lock.
    """
    rows = list(IndexOutbox.objects.order_by("pk").values_list("pk", "page_id")[:limit])
    if not rows:
        return 0
    documents = load_documents({page_id for _, page_id in rows})
    backend.index(documents)
    backend.delete({page_id for _, page_id in rows} - {document.id for document in documents})
    # Rows that came in meanwhile are for a newer page: they stay.
    pass_point("index.committed")
    IndexOutbox.objects.filter(pk__in=[pk for pk, _ in rows]).delete()
    pass_point("index.marked")
    return len(rows)


def drain_all(deadline_s: float, store: IndexStore | None = None) -> int:
    """Repair the index if need be and empty the outbox; stop after some seconds.

    Parameters
    ----------
    deadline_s : float
        Begin nothing new after this many seconds. A build that is not done by
        then goes on where it stopped at the next call.
    store : IndexStore, optional
        The site's by default.

    Returns
    -------
    int
        Outbox rows done; 0 at once while another process writes.
    """
    store = store or default_store()
    deadline = monotonic() + deadline_s
    with writer_lock() as is_ours:
        if not is_ours:
            return 0
        trouble = store.trouble()
        if trouble:
            level = logging.INFO if store.is_new() else logging.WARNING
            logger.log(level, "search index: %s", trouble)
            if not _build(store, store.begin(), deadline):
                return 0
        # Changes that reach the current index now would be missing from a half-built one.
        store.forget_begun()
        try:
            return _drain_until(store.open(), deadline)
        except IndexUnusableError:
            logger.exception("search index: failed while written, is built anew at the next tick")
            store.mark_damaged()
            return 0


def _drain_until(backend: SearchBackend, deadline: float) -> int:
    n_rows = 0
    while monotonic() < deadline:
        n_batch = drain_batch(backend)
        n_rows += n_batch
        if n_batch < BATCH:
            break
    return n_rows


def rebuild(
    store: IndexStore | None = None, *, progress: Callable[[int], None] = lambda n_pages: None
) -> None:
    """Build the index anew beside the old one, and swap.

    Searches use the old index until the end. `progress` is called after each commit with the number
    of pages indexed. Raises `IndexBusyError` if another process writes.
    """
    store = store or default_store()
    with _our_turn():
        _build(store, store.begin_anew(), float("inf"), progress)


def ensure(
    store: IndexStore | None = None, *, progress: Callable[[int], None] = lambda n_pages: None
) -> str:
    """Build the index anew if it is missing, damaged or foreign.

    Returns why it had to be, or "" if all was well. Raises `IndexBusyError` if it
    has to be and another process writes.
    """
    store = store or default_store()
    trouble = store.trouble()
    if trouble:
        with _our_turn():
            _build(store, store.begin(), float("inf"), progress)
    return trouble


@contextmanager
def _our_turn() -> Iterator[None]:
    with writer_lock() as is_ours:
        if not is_ours:
            raise IndexBusyError(
                "another process is writing to the search index; try again in a minute"
            )
        yield


def _build(
    store: IndexStore,
    backend: SearchBackend,
    deadline: float,
    progress: Callable[[int], None] = lambda n_pages: None,
) -> bool:
    """Fill an index from the database and put it in place; False if time ran out.

    Nothing is drained meanwhile, so what changes in pages that are in already
    still stands in the outbox afterwards.
    """
    last = max(backend.ids(), default=0)
    # A build from nothing covers what was waiting before its first page was read.
    covered = [] if last else list(IndexOutbox.objects.values_list("pk", flat=True))
    while True:
        following = indexable_pages().filter(pk__gt=last).order_by("pk")
        page_ids = list(following.values_list("pk", flat=True)[:BUILD_BATCH])
        if not page_ids:
            break
        if monotonic() > deadline:
            return False
        backend.index(load_documents(page_ids))
        last = page_ids[-1]
        pass_point("rebuild.half")
        progress(backend.count())
    store.put_in_place()
    pass_point("rebuild.swap")
    for start in range(0, len(covered), BUILD_BATCH):
        IndexOutbox.objects.filter(pk__in=covered[start : start + BUILD_BATCH]).delete()
    return True
