"""Ways to make a parser slow: twice the input may cost 2.5 times the time, no more.

Measured over two doublings at once (6.25 times), as processor time and the best of several
rounds, so that a busy machine does not decide. To refuse a text is work as well.
"""

import gc
from collections.abc import Callable
from contextlib import suppress
from time import process_time

import pytest

from crawler.errors import FetchError, ParseError
from crawler.fetch.retry_after import parse_retry_after
from crawler.fetch.robots import parse_robots
from crawler.knowledge.ontology.concepts import OntologyError
from crawler.knowledge.ontology.rdf import read_rdf
from crawler.page.lists.feeds import read_feed
from crawler.page.lists.sitemaps import read_sitemap
from crawler.page.parse import parse_page
from crawler.page.robots_meta import read_robots_header
from crawler.text.tokens import tokenize
from tests.crawler.page.pdf_files import Link, Text, text_pdf
from tests.crawler.web import NOON
from tests.limits.outside_text import CASES
from topics.search.errors import SearchError
from topics.search.query import parse_query

SKOS = "http://www.w3.org/2004/02/skos/core#"
REFUSALS = (ParseError, FetchError, OntologyError, SearchError)
FOUR_TIMES = 2.5**2
#: What a clock tick and a collection of garbage may add, in seconds.
NOISE_S = 0.03
MORE_ROUNDS = 5


def html(markup: str) -> None:
    parse_page(markup.encode(), "http://a.test/")


def attributes(n: int) -> None:
    html("<p " + " ".join(f"a{i}=1" for i in range(n)) + ">text</p>")


def nesting(n: int) -> None:
    html("<div>" * n + "text" + "</div>" * n)


def links(n: int) -> None:
    html("".join(f'<a href="/p/{i}">page {i}</a>' for i in range(n)))


def dated_lines(n: int) -> None:
    dates = "".join(f"<p class=newsDate>Posted {i} 3 May 2011, a-</p>" for i in range(n))
    html(f"<title>t</title>{dates}<p>{'Prose, more than enough of it. ' * 30}</p>")


def date_classes(n: int) -> None:
    html("".join(f"<p class='{'date-' * 50}{i}x'>3 May</p>" for i in range(n)))


def remarks(n: int) -> None:
    short = "<p>with the newsletter (Credit photos opinions expressed we may earn a</p>"
    html(short * n + f"<p>{'Prose, more than enough of it. ' * 30}</p>" + short * n)


def untyped_scripts(n: int) -> None:
    html('<script> { "@context": {</script>' * n + "<p>text</p>")


def comments(n: int) -> None:
    html("<p>text</p>" + "<!--" * n)


def entities(n: int) -> None:
    html("<p>" + "&amp;&notanentity;&#x4e2d;" * n + "</p>")


def digits(n: int) -> None:
    html("<p>text &#" + "1" * n + "</p>")


def hexadecimal_digits(n: int) -> None:
    html("<p>text &#x" + "1" * n + "</p>")


def pdf_lines(n: int) -> None:
    lines = [Text(60, 9 * n - 9 * row, f"line {row} of http://a.test/{row}") for row in range(n)]
    parse_page(text_pdf([lines]), "http://a.test/a.pdf")


def pdf_pages(n: int) -> None:
    pages = [
        [Text(60, 700 - 12 * row, f"page {i} line {row}") for row in range(40)] for i in range(n)
    ]
    parse_page(text_pdf(pages), "http://a.test/a.pdf")


def pdf_links(n: int) -> None:
    areas = [Link(f"http://a.test/{i}", (60, 700, 90, 710)) for i in range(n)]
    parse_page(text_pdf([[Text(60, 700, "word " * 50)]], links=areas), "http://a.test/a.pdf")


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


def sitemap_entries(n: int) -> None:
    rows = "".join(f"<url><loc>http://a.test/{i}</loc></url>" for i in range(n))
    read_sitemap(f"<urlset>{rows}</urlset>".encode(), "http://a.test/sitemap.xml")


def sitemap_of_one_address(n: int) -> None:
    rows = "<url><loc>http://a.test/same</loc></url>" * n
    read_sitemap(f"<urlset>{rows}</urlset>".encode(), "http://a.test/sitemap.xml")


def feed_items(n: int) -> None:
    rows = "".join(f"<item><title>t</title><link>http://a.test/{i}</link></item>" for i in range(n))
    read_feed(f"<rss><channel>{rows}</channel></rss>".encode(), "http://a.test/feed", "")


def feed_comments(n: int) -> None:
    rows = "<!--" * n
    read_feed(f"<rss><channel>{rows}</channel></rss>".encode(), "http://a.test/feed", "")


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
    (dated_lines, 500),
    (date_classes, 500),
    (remarks, 300),
    (untyped_scripts, 2_000),
    (comments, 100_000),
    (entities, 5_000),
    (digits, 1_000_000),
    (hexadecimal_digits, 1_000_000),
    (pdf_lines, 200),
    (pdf_pages, 12),
    (pdf_links, 2_000),
    (rdf_entities, 2_000),
    (literals, 40_000),
    (labels, 300),
    (sitemap_entries, 2_000),
    (sitemap_of_one_address, 4_000),
    (feed_items, 2_000),
    (feed_comments, 40_000),
    (han_runs, 100_000),
    (queries, 20),
    (open_quotes, 100),
    (robots, 3_000),
    (robots_agents, 5_000),
    (headers, 30_000),
    (retry_after, 1_000),
]


def cost_s(generator: Callable[[int], None], n: int) -> float:
    """Processor seconds of one run, until it ends or is refused."""
    gc.collect()
    # A search for garbage that began by chance would count for this run alone.
    gc.disable()
    try:
        start = process_time()
        with suppress(*REFUSALS):
            generator(n)
        return process_time() - start
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("generator", "n"), GENERATORS, ids=lambda value: getattr(value, "__name__", value)
)
def test_four_times_the_input_costs_two_doublings(generator: Callable[[int], None], n: int) -> None:
    small_s = min(cost_s(generator, n) for _ in range(3))
    large_s = cost_s(generator, 4 * n)
    # Others on this machine can only make a run slower: the best of each is the nearest.
    for _ in range(MORE_ROUNDS):
        if large_s <= FOUR_TIMES * small_s + NOISE_S:
            break
        large_s = min(large_s, cost_s(generator, 4 * n))
        small_s = min(small_s, cost_s(generator, n))

    assert large_s <= FOUR_TIMES * small_s + NOISE_S


@pytest.mark.parametrize(("name", "reads", "n"), CASES, ids=[name for name, _, _ in CASES])
def test_what_reads_text_from_outside_takes_linear_time(
    name: str, reads: Callable[[int], object], n: int
) -> None:
    def read(n: int) -> None:
        reads(n)

    test_four_times_the_input_costs_two_doublings(read, n)


def squares(n: int) -> None:
    for _ in range(n):
        sum(1 for _ in range(n))


def test_the_measure_tells_a_square_from_a_line() -> None:
    """Else the test above could not fail."""
    small_s = min(cost_s(squares, 500) for _ in range(3))

    assert min(cost_s(squares, 4 * 500) for _ in range(3)) > FOUR_TIMES * small_s + NOISE_S
