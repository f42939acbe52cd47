"""From the database to the index: draining, building anew, comparing."""

import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from crawler.models import Harvest, IndexOutbox, Page
from crawler.models.web import pack_text
from tests.topics.search.conftest import NOON, Library
from topics.search.consistency import SWEEP_EVERY, Difference, differences, sweep
from topics.search.document import Document
from topics.search.errors import IndexBusyError
from topics.search.outbox import drain_all, drain_batch, ensure, load_documents, rebuild
from topics.search.query import parse_query
from topics.search.store import IndexStore, writer_lock
from topics.search.whoosh.backend import WhooshBackend


def found(store: IndexStore, text: str) -> list[int]:
    return sorted(hit.id for hit in store.open().search(parse_query(text)).hits)


def test_a_document_is_the_page_with_all_crawls_that_keep_it(library: Library) -> None:
    power, computing = library.crawl("power"), library.crawl("computing")
    page = library.page(power, "a", "Grid", "Power flows.", score=0.25)
    Harvest.objects.create(crawl=computing, url=page.url, kept=True, score=0.75, first_seen=NOON)

    (document,) = load_documents([page.pk])

    assert document == Document(
        id=page.pk,
        title="Grid",
        body="Power flows.",
        topics=("computing", "power"),
    )


def test_only_kept_pages_without_noindex_are_documents(library: Library) -> None:
    crawl = library.crawl("power")
    hidden = library.page(crawl, "hidden", "Hidden")
    Page.objects.filter(pk=hidden.pk).update(noindex=True)
    dropped = library.page(crawl, "dropped", "Dropped")
    Harvest.objects.filter(url=dropped.url).update(kept=False)

    assert load_documents([hidden.pk, dropped.pk]) == []


def test_drain_all_builds_the_first_index_and_empties_the_outbox(
    library: Library, store: IndexStore
) -> None:
    page = library.page(library.crawl("power"), "a", "Grid")

    drain_all(60, store)

    assert (found(store, "grid"), IndexOutbox.objects.count()) == ([page.pk], 0)


