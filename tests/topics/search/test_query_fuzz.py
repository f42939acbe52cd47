"""Ten thousand random queries: each is answered as the plain reference says, or refused."""

import random

import pytest

from tests.topics.search.engines import EngineMaker
from tests.topics.search.reference import Reference, same
from tests.topics.search.test_golden_queries import TEXTS
from topics.search.backend import SearchBackend
from topics.search.document import Document
from topics.search.errors import QueryError
from topics.search.lexer import tokens_of
from topics.search.matching import PageText
from topics.search.problems import sentence
from topics.search.query import Query, parse_query
from topics.search.tree import And, Clause, Fact, Ids, Node, Not, Or, leaves, query_text

DOCUMENTS = [Document(number, *texts) for number, texts in TEXTS.items()]
REFERENCE = Reference(DOCUMENTS)
_WORDS = sorted({word for texts in TEXTS.values() for text in texts for word in text.split()})
_SIGNS = [
    *(
        "(",
        ")",
        "（",
        "）",
        "-",
        "－",
        "!",
        "OR",
        "|",
        "*",
        "＊",
        '"',
        "“",
        "”",
        "「",
        "」",
        "『",
        "』",
        ":",
    ),
    *("：", "title:", "标题：", "site:", "is:", "is:news", "score:>0.5", "pub:7d", "lang:zh"),
    *["OR"] * 12,
    *("AND", "NOT", "+", "~", "^2", "[", "]", "/x/", "?", "\\", "'", "，", "ß", "①", "ﾞ", "e\u0301"),
    *(
        "url:a/b",
        "text:grid",
        "正文：“电网”",
        "age:<1w",
        "/gr.d/i",
        "/a (b|c)/",
        "/(/",
        "author:li",
    ),
    *("before:2026", "has:date", "topic:a", "tag:b", "term:CPU", "\t", "\u3000", "\x00", "\ud800"),
]


def random_query(rng: random.Random) -> str:
    """Words of the pages, halves of them, and every sign of the language, in any order."""
    parts = []
    for _ in range(rng.randrange(1, 7)):
        word = rng.choice(_WORDS)
        start = rng.randrange(len(word))
        piece = word[start : start + rng.randrange(1, 6)]
        parts.append(rng.choice([word, piece, piece, rng.choice(_SIGNS), rng.choice(_SIGNS)]))
    return rng.choice(["", " ", " "]).join(parts) if rng.random() < 0.3 else " ".join(parts)


def assert_nothing_is_rewritten(text: str, query: Query) -> None:
    """Every character is part of a token, and every condition is at its position."""
    covered = {i for token in tokens_of(text) for i in range(token.start, token.end)}
    assert all(i in covered or character.isspace() for i, character in enumerate(text)), text
    for leaf, _ in leaves(query.tree):
        assert isinstance(leaf, Clause | Fact)
        at = leaf.position + (isinstance(leaf, Clause) and leaf.is_phrase)
        assert text.startswith(leaf.text, at), (text, leaf)
    assert same(parse_query(query_text(query.tree)).tree, query.tree), text


def with_ids(node: Node, rng: random.Random) -> Node:
    """Put random pages in the place of facts."""
    match node:
        case And(parts):
            return And(tuple(with_ids(part, rng) for part in parts))
        case Or(parts):
            return Or(tuple(with_ids(part, rng) for part in parts))
        case Not(part):
            return Not(with_ids(part, rng))
        case Fact():
            return Ids(frozenset(number for number in TEXTS if rng.random() < 0.5))
        case _:
            return node


def holds(page: Document, query: Query) -> bool:
    """Whether a query finds a page without an index."""
    return PageText(page.id, page.title, page.body).holds(query.tree)


def try_queries(backend: SearchBackend, n_queries: int, seed: int) -> tuple[int, int]:
    """How many random queries were answered, and how many found something."""
    rng = random.Random(seed)
    n_answered = n_found = 0
    for _ in range(n_queries):
        text = random_query(rng)
        try:
            query = parse_query(text)
        except QueryError as error:
            assert 0 <= error.position <= len(text)
            assert sentence(error.problem, error.position, error.found, error.hint)
            continue
        assert_nothing_is_rewritten(text, query)
        query = Query(text, with_ids(query.tree, rng))
        result = backend.search(query, limit=None)
        assert {hit.id for hit in result.hits} == REFERENCE.find(query.tree), text
        assert result.total == len(result.hits), text
        assert {page.id for page in DOCUMENTS if holds(page, query)} == REFERENCE.find(query.tree)
        n_answered += 1
        n_found += bool(result.total)
    return n_answered, n_found


@pytest.fixture(scope="module")
def filled(make_engine: EngineMaker) -> SearchBackend:
    backend = make_engine()
    # Several commits, a replaced page and a deleted one: as a live index is.
    backend.index(DOCUMENTS[:7])
    backend.index([*DOCUMENTS[5:], Document(99, "gone", "grid 电网")])
    backend.delete([99])
    return backend


def test_queries_of_chance_are_answered_right_or_refused(filled: SearchBackend) -> None:
    n_answered, n_found = try_queries(filled, 400, seed=1)

    assert n_answered > 100
    assert n_found > 20


@pytest.mark.torture
def test_ten_thousand_queries_of_chance_are_answered_right_or_refused(
    filled: SearchBackend,
) -> None:
    n_answered, n_found = try_queries(filled, 10_000, seed=2)

    assert n_answered > 2500
    assert n_found > 600
