from time import process_time

import pytest

from crawler.page.collect import Collector, EnoughError
from crawler.page.collected import Collected
from crawler.page.flat_scan import scan_flat
from crawler.page.parse import parse_page


def scanned(markup: str) -> Collected:
    collector = Collector()
    scan_flat(markup, collector)
    return collector.close()


def test_scan_flat_reads_text_links_and_head() -> None:
    found = scanned(
        """<!DOCTYPE html><html lang=en><title>T &amp; t</title><meta name='robots' content='none'>
        <script>if (a<b) x("<p>no</p>")</SCRIPT><style>p{}</style><!-- <p>no -->
        <div class="x">one <b>bold</b><p>two &lt; <a rel="nofollow" href='/a?b&amp;c'>link</a>"""
    )

    assert found.title == "T & t"
    assert found.language == "en"
    assert found.noindex
    assert [(a.href, a.rel) for a in found.anchors] == [("/a?b&c", "nofollow")]
    assert " ".join(found.segments).split() == ["one", "bold", "two", "<", "link"]
    assert found.classes == [1, 2, 1, 3]


@pytest.mark.parametrize(
    "markup",
    [
        "",
        "<",
        "</",
        "<a",
        "<a href=",
        "</b></b>",
        "<b><a><b></a>",
        "<title>",
        "<!--",
        "<script>",
        "&#",
    ],
)
def test_scan_flat_takes_broken_markup(markup: str) -> None:
    assert scanned(markup).anchors == []


@pytest.mark.parametrize(
    "unit", ["<", "<a ", "<!--", "<script ", "<script>", "&", "<a href='", "</a>"]
)
def test_scan_flat_takes_linear_time(unit: str) -> None:
    def cost_s(n_chars: int) -> float:
        start = process_time()
        try:
            scanned(unit * (n_chars // len(unit)))
        except EnoughError:
            return 0.0
        return process_time() - start

    cost_s(20_000)
    assert cost_s(200_000) < 20 * cost_s(20_000) + 0.3


# one tag with more than a thousand blanks, and whether it has so many attributes
@pytest.mark.parametrize(
    ("tag", "is_monster"),
    [
        ('<path d="' + "m 5 " * 1500 + '"/>', False),
        ("<path d = '" + "m 5 " * 1500 + "' x=y>", False),
        ("<p " + "a=b " * 1500 + ">", True),
        ("<p " + 'a="b c" ' * 1500 + ">", True),
        # what looks quoted and is not
        ('<p x= y="' + "a " * 1500 + '">', True),
        ('<p "y="' + "a " * 1500 + '">', True),
        ('<p x/y="' + "a " * 1500 + '">', True),
        ("<p y='\" x=\"a'" + " a" * 1500 + '">', True),
        ('<p x\x0b="' + "a " * 1500 + '">', True),
    ],
)
def test_only_a_tag_of_many_attributes_is_read_without_nesting(tag: str, is_monster: bool) -> None:
    page = parse_page(f"<nav>Menu</nav><main>{tag}text</main>".encode(), "http://a.test/")

    assert ("truncated" in page.flags) is is_monster


def test_a_character_of_endless_digits_is_read_without_nesting_too() -> None:
    monster = "<p " + "a " * 1500 + ">"
    page = parse_page(f"{monster}before &#{'1' * 5000};</p><p>after".encode(), "http://a.test/")

    assert "truncated" in page.flags, "the flat scan read it"
    assert "before" in page.text
    assert "after" in page.text