def test_the_first_index_is_no_trouble_but_a_spoilt_one_is(
    library: Library, store: IndexStore, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        drain_all(60, store)
        store.mark_damaged()
        drain_all(60, store)

    levels = [one.levelname for one in caplog.records if "has to be built" in one.getMessage()]
    assert levels == ["INFO", "WARNING"]


def test_a_batch_brings_changes_over(library: Library, store: IndexStore) -> None:
    crawl = library.crawl("power")
    changed, dropped = library.page(crawl, "a", "Grid"), library.page(crawl, "b", "Grid")
    drain_all(60, store)
    Page.objects.filter(pk=changed.pk).update(packed_text=pack_text("电网"))
    Harvest.objects.filter(url=dropped.url).delete()
    for page in (changed, dropped):
        library.queue(page)

    drain_batch(store.open())

    assert (found(store, "grid"), found(store, "电网")) == ([changed.pk], [changed.pk])


def test_a_batch_takes_at_most_its_limit(library: Library, store: IndexStore) -> None:
    drain_all(60, store)
    crawl = library.crawl("power")
    for number in range(5):
        library.page(crawl, str(number), "Grid")

    assert drain_batch(store.open(), limit=2) == 2
    assert IndexOutbox.objects.count() == 3


class Interrupted(WhooshBackend):
    """Another process queues the page again while this one writes."""

    def index(self, documents: Sequence[Document]) -> None:
        super().index(documents)
        for document in documents:
            IndexOutbox.objects.create(page_id=document.id, queued=NOON)


def test_a_row_that_comes_in_meanwhile_stays(library: Library, store: IndexStore) -> None:
    drain_all(60, store)
    page = library.page(library.crawl("power"), "a", "Grid")

    drain_batch(Interrupted((store.root / "current").resolve()))

    assert list(IndexOutbox.objects.values_list("page_id", flat=True)) == [page.pk]


class Dying(WhooshBackend):
    """The process dies between the commit and what follows it."""

    def index(self, documents: Sequence[Document]) -> None:
        super().index(documents)
        raise KeyboardInterrupt


def test_dying_after_the_commit_repeats_work_and_loses_none(
    library: Library, store: IndexStore
) -> None:
    drain_all(60, store)
    page = library.page(library.crawl("power"), "a", "Grid")

    with pytest.raises(KeyboardInterrupt):
        drain_batch(Dying((store.root / "current").resolve()))
    assert IndexOutbox.objects.count() == 1

    assert drain_all(60, store) == 1
    assert store.open().ids() == [page.pk]


def test_a_second_writer_leaves_at_once(library: Library, store: IndexStore) -> None:
    library.page(library.crawl("power"), "a", "Grid")

    with writer_lock():
        assert drain_all(60, store) == 0
        with pytest.raises(IndexBusyError):
            rebuild(store)
        with pytest.raises(IndexBusyError):
            ensure(store)
    assert IndexOutbox.objects.count() == 1


def test_a_build_that_runs_out_of_time_goes_on_at_the_next_call(
    library: Library, store: IndexStore
) -> None:
    page = library.page(library.crawl("power"), "a", "Grid")

    assert drain_all(-1, store) == 0
    assert store.trouble() != ""

    drain_all(60, store)

    assert (store.open().ids(), IndexOutbox.objects.count()) == ([page.pk], 0)


def test_what_changes_during_a_build_still_waits_afterwards(
    library: Library, store: IndexStore
) -> None:
    page = library.page(library.crawl("power"), "a", "Grid")

    rebuild(store, progress=lambda n_pages: library.queue(page))

    assert IndexOutbox.objects.count() == 1


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_damaged_index_is_built_anew(library: Library, store: IndexStore) -> None:
    page = library.page(library.crawl("power"), "a", "Grid")
    drain_all(60, store)
    for file in (store.root / "current").glob("*.pst"):
        os.truncate(file, 20)

    drain_all(60, store)

    assert (store.trouble(), store.open().ids()) == ("", [page.pk])


def test_ensure_says_why_it_built(library: Library, store: IndexStore) -> None:
    library.page(library.crawl("power"), "a", "Grid")

    assert "no search index yet" in ensure(store)
    assert ensure(store) == ""


def test_rebuild_gives_what_draining_gave(library: Library, store: IndexStore) -> None:
    crawl = library.crawl("power")
    for number in range(7):
        library.page(crawl, str(number), f"Grid {number}", "电网调度")
    drain_all(60, store)
    for page in Page.objects.all():
        library.queue(page)
    drain_all(60, store)
    live = found(store, "grid 电网")
    progress: list[int] = []

    rebuild(store, progress=progress.append)

    assert found(store, "grid 电网") == live
    assert len(live) == 7
    assert sorted(store.open().ids()) == live
    assert progress == [7]


def test_the_old_index_stays_when_a_rebuild_fails(
    library: Library, store: IndexStore, tmp_path: Path
) -> None:
    page = library.page(library.crawl("power"), "a", "Grid")
    drain_all(60, store)

    class Stopped(Exception):
        pass

    def stop(n_pages: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        rebuild(store, progress=stop)

    assert found(store, "grid") == [page.pk]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_rebuild_that_was_stopped_is_not_continued_after_later_changes(
    library: Library, store: IndexStore
) -> None:
    page = library.page(library.crawl("power"), "a", "Grid")
    drain_all(60, store)

    def stop(n_pages: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild(store, progress=stop)
    page.title = "Turbine"
    page.save()
    library.queue(page)
    drain_all(60, store)
    store.mark_damaged()

    drain_all(60, store)

    assert (found(store, "turbine"), found(store, "grid")) == ([page.pk], [])


def test_differences_name_each_page_and_what_is_wrong(library: Library, store: IndexStore) -> None:
    crawl = library.crawl("power")
    missing, extra, waiting = (library.page(crawl, name, "Grid") for name in "abc")
    drain_all(60, store)
    store.open().delete([missing.pk, waiting.pk])
    Harvest.objects.filter(url=extra.url).update(kept=False)
    library.queue(waiting)

    assert differences(store.open()) == [
        Difference(missing.pk, "missing"),
        Difference(extra.pk, "not wanted"),
    ]


def test_an_index_in_order_has_no_differences(library: Library, store: IndexStore) -> None:
    library.page(library.crawl("power"), "a", "Grid")
    drain_all(60, store)

    assert differences(store.open()) == []


class Doubled(WhooshBackend):
    """An engine that kept a document twice."""

    def ids(self) -> list[int]:
        return super().ids() * 2


def test_a_page_that_is_in_twice_is_named(library: Library, store: IndexStore) -> None:
    page = library.page(library.crawl("power"), "a", "Grid")
    drain_all(60, store)

    found = differences(Doubled((store.root / "current").resolve()))

    assert found == [Difference(page.pk, "twice")]


def test_the_sweep_puts_right_what_the_outbox_missed(library: Library, store: IndexStore) -> None:
    crawl = library.crawl("power")
    missing, extra = (library.page(crawl, name, "Grid") for name in "ab")
    drain_all(60, store)
    store.open().delete([missing.pk])
    Harvest.objects.filter(url=extra.url).update(kept=False)

    assert sweep(NOON, store) == 2
    drain_all(60, store)

    assert store.open().ids() == [missing.pk]


@pytest.mark.parametrize(
    ("later", "looks"),
    [(SWEEP_EVERY / 2, False), (SWEEP_EVERY, True), (-timedelta(days=4000), True)],
)
def test_the_sweep_looks_every_few_minutes_by_any_clock(
    library: Library, store: IndexStore, later: timedelta, looks: bool
) -> None:
    page = library.page(library.crawl("power"), "a", "Grid")
    drain_all(60, store)
    sweep(NOON, store)
    store.open().delete([page.pk])

    assert sweep(NOON + later, store) == looks


def test_the_sweep_leaves_an_index_that_cannot_be_read_to_be_built_anew(
    library: Library, store: IndexStore
) -> None:
    library.page(library.crawl("power"), "a", "Grid")
    assert sweep(NOON, store) == 0
    drain_all(60, store)
    store.mark_damaged()

    assert sweep(NOON, store) == 0
    assert IndexOutbox.objects.count() == 0
