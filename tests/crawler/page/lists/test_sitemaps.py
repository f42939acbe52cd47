import gzip

import pytest

from crawler.errors import ParseError
from crawler.page.lists.sitemaps import MAX_BYTES, MAX_URLS, SitemapEntry, read_sitemap
from crawler.reasons import Reason

URL = "http://www.grid.test/sitemap.xml"
_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*entries: str) -> bytes:
    inner = "".join(f"<url>{entry}</url>" for entry in entries)
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {_NAMESPACE}>{inner}</urlset>'.encode()


def test_read_sitemap_reads_pages_news_and_pictures() -> None:
    sitemap = read_sitemap(
        urlset(
            "<loc> http://www.grid.test/a </loc><lastmod>2026-11-21</lastmod>",
            '<loc>http://news.grid.test/b</loc><n:news xmlns:n="http://www.google.com/schemas'
            '/sitemap-news/0.9"><n:publication><n:name>Grid</n:name></n:publication>'
            "<n:publication_date>2026-11-20</n:publication_date><n:title>屋顶</n:title></n:news>",
            '<loc>/c</loc><i:image xmlns:i="x"><i:loc>http://www.grid.test/c.png</i:loc></i:image>',
        ),
        URL,
    )

    assert sitemap.pages == (
        SitemapEntry("http://www.grid.test/a", changed="2026-11-21"),
        SitemapEntry("http://news.grid.test/b", "屋顶", "2026-11-20"),
        SitemapEntry("http://www.grid.test/c"),
    )
    assert sitemap.note == ""


def test_read_sitemap_does_not_send_an_index_back_to_itself() -> None:
    body = (
        f"<sitemapindex {_NAMESPACE}><sitemap><loc>{URL}</loc></sitemap>"
        "<sitemap><loc>http://www.grid.test/2.xml.gz</loc></sitemap></sitemapindex>"
    )

    sitemap = read_sitemap(body.encode(), URL)

    assert [entry.url for entry in sitemap.sitemaps] == ["http://www.grid.test/2.xml.gz"]
    assert sitemap.pages == ()


def test_read_sitemap_lets_a_site_speak_for_itself_alone() -> None:
    sitemap = read_sitemap(
        urlset(
            "<loc>http://other.test/a</loc>",
            "<loc>http://grid.test.evil.test/a</loc>",
            "<loc>javascript:alert(1)</loc>",
            "<lastmod>2026-01-01</lastmod>",
            "<loc>http://grid.test/a</loc>",
        ),
        URL,
    )

    assert [entry.url for entry in sitemap.pages] == ["http://grid.test/a"]
    assert sitemap.note == "left out 2 of other sites, 1 that are not web addresses"


def test_read_sitemap_stops_after_what_the_protocol_allows() -> None:
    body = urlset(*(f"<loc>http://www.grid.test/{number}</loc>" for number in range(MAX_URLS + 1)))

    sitemap = read_sitemap(gzip.compress(body), URL + ".gz")

    assert len(sitemap.pages) == MAX_URLS
    assert sitemap.note == "left out 1 beyond the first 50000"


def test_read_sitemap_reads_lists_of_lines() -> None:
    sitemap = read_sitemap(b"http://grid.test/a\r\n\r\nhttp://grid.test/b\n", URL)

    assert [entry.url for entry in sitemap.pages] == ["http://grid.test/a", "http://grid.test/b"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", Reason.EMPTY),
        (gzip.compress(b""), Reason.EMPTY),
        (b"<html></html>", Reason.UNREADABLE_LIST),
        (b"<rss></rss>", Reason.UNREADABLE_LIST),
        (b"just words", Reason.UNREADABLE_LIST),
        (b"\x1f\x8bnot gzip", Reason.UNREADABLE_LIST),
        (gzip.compress(bytes(MAX_BYTES + 1)), Reason.UNREADABLE_LIST),
    ],
    ids=["empty", "empty gzip", "page", "feed", "words", "damaged gzip", "gzip bomb"],
)
def test_read_sitemap_says_why_something_is_none(body: bytes, reason: Reason) -> None:
    with pytest.raises(ParseError) as caught:
        read_sitemap(body, URL)

    assert caught.value.reason is reason
    assert caught.value.detail


def test_read_sitemap_goes_on_after_a_bare_less_than_sign() -> None:
    title = "<n:news xmlns:n='n'><n:title>Found at p < 5 %</n:title></n:news>"
    body = urlset(f"<loc>http://www.grid.test/a</loc>{title}", "<loc>http://www.grid.test/b</loc>")

    assert read_sitemap(body, URL).pages == (
        SitemapEntry("http://www.grid.test/a", "Found at p < 5 %"),
        SitemapEntry("http://www.grid.test/b"),
    )


def test_read_sitemap_takes_a_cut_file_as_far_as_it_goes() -> None:
    body = urlset("<loc>http://www.grid.test/a</loc>", "<loc>http://www.grid.test/b</loc>")

    assert read_sitemap(body[:-30], URL).pages[0].url == "http://www.grid.test/a"
