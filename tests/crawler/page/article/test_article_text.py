"""The stored article: lines with what they are, who wrote it, its picture."""

import pytest

from crawler.page.parse import parse_page
from crawler.page.parsed import ParsedPage

URL = "http://a.test/news/1"


def parsed(body: str, head: str = "") -> ParsedPage:
    page = f"<html><head>{head}</head><body>{body}</body></html>"
    return parse_page(page.encode(), URL, "text/html; charset=utf-8")


def test_each_line_says_what_it_is() -> None:
    page = parsed(
        "<h2>How to</h2><p>Do it so.</p><ul><li>One</li><li><p>Two</p></li></ul>"
        "<blockquote><p>She said so.</p></blockquote><table><tr><td>1</td></tr></table>"
    )

    lines = page.text.split("\n")

    assert list(zip(page.line_kinds, lines, strict=True)) == [
        ("h", "How to"),
        ("p", "Do it so."),
        ("l", "One"),
        ("l", "Two"),
        ("q", "She said so."),
        ("t", "1"),
    ]


def test_code_keeps_its_lines_and_their_indent() -> None:
    page = parsed("<p>Run  this:</p><pre>def f():\n\treturn <b>1</b>\n\n  # end</pre>")

    assert page.text.split("\n") == ["Run this:", "def f():", "    return 1", "  # end"]
    assert page.line_kinds == "pccc"


def test_a_page_without_text_has_no_kinds() -> None:
    page = parsed("<a href='/x'><img src=a.png></a>")

    assert (page.text, page.line_kinds) == ("", "")


def test_deep_nesting_does_not_make_the_kinds_slow() -> None:
    depth = 200
    page = parsed("<blockquote>" * depth + "<p>Deep</p>" * 99 + "</blockquote>" * depth)

    assert len(page.line_kinds) == 99


@pytest.mark.parametrize(
    ("head", "body", "byline"),
    [
        ('<meta name="author" content="By  Ada Byron ">', "", "Ada Byron"),
        ('<meta property="article:author" content="https://social.test/ada">', "", ""),
        ('<meta name="author" content="admin">', "", ""),
        ("", "<p><a rel='author' href='/ada'>Ada Byron</a></p>", "Ada Byron"),
        (
            '<script type="application/ld+json">{"@type":"NewsArticle","author":'
            '[{"name":"Ada Byron"},{"name":"C. Babbage"}]}</script>',
            "",
            "Ada Byron, C. Babbage",
        ),
        ('<script type="application/ld+json">{"@type":"Product","author":"Eve"}</script>', "", ""),
        (
            '<script type="application/ld+json">{"@type":"Article","author":{"name":[1]}}</script>'
            '<meta name="author" content="记者：王小明">',
            "",
            "王小明",
        ),
        ("", "", ""),
    ],
)
def test_the_byline_is_who_the_page_says(head: str, body: str, byline: str) -> None:
    assert parsed(body + "<p>Text of the article.</p>", head).byline == byline


@pytest.mark.parametrize(
    ("content", "picture"),
    [
        ("/img/lead.jpg", "http://a.test/img/lead.jpg"),
        ("https://cdn.test/lead.jpg", "https://cdn.test/lead.jpg"),
        ("javascript:alert(1)", ""),
        ("data:image/png;base64,AAAA", ""),
        ("", ""),
    ],
)
def test_the_picture_is_an_address_on_the_web(content: str, picture: str) -> None:
    page = parsed("<p>Text</p>", f'<meta property="og:image" content="{content}">')

    assert page.picture == picture
