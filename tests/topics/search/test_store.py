"""Where indexes lie: building beside, swapping, and refusing what is not ours."""

import json
from pathlib import Path

import pytest
from pytest_django import Settings

from tests import databases
from tests.topics.search.conftest import Library
from topics.installation import checkup
from topics.pages.search_results import find_pages
from topics.pages.search_screen import rebuilding
from topics.search.document import Document
from topics.search.errors import IndexExposedError, IndexUnusableError, SearchError
from topics.search.outbox import drain_all
from topics.search.query import parse_query
from topics.search.store import IndexStore, default_store, writer_lock

GRID = [Document(1, "grid", "")]


def build(store: IndexStore, documents: list[Document]) -> None:
    store.begin_anew().index(documents)
    store.put_in_place()


def test_a_store_without_an_index_says_so(store: IndexStore) -> None:
    assert "no search index yet" in store.trouble()
    with pytest.raises(IndexUnusableError):
        store.open()


def test_a_finished_build_becomes_the_current_index(store: IndexStore) -> None:
    build(store, GRID)

    assert store.trouble() == ""
    assert store.open().ids() == [1]


def test_the_old_index_answers_while_the_next_is_built(store: IndexStore) -> None:
    build(store, GRID)
    coming = store.begin_anew()
    coming.index([Document(2, "grid", "")])

    assert store.open().ids() == [1]
    store.put_in_place()
    assert store.open().ids() == [2]


def test_a_build_that_was_left_goes_on(store: IndexStore) -> None:
    store.begin().index(GRID)

    assert store.begin().ids() == [1]
    assert store.begin_anew().ids() == []


def test_files_of_old_and_abandoned_builds_are_removed(store: IndexStore) -> None:
    for number in range(3):
        store.begin_anew()
        build(store, [Document(number, "grid", "")])

    assert len(list(store.root.glob("g-*"))) == 1


def test_a_damaged_half_built_index_is_started_again(store: IndexStore) -> None:
    store.begin().index(GRID)
    for file in store.root.glob("g-*/*.toc"):
        file.unlink()

    assert store.begin().ids() == []


@pytest.mark.parametrize("label", ["", "[]", '{"backend": "whoosh", "version": "older"}'])
def test_an_index_of_another_version_is_refused(store: IndexStore, label: str) -> None:
    build(store, GRID)
    (store.root / "current" / "focusweb.json").write_text(label)

    assert "another version" in store.trouble()


def test_an_index_marked_as_damaged_is_refused(store: IndexStore) -> None:
    build(store, GRID)
    store.mark_damaged()

    assert "damaged" in store.trouble()


def test_the_label_names_engine_and_analysis(store: IndexStore) -> None:
    build(store, GRID)
    label = json.loads((store.root / "current" / "focusweb.json").read_text())

    assert label["backend"] == "whoosh"
    assert "analysis" in label["version"]


def test_folders_are_private(store: IndexStore) -> None:
    build(store, GRID)

    for folder in (store.root, (store.root / "current").resolve()):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_may_write_is_refused_by_name(store: IndexStore) -> None:
    build(store, GRID)
    store.root.chmod(0o777)

    with pytest.raises(IndexExposedError, match=str(store.root)):
        store.open()


def test_a_link_out_of_the_folder_is_not_followed(store: IndexStore, tmp_path: Path) -> None:
    build(store, GRID)
    elsewhere = tmp_path / "elsewhere"
    (store.root / "current").resolve().rename(elsewhere)
    (store.root / "current").unlink()
    (store.root / "current").symlink_to(elsewhere)

    with pytest.raises(IndexUnusableError):
        store.open()


def test_who_opened_the_old_index_before_a_swap_is_reported(store: IndexStore) -> None:
    build(store, GRID)
    held = store.open()
    build(store, [Document(2, "grid", "")])

    with pytest.raises(IndexUnusableError):
        held.search(parse_query("grid"))


def test_only_one_holds_the_writer_lock(settings: Settings, tmp_path: Path) -> None:
    settings.RUN_DIR = tmp_path

    with writer_lock() as first, writer_lock() as second:
        assert (first, second) == (True, False)
    with writer_lock() as again:
        assert again


def test_the_setting_names_the_engine(store: IndexStore, settings: Settings) -> None:
    settings.SEARCH_ENGINE = "fts5"

    assert default_store().kind.name == "fts5"


def test_an_engine_that_is_not_there_is_named(store: IndexStore, settings: Settings) -> None:
    settings.SEARCH_ENGINE = "lucene"

    with pytest.raises(SearchError, match="'lucene' of FOCUSWEB_SEARCH"):
        default_store()


@pytest.mark.parametrize(
    "name", ["fts5", "tantivy", pytest.param("postgres", marks=databases.postgres_only)]
)
def test_after_a_switch_the_old_index_is_searched_until_the_new_one_is_built(
    library: Library, store: IndexStore, settings: Settings, name: str
) -> None:
    page = library.page(library.crawl("power"), "a", "Grid")
    drain_all(60, store)
    settings.SEARCH_ENGINE = name
    switched = default_store()

    before, reported_before = switched.open_to_search(), rebuilding(switched)
    coming = switched.begin()
    coming.index([Document(page.pk, "grid", "")])
    reported_between, finding = rebuilding(switched), checkup.index(store.root)
    drain_all(60, switched)

    assert (before.name, switched.open_to_search().name) == ("whoosh", name)
    assert "0 of 1 pages" in reported_before
    assert "1 of 1 pages" in reported_between
    assert f"rebuilt for {name}, 1 pages so far" in finding.text
    assert rebuilding(switched) == ""
    assert checkup.index(store.root).level is checkup.Severity.OK
    assert find_pages("grid", None, store=switched).total == 1
    assert switched.trouble() == ""
