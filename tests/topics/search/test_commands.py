"""The commands `search` and `reindex`."""

import json
from collections.abc import Callable
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from pytest_django import Settings

from tests.topics.search.conftest import Library
from topics.search.outbox import drain_all
from topics.search.store import IndexStore, writer_lock


def run(*arguments: str) -> str:
    output = StringIO()
    call_command(*arguments, stdout=output)
    return output.getvalue()


@pytest.fixture
def filled(library: Library, store: IndexStore, make_user: Callable[[str], User]) -> IndexStore:
    ada = make_user("ada")
    library.page(library.crawl("power", ada), "a", "电网调度", "新能源并网有新规定。", score=0.5)
    library.page(library.crawl("chips", ada), "b", "Cache", "A chip has a cache.", score=0.25)
    drain_all(60, store)
    return store


def test_search_prints_one_json_object(filled: IndexStore) -> None:
    answer = json.loads(run("search", '"新能源并网"', "--json"))

    assert answer["query"] == '"新能源并网"'
    assert answer["total"] == 1
    assert answer["took_ms"] > 0
    assert answer["hits"] == [
        {
            "url": "https://pages.test/a",
            "title": "电网调度",
            "site": "pages.test",
            "topic": "power",
            "score": 0.5,
            "snippet": "新能源并网有新规定。",
        }
    ]


def test_search_prints_for_people(filled: IndexStore) -> None:
    text = run("search", "chip")

    for part in ("1 found", "0.250  Cache", "https://pages.test/b", "A chip has a cache."):
        assert part in text


def test_search_keeps_to_a_topic(filled: IndexStore) -> None:
    assert json.loads(run("search", "cache", "--topic", "power", "--json"))["total"] == 0
    assert json.loads(run("search", "cache", "--topic", "chips", "--json"))["total"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cache", "--topic", "none"], "There is no topic 'none'"),
        (["a OR"], "At character 3"),
        (["cache", "--limit", "0"], "--limit must be from 1 to 1000"),
    ],
)
def test_search_says_what_is_wrong(filled: IndexStore, arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run("search", *arguments)


def test_search_without_an_index_names_the_remedy(store: IndexStore, db: None) -> None:
    with pytest.raises(CommandError, match="reindex"):
        run("search", "cache")


def test_an_engine_that_is_not_there_is_not_to_be_built(
    library: Library, settings: Settings
) -> None:
    settings.SEARCH_ENGINE = "nope"

    with pytest.raises(CommandError, match="'nope' of FOCUSWEB_SEARCH could not be loaded") as said:
        run("search", "cache")

    assert "reindex" not in str(said.value)


def test_reindex_builds_and_counts(filled: IndexStore) -> None:
    filled.mark_damaged()

    assert "holds 2 pages" in run("reindex")
    assert filled.trouble() == ""


def test_reindex_if_needed_leaves_a_sound_index_alone(filled: IndexStore) -> None:
    before = (filled.root / "current").resolve()

    assert "in order" in run("reindex", "--if-needed")
    assert (filled.root / "current").resolve() == before


def test_reindex_if_needed_says_why_it_builds(filled: IndexStore) -> None:
    filled.mark_damaged()

    assert "damaged" in run("reindex", "--if-needed")
    assert (filled.trouble(), filled.open().count()) == ("", 2)


def test_reindex_beside_another_writer_says_so(filled: IndexStore) -> None:
    with writer_lock(), pytest.raises(CommandError, match="another process"):
        run("reindex")
