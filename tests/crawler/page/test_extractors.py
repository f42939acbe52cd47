"""Extractors of plugins and our own, one after the other; what comes of an extract."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from crawler.errors import ParseError
from crawler.page.dates.publishing_date import find_published
from crawler.page.extractors import Document, Extract, PageReaders
from crawler.page.parse import OUR_READERS, parse_page
from crawler.page.parsed import ParsedPage
from crawler.reasons import Reason

URL = "http://forum.test/t/7"
NOW = datetime(2026, 5, 1, tzinfo=UTC)
PAGE = b"""<!doctype html><html lang="en"><head><title>Solar cells | Forum</title>
<meta name="robots" content="nofollow"><link rel="canonical" href="/topic/7">
<meta property="article:published_time" content="2026-02-03T10:00:00Z">
<link rel="alternate" type="application/rss+xml" href="/feed"></head><body>
<p>Welcome to the forum of people who build solar panels and talk about them all day.</p>
<div class="post">Cells from <a href="/t/8">another thread</a> are cheaper.</div>
<a href="/t/9">Next thread</a></body></html>"""
POST = 'Cells from <a href="/t/8">another thread</a> are cheaper.'


@dataclass
class Fixed:
    """Gives every document the same extract."""

    answer: Extract | None
    name: str = "fixed"

    def extract(self, document: Document) -> Extract | None:
        return self.answer


def parsed(answer: Extract | None, body: bytes = PAGE) -> ParsedPage:
    readers = replace(OUR_READERS, extractors=(Fixed(answer), *OUR_READERS.extractors))
    return parse_page(body, URL, "text/html", readers=readers)


def test_an_extract_is_the_article_and_the_rest_is_read_as_usual() -> None:
    page = parsed(Extract(f"<p>{POST}</p>"))

    assert page.text == "Cells from another thread are cheaper."
    assert (page.title, page.language) == ("Solar cells", "en")
    assert page.canonical == "http://forum.test/topic/7"
    assert page.feeds == ["http://forum.test/feed"]
    assert page.nofollow
    assert page.has_article
    assert find_published(page, NOW) == datetime(2026, 2, 3, 10, tzinfo=UTC)
    assert [*page.terms.tokens()] == ["solar", "cell", "cell", "thread", "cheaper"]


def test_links_outside_an_extract_are_followed_but_are_no_votes() -> None:
    page = parsed(Extract(POST))

    links = [(link.url, link.in_frame, link.block >= 0) for link in page.links]
    assert links == [("http://forum.test/t/8", False, True), ("http://forum.test/t/9", True, False)]


def test_an_extract_may_say_title_author_date_and_language() -> None:
    said = Extract("<p>Des cellules solaires</p>", 'A <b>& "b"', "Ann Lee", "2026-04-05", "fr-CA")

    page = parsed(said)

    assert (page.title, page.byline) == ('A <b>& "b"', "Ann Lee")
    assert (page.language, page.terms.language) == ("fr", "fr")
    assert find_published(page, NOW) == datetime(2026, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "answer", [None, Extract(""), Extract(" \n"), Extract("<p></p>"), Extract("\0")]
)
def test_without_a_text_the_page_is_read_as_usual(answer: Extract | None) -> None:
    assert parsed(answer) == parse_page(PAGE, URL, "text/html")


def test_a_document_that_ours_cannot_read_is_the_extract_alone() -> None:
    page = parsed(Extract(POST, "A post"), body=b" ")

    assert (page.title, page.text) == ("A post", "Cells from another thread are cheaper.")


def test_robots_of_the_header_hold_for_an_extract() -> None:
    readers = replace(OUR_READERS, extractors=(Fixed(Extract(POST)), *OUR_READERS.extractors))

    assert parse_page(PAGE, URL, "text/html", "noindex", readers=readers).noindex


@pytest.mark.parametrize("body", [PAGE, b"<rss><channel></channel></rss>", b"%PDF-1.4"])
def test_a_document_that_no_extractor_reads_is_no_page(body: bytes) -> None:
    with pytest.raises(ParseError) as caught:
        parse_page(body, URL, readers=PageReaders((), ()))

    assert caught.value.reason is Reason.NOT_HTML


def test_without_language_readers_a_language_is_unknown() -> None:
    page = parse_page(PAGE, URL, readers=replace(OUR_READERS, languages=()))

    assert (page.language, page.terms.language) == ("", "")


def test_a_document_knows_its_host_and_characters() -> None:
    document = Document("https://Forum.Test:8443/x", "太阳".encode("gbk"), "text/html; charset=gbk")

    assert (document.host, document.markup()) == ("forum.test", "太阳")
