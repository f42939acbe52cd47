"""Rows P: each crafted input ends soon, costs little, and the next page is read.

The figures of each are printed by `python -m tests.limits.hostile_inputs`.
"""

from collections.abc import Iterator

import pytest
from django.utils.html import escape
from lxml import html

from crawler.errors import ParseError
from crawler.page.parse import parse_page
from crawler.sandbox.parse_pool import ParsePool
from tests.limits.hostile_inputs import INPUTS, MXSS, URL, Hostile, read

#: Ended without a page, and why; all others give a page.
ENDS = {
    "nothing": "empty",
    "blanks": "empty",
    "a comment alone": "no_text",
    "a gzip bomb": "unreadable_list",
    "PDF, ZIP and HTML at once": "pdf_unreadable",
    "a tree of pages that names itself": "pdf_unreadable",
    "two trees that name each other": "pdf_unreadable",
    "two milliard pages": "pdf_without_text",
    "a million arrays in each other": "pdf_unreadable",
    "an object stream of a million": "pdf_unreadable",
    "50 million words in a string": "pdf_without_text",
    "rows of a milliard columns": "pdf_without_text",
    "20 MB of LZW": "pdf_without_text",
    "20 MB without an end": "pdf_unreadable",
}
#: Ended with the child.
KILLED = {
    "a form that shows itself",
    "forms that show ten others, nine deep",
    "forms that show two others, twenty deep",
    "blanks that unpack to a gigabyte",
    "blanks that unpack twice",
    "text that unpacks to 300 MB",
    "half a million lines",
    "5 million saved states",
    "3 million strokes",
    "links over 100,000 addresses",
}
#: Rows whose inputs begin with a word that must be kept.
KEPT = {"P1", "P2", "P3", "P5", "P6", "P11", "P15"}


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsePool]:
    with ParsePool(1) as pool:
        yield pool


@pytest.mark.parametrize("given", INPUTS, ids=lambda given: f"{given.row} {given.name}")
def test_a_crafted_input_ends_soon_costs_little_and_the_next_is_read(
    pool: ParsePool, given: Hostile
) -> None:
    cost = read(pool, given)

    assert cost.seconds <= 35
    assert cost.worker_mib <= 300
    assert cost.child_mib <= 512
    end = cost.end.partition(":")[0]
    if given.name in KILLED:
        assert end in ("parser_limit", "parser_crashed")
    else:
        assert end == ENDS.get(given.name, cost.end)
    if given.name not in KILLED | ENDS.keys() and given.row in KEPT:
        assert cost.text.startswith("before"), "what stands before the crafted part"
    assert pool.parse(b"<title>next</title><p>words", URL).title == "next"


def named(name: str) -> Hostile:
    return next(given for given in INPUTS if given.name == name)


@pytest.mark.parametrize(
    ("name", "n_links"),
    [("one bad href in 1,000", 1000), ("links that are none", 0), ("9 MB of data: URL", 0)],
)
def test_p6_p7_good_links_stay_and_others_go(pool: ParsePool, name: str, n_links: int) -> None:
    given = named(name)
    page = pool.parse(given.body(), given.url, given.content_type)

    assert len(page.links) == n_links


def test_p13_a_base_counts_only_on_the_web(pool: ParsePool) -> None:
    given = named("a base elsewhere")

    assert [link.url for link in pool.parse(given.body(), given.url).links] == [
        "http://evil.test/x"
    ]


@pytest.mark.parametrize(
    "given", [one for one in INPUTS if one.row == "P8"], ids=lambda one: one.name
)
def test_p8_entities_are_neither_expanded_nor_fetched(pool: ParsePool, given: Hostile) -> None:
    try:
        page = pool.parse(given.body(), given.url, given.content_type)
    except ParseError:
        return
    shown = page.text + page.title + "".join(link.url + link.anchor for link in page.links)
    assert "root:" not in shown
    assert "lollol" not in shown


def test_p9_dates_and_links_of_a_feed_are_clamped(pool: ParsePool) -> None:
    given = named("wrong encoding, strange dates, javascript:")
    page = pool.parse(given.body(), given.url, given.content_type)

    assert [link.url for link in page.links] == ["http://hostile.test/1"]


def test_p10_a_sitemap_speaks_for_its_own_site(pool: ParsePool) -> None:
    given = named("another host's addresses")
    page = pool.parse(given.body(), given.url, given.content_type)

    assert [link.url for link in page.links] == ["http://hostile.test/a"]


def test_p14_what_is_shown_of_markup_reads_again_as_the_same_text() -> None:
    """Nothing of a page is shown as markup: its text is escaped, and comes back as it was."""
    page = parse_page(f"<p>before &lt;img src=x onerror=alert(1)&gt; {MXSS}".encode(), URL)
    again = html.fragment_fromstring(escape(page.text), create_parent="div")

    assert "<img" in page.text
    assert len(again) == 0
    assert again.text == page.text
