import pytest

from crawler.errors import ParseError
from crawler.page.parse import parse_page
from crawler.page.parsed import ParsedPage
from crawler.reasons import Reason

URL = "http://solar.test/dir/page.html"


def page_of(markup: str, robots_header: str = "") -> ParsedPage:
    return parse_page(markup.encode(), URL, "text/html; charset=utf-8", robots_header)


@pytest.mark.parametrize("body", [b"", b" \r\n\t", b"\0" * 100, b"\xef\xbb\xbf", b"\xff\xfe"])
def test_parse_page_calls_blank_bytes_empty(body: bytes) -> None:
    with pytest.raises(ParseError) as caught:
        parse_page(body, URL)

    assert caught.value.reason is Reason.EMPTY


@pytest.mark.parametrize(
    "body",
    [
        b"<!-- only a comment -->",
        b"<!--" * 1000,
        b"<html><head><title>Only a title</title></head></html>",
        b"<script>var text = 'not shown'</script><style>p { color: red }</style>",
        b"<p hidden>unseen</p><div style='Display : none'>unseen</div>",
        b"<template><p>unseen <a href='/x'>link</a></template>",
        b"<!DOCTYPE html>",
        b"</p>",
        b"<a href='#top'></a><a href='javascript:alert(1)'></a>",
    ],
)
def test_parse_page_says_when_there_is_no_text(body: bytes) -> None:
    with pytest.raises(ParseError) as caught:
        parse_page(body, URL)

    assert caught.value.reason is Reason.NO_TEXT


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"<p>\xff\xfe\xfa ok", "ÿþú ok"),
        (b"<p>so\0lar", "solar"),
        (b"<p>a&#0;b&#xD800;c&#x202E;d&#31;e", "abcd e"),
        ("<p>光\u200b伏".encode("utf-16"), "光\u200b伏"),
        ("<html><p>solar cell</p></html>".encode("utf-16-le"), "solar cell"),
        (b"plain words, no tag", "plain words, no tag"),
        (b"<p>one<p>two<div>three<br>four", "one\ntwo\nthree\nfour"),
        (b"<p>so<b>lar</b> <i> cell </i>\n here", "solar cell here"),
        (b"<![CDATA[ x ]]><p>after", "after"),
        (b"<svg><text>drawn</text></svg><math><mi>x</mi></math>", "drawnx"),
    ],
)
def test_parse_page_reads_odd_bytes(body: bytes, text: str) -> None:
    page = parse_page(body, URL)

    assert page.text.replace("\ufffd", "") == text


def test_parse_page_reads_what_the_head_says() -> None:
    page = page_of(
        """<html lang="en-GB"><head><title> Solar\n cells </title>
        <title>second</title><base href="/base/"><base href="http://other.test/">
        <meta name="Robots" content="NOINDEX, follow">
        <link rel="canonical" href="main?utm_source=x">
        <link rel="alternate" type="application/rss+xml" href="feed.xml">
        <link rel="alternate" type="text/html" href="de.html"></head>
        <body><p>Text <a href="next">next</a></body>"""
    )

    assert page.title == "Solar cells"
    assert page.language == "en"
    assert (page.noindex, page.nofollow) == (True, False)
    assert page.canonical == "http://solar.test/base/main"
    assert page.feeds == ["http://solar.test/base/feed.xml"]
    assert [link.url for link in page.links] == ["http://solar.test/base/next"]


@pytest.mark.parametrize("base", ["//evil.test/", "javascript:alert(1)", "data:x", "http://[::1"])
def test_parse_page_honours_only_a_web_base(base: str) -> None:
    page = page_of(f"<base href='{base}'><a href='/x'>x</a>")

    expected = "http://evil.test/x" if base.startswith("//") else "http://solar.test/x"
    assert [link.url for link in page.links] == [expected]


