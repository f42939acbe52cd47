"""Pages found by arrays are those that Whoosh's own matchers find, with the same scores."""

import random
from collections.abc import Collection
from pathlib import Path

import pytest
from whoosh import index as whoosh_index
from whoosh.query import And, Or, Phrase, Term
from whoosh.query import Query as WhooshQuery

from topics.search.document import Document
from topics.search.query import parse_query
from topics.search.whoosh.backend import WhooshBackend
from topics.search.whoosh.fields import make_schema

WORDS = ["grid", "wind", "sun", "coal", "river", "gas", "green"]


def fill(folder: Path, words: list[str]) -> Path:
    """Several segments, more pages than one block of postings holds, and deleted ones."""
    rng = random.Random(1)
    backend = WhooshBackend.create(folder)
    for start, end in ((0, 400), (400, 460), (460, 470)):
        backend.index(
            [
                Document(number, "x", " ".join(rng.choices(words, range(7, 0, -1), k=12)))
                for number in range(start, end)
            ]
        )
    backend.delete([3, 200, 410])
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill(tmp_path_factory.mktemp("index"), WORDS)


def in_text(word: str) -> WhooshQuery:
    return Term("words", word)


def scores(folder: Path, text: str) -> dict[int, float]:
    found = WhooshBackend.open(folder).search(parse_query(text), limit=None)
    return {hit.id: hit.score for hit in found.hits}


@pytest.mark.parametrize(
    ("text", "as_whoosh_has_it"),
    [
        ("grid", in_text("grid")),
        ("gas sun", And([in_text("gas"), in_text("sun")])),
        ("gas OR river", Or([in_text("gas"), in_text("river")])),
        ('"wind grid"', Phrase("exact", ["wind", "grid"])),
        ('"sun sun coal"', Phrase("exact", ["sun", "sun", "coal"])),
    ],
)
def test_pages_and_scores_are_those_of_whoosh(
    folder: Path, text: str, as_whoosh_has_it: WhooshQuery
) -> None:
    with whoosh_index.open_dir(folder, schema=make_schema()).searcher() as searcher:
        assert len(searcher.leaf_searchers()) > 1
        hits = searcher.search(as_whoosh_has_it, limit=None)
        column = searcher.reader().column_reader("key")
        expected = {int(column[hit.docnum]): hit.score for hit in hits}

    assert expected
    assert scores(folder, text) == pytest.approx(expected)


def test_words_that_begin_alike_count_as_one_word(folder: Path, tmp_path: Path) -> None:
    of_one = fill(tmp_path, ["grid" if word == "green" else word for word in WORDS])

    assert scores(folder, "gr*") == pytest.approx(scores(of_one, '"grid"'))
    assert len(scores(folder, "gr*")) > len(scores(folder, "green")) > 0


def of_topics(backend: WhooshBackend, topics: Collection[str]) -> list[int]:
    return sorted(hit.id for hit in backend.search(parse_query("grid"), topics=topics).hits)


def test_a_page_that_changes_its_topic_is_found_there_at_once(tmp_path: Path) -> None:
    """The pages of topics are remembered, but only for segments, which never change."""
    backend = WhooshBackend.create(tmp_path)
    backend.index([Document(n, "grid", "", (f"t{n % 2}",)) for n in range(6)])
    assert of_topics(backend, ["t0"]) == [0, 2, 4]
    assert of_topics(backend, ["t1"]) == [1, 3, 5]

    backend.index([Document(0, "grid", "", ("t1",)), Document(6, "grid", "", ("t0", "t1"))])
    assert of_topics(backend, ["t0"]) == [2, 4, 6]
    assert of_topics(backend, ["t1"]) == [0, 1, 3, 5, 6]
    assert of_topics(backend, ["t0", "t1"]) == [0, 1, 2, 3, 4, 5, 6]

    backend.delete([2, 6])
    assert of_topics(backend, ["t0"]) == [4]
    assert of_topics(WhooshBackend.open(tmp_path), ["t1"]) == [0, 1, 3, 5]
