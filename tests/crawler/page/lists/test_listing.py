import gzip

import pytest

from crawler.page.lists.listing import listing_kind
from crawler.page.parse import parse_page
from tests.crawler.page.lists.test_feeds import ATOM, JSON, RDF, RSS

URL = "http://grid.test/feed"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (RSS.encode(), "feed"),
        (ATOM.encode(), "feed"),
        (RDF.encode(), "feed"),
        (JSON.encode(), "feed"),
        (b"<?xml-stylesheet href='a'?><!-- b --><!DOCTYPE rss>\n<rss version='2.0'>", "feed"),
        (b"\xef\xbb\xbf\r\n<urlset>", "sitemap"),
        (b"<!---->" * 500 + b"<rss>", "feed"),
        (b"<!---->" * 500 + b"words", ""),
        (b"<?a?>" * 500 + b"<!DOCTYPE a>" * 50 + b"words", ""),
        (b"<a:rss xmlns:a='x'>", "feed"),
        (b"<!DOCTYPE rdf:RDF [ <!ENTITY a 'b>'> ]>\n<rdf:RDF>", "feed"),
        (b"<!DOCTYPE html [ <!ENTITY a '<rss>'> ]><html>", ""),
        ("\ufeff<?xml version='1.0'?><feed>".encode("utf-16-le"), "feed"),
        ("<?xml version='1.0'?><feed>".encode("utf-16-be"), "feed"),
        (b"\0\0\0\0", ""),
        (b"<sitemapindex\n", "sitemap"),
        (b"<html><rss>", ""),
        (b"<?xml version='1.0'?><html xmlns='x'>", ""),
        (b"the <rss> element", ""),
        (b'{"items": []}', ""),
        (b"<feedback>", ""),
        (b"", ""),
        (gzip.compress(b"<urlset>", mtime=0), ""),
    ],
)
def test_listing_kind_looks_at_the_first_element(body: bytes, kind: str) -> None:
    assert listing_kind(body, URL) == kind


def test_a_gzipped_file_is_a_sitemap_only_by_its_name() -> None:
    body = gzip.compress(b"<urlset>")

    assert listing_kind(body, "http://grid.test/sitemap-1.xml.gz") == "sitemap"
    assert listing_kind(body, "http://grid.test/sitemaps/news-1.xml.gz?page=2") == "sitemap"
    assert listing_kind(body, "http://grid.test/sitemap/archive.tar.gz") == ""


# where a list of addresses comes from, what it begins with, and how many links are followed
@pytest.mark.parametrize(
    ("name", "start", "n_links"),
    [
        ("sitemap.txt", b"", 2),
        ("sitemaps/all.TXT?day=1", b"\xef\xbb\xbf\r\n", 2),
        ("notes.txt", b"", 0),
        ("sitemap.txt", b"Addresses:\n", 0),
        ("sitemap.txt", b"ftp://grid.test/\n", 0),
    ],
)
def test_a_list_of_lines_is_a_sitemap_only_by_its_name(
    name: str, start: bytes, n_links: int
) -> None:
    url = f"http://grid.test/{name}"
    body = start + b"HTTP://grid.test/1\nhttp://grid.test/2\n"

    assert (listing_kind(body, url) == "sitemap") is bool(n_links)
    assert len(parse_page(body, url, "text/plain").links) == n_links


def test_parse_page_reads_a_feed_as_a_page_of_links() -> None:
    page = parse_page(RSS.encode(), URL, "application/rss+xml")

    assert page.is_listing
    assert page.title == "Village & Grid"
    assert page.text == "Roof power Two & two."
    assert [(link.url, link.anchor) for link in page.links] == [
        ("http://grid.test/roof", "Roof power")
    ]
    assert page.blocks[page.links[0].block] == list(page.terms.tokens())[2:]


@pytest.mark.parametrize("charset", ["utf-16", "utf-16-le", "utf-16-be"])
def test_parse_page_follows_the_entries_of_a_feed_of_two_byte_characters(charset: str) -> None:
    text = RSS.replace("UTF-8", "UTF-16")

    page = parse_page(text.encode(charset), URL, "application/rss+xml")

    assert [link.url for link in page.links] == ["http://grid.test/roof"]


def test_parse_page_follows_a_sitemaps_newest_pages_and_all_its_sitemaps_first() -> None:
    index = b"<sitemapindex><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>"
    pages = "".join(
        f"<url><loc>/{day}</loc><lastmod>2026-11-{day}</lastmod></url>" for day in range(10, 30)
    )

    assert [link.url for link in parse_page(index, URL).links] == ["http://grid.test/1.xml"]
    assert parse_page(f"<urlset>{pages}</urlset>".encode(), URL).links[0].url.endswith("/29")


# the dates of the first, the next 2,000 and the last of 2,002 pages; which of them are followed
@pytest.mark.parametrize(
    ("dates", "n_first", "n_last"),
    [
        (("", "", ""), 1000, 1000),
        (("2026-11-22", "2026-11-22", "2026-11-22"), 1000, 1000),
        (("2026-11-22", "2026-11-21", "2026-11-20"), 2000, 0),
        (("2026-11-20", "2026-11-21", "2026-11-22"), 1999, 1),
        (("2026-11-20", "", ""), 1000, 1000),
    ],
)
def test_parse_page_looks_at_both_ends_of_a_long_sitemap_without_an_order(
    dates: tuple[str, str, str], n_first: int, n_last: int
) -> None:
    said = [dates[0], *[dates[1]] * 2000, dates[2]]
    rows = "".join(
        f"<url><loc>/{number}</loc><lastmod>{date}</lastmod></url>"
        for number, date in enumerate(said)
    )
    page = parse_page(f"<urlset>{rows}</urlset>".encode(), URL)

    numbers = {int(link.url.rpartition("/")[2]) for link in page.links}
    assert len(numbers) == n_first + n_last
    assert (2001 in numbers) is bool(n_last)


def test_a_page_is_no_listing() -> None:
    assert not parse_page(b"<p>words", URL).is_listing


def test_lists_keep_the_dates_of_publishing_and_none_of_changing() -> None:
    sitemap = """<urlset xmlns:n="http://www.google.com/schemas/sitemap-news/0.9">
        <url><loc>/a</loc><n:news><n:publication_date>2026-11-20</n:publication_date></n:news></url>
        <url><loc>/b</loc><lastmod>2026-11-21</lastmod></url></urlset>"""
    edited = (
        """<feed><entry><link href="/c"/><updated>2026-11-21T00:00:00Z</updated></entry></feed>"""
    )

    assert parse_page(RSS.encode(), URL).listed == {
        "http://grid.test/roof": "Sat, 21 Nov 2026 10:00:00 +0800"
    }
    assert parse_page(ATOM.encode(), URL).listed == {"http://grid.test/blog/roof": "2026-11-21"}
    assert parse_page(JSON.encode(), URL).listed == {
        "http://grid.test/roof": "2026-11-21T10:00:00Z"
    }
    assert parse_page(sitemap.encode(), URL).listed == {"http://grid.test/a": "2026-11-20"}
    assert parse_page(edited.encode(), URL).listed == {}
    assert parse_page(b"<p>Roofs on 21 November 2026</p>", URL).listed == {}