def test_parse_page_weighs_terms_by_their_tags() -> None:
    page = page_of(
        """<title>sun</title><meta name="description" content="meta">
        <h1>head <a href="/a">anchor</a></h1><h3>minor</h3>
        <p>plain <strong>strong <em>deep</em></strong> <b>bold</b> rest"""
    )

    classes = dict(zip(page.terms.tokens(), page.terms.tag_classes().tolist(), strict=True))
    assert classes == {
        "sun": 2,
        "meta": 1,
        "head": 2,
        "anchor": 3,
        "minor": 1,
        "plain": 1,
        "strong": 2,
        "deep": 2,
        "bold": 2,
        "rest": 1,
    }
    assert page.terms.n_title == 1


def test_parse_page_counts_each_token() -> None:
    page = page_of("<p>cell solar cell <b>cell</b></p>")

    assert page.terms.vocabulary == ["cell", "solar"]
    assert page.terms.counts().tolist() == [3, 1]
    assert page.terms.weighted_counts().tolist() == [4.0, 1.0]


def test_parse_page_keeps_a_page_of_links_alone() -> None:
    page = page_of('<a href="/a"><img src="x.png"></a>')

    assert page.text == ""
    assert [link.url for link in page.links] == ["http://solar.test/a"]


@pytest.mark.parametrize("depth", [200, 300, 5_000, 100_000])
def test_parse_page_keeps_text_at_any_depth(depth: int) -> None:
    """[row P2]"""
    page = page_of("<p>above" + "<div>" * depth + "deep <a href='/x'>link</a>" + "</div>" * depth)

    assert page.text.split() == ["above", "deep", "link"]
    assert [link.url for link in page.links] == ["http://solar.test/x"]
    assert ("truncated" in page.flags) == (depth > 500)


@pytest.mark.parametrize(
    ("markup", "flag"),
    [
        ("<p>start<p>" + "word " * 4_000_000 + "<p>end", "text_cut"),
        ("<p>start <a href='/a'>a</a>" + "<i>x</i>" * 400_000, "truncated"),
        ("<p>start<p " + " ".join(f"a{n}=1" for n in range(50_000)) + ">end", "truncated"),
        ("<p>start" + "".join(f"<a href='/{n}'>x</a>" for n in range(5_000)), "links_cut"),
    ],
)
def test_parse_page_flags_what_it_cut(markup: str, flag: str) -> None:
    """[rows P1, P3]"""
    page = page_of(markup)

    assert flag in page.flags
    assert page.text.startswith("start")
    assert len(page.text.encode()) <= 2 * 1024 * 1024
    assert len(page.links) <= 2000


@pytest.mark.parametrize("filler", ["<!--{}-->", "<p title='{}'>", "<script>{}</script>"])
def test_parse_page_reads_past_a_huge_unseen_thing(filler: str) -> None:
    """[row P3]"""
    for n_words in (1_900_000, 2_090_000):
        page = page_of("<p>before" + filler.format("long " * n_words) + "<p>after")

        assert page.text.split() == ["before", "after"]


def test_parse_page_keeps_vocabulary_within_two_bytes() -> None:
    page = page_of(" ".join(f"w{n}" for n in range(70_000)))

    assert len(page.terms.vocabulary) == 65_535
    assert len(page.terms.indices()) == len(page.terms.tag_classes()) == 65_535


def test_parse_page_takes_plain_text_as_it_is() -> None:
    page = parse_page(b"if a <b then\nsolar", URL, "text/plain")

    assert page.text == "if a <b then\nsolar"


def test_parse_page_cuts_plain_text_of_too_many_lines() -> None:
    page = parse_page(b"a\n" * 300_001, URL, "text/plain")

    assert page.flags == ["truncated"]
    assert page.text.count("a") == 300_000


@pytest.mark.parametrize(
    ("header", "noindex", "nofollow"),
    [("", False, False), ("noindex", True, False), ("otherbot: none", False, False)],
)
def test_parse_page_obeys_the_robots_header(header: str, noindex: bool, nofollow: bool) -> None:
    page = page_of("<p>text", robots_header=header)

    assert (page.noindex, page.nofollow) == (noindex, nofollow)


def test_parse_page_gives_equal_text_an_equal_fingerprint() -> None:
    text = "Solar cells turn light into current. " * 20
    plain, dressed = page_of(f"<p>{text}"), page_of(f"<div class=x><p>{text.replace(' ', '  ')}")

    assert plain.fingerprint == dressed.fingerprint != 0
