"""Twelve ways to make a parser slow: twice the input may cost 2.5 times the time, no more.

Measured over two doublings at once (6.25 times), as processor time and the best of three,
so that a busy machine does not decide. What is refused for its size costs nothing.
"""

from collections.abc import Callable
from time import process_time

import pytest

from crawler.errors import FetchError, ParseError
from crawler.fetch.retry_after import parse_retry_after
from crawler.fetch.robots import parse_robots
from crawler.knowledge.concepts import OntologyError
from crawler.knowledge.rdf import read_rdf
from crawler.page.parse import parse_page
from crawler.page.robots_meta import read_robots_header
from crawler.text.tokens import tokenize
from tests.crawler.agents.web import NOON
from topics.search.errors import SearchError
from topics.search.query import parse_query

SKOS = "http://www.w3.org/2004/02/skos/core#"
REFUSALS = (ParseError, FetchError, OntologyError, SearchError)
FOUR_TIMES = 2.5**2
#: What a clock tick and a collection of garbage may add, in seconds.
NOISE_S = 0.03


def html(markup: str) -> None:
    parse_page(markup.encode(), "http://a.test/")


def attributes(n: int) -> None:
    html("<p " + " ".join(f"a{i}=1" for i in range(n)) + ">text</p>")


def nesting(n: int) -> None:
    html("<div>" * n + "text" + "</div>" * n)


def links(n: int) -> None:
    html("".join(f'<a href="/p/{i}">page {i}</a>' for i in range(n)))


def comments(n: int) -> None:
    html("<p>text</p>" + "<!--" * n)


def entities(n: int) -> None:
    html("<p>" + "&amp;&notanentity;&#x4e2d;" * n + "</p>")


def rdf_entities(n: int) -> None:
    declared = '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "' + "&a;" * n + '">'
    read_rdf(f"<?xml version='1.0'?><!DOCTYPE x [{declared}]><x>&b;</x>".encode())


def literals(n: int) -> None:
    text = "line\n" * n
    read_rdf(
        f'<http://a.test/a> <http://www.w3.org/2004/02/skos/core#note> """{text}""" .'.encode()
    )


def labels(n: int) -> None:
    skos = "http://www.w3.org/2004/02/skos/core#"
    rows = [
        f'<http://a.test/{i}> a <{skos}Concept> ; <{skos}prefLabel> "c {i}"@en .' for i in range(n)
    ]
    read_rdf("\n".join(rows).encode())


def han_runs(n: int) -> None:
    tokenize("电" * n)


def queries(n: int) -> None:
    parse_query("word " * n)


def open_quotes(n: int) -> None:
    parse_query('"' * n)


def robots(n: int) -> None:
    lines = "".join(f"Disallow: /*{i}*a*b$\n" for i in range(n))
    parse_robots(f"User-agent: *\n{lines}".encode()).allows("http://a.test/" + "ab" * 500)


def robots_agents(n: int) -> None:
    parse_robots("".join(f"User-agent: bot{i}\nDisallow: /\n" for i in range(n)).encode())


def headers(n: int) -> None:
    read_robots_header(", ".join(f"bot{i}: noindex" for i in range(n)))


def retry_after(n: int) -> None:
    parse_retry_after("9" * n, NOON)


GENERATORS: list[tuple[Callable[[int], None], int]] = [
    (attributes, 20_000),
    (nesting, 5_000),
    (links, 500),
    (comments, 100_000),
    (entities, 5_000),
    (rdf_entities, 2_000),
    (literals, 40_000),
    (labels, 300),
    (han_runs, 100_000),
    (queries, 20),
    (open_quotes, 100),
    (robots, 3_000),
    (robots_agents, 5_000),
    (headers, 30_000),
    (retry_after, 1_000),
]


def cost_s(generator: Callable[[int], None], n: int) -> float:
    """Processor seconds of the best of three, 0 if it is refused."""
    best = float("inf")
    for _ in range(3):
        start = process_time()
        try:
            generator(n)
        except REFUSALS:
            return 0.0
        best = min(best, process_time() - start)
    return best


@pytest.mark.parametrize(
    ("generator", "n"), GENERATORS, ids=lambda value: getattr(value, "__name__", value)
)
def test_four_times_the_input_costs_two_doublings(generator: Callable[[int], None], n: int) -> None:
    cost_s(generator, n)

    assert cost_s(generator, 4 * n) <= FOUR_TIMES * cost_s(generator, n) + NOISE_S
