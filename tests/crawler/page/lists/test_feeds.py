import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.errors import ParseError
from crawler.page.lists.feeds import MAX_ITEMS, ParsedFeedItem, read_feed
from crawler.page.parse import parse_page
from crawler.reasons import Reason

URL = "http://grid.test/feeds/all.xml"

RSS = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Village &amp; Grid</title>
<link>http://grid.test/</link>
<item><media:title>A picture</media:title><title>Roof &lt;b&gt;power&lt;/b&gt;</title>
<link>http://grid.test/roof?utm_source=rss</link><description>&lt;p&gt;Two &amp;amp; two.&lt;/p&gt;
</description><pubDate>Sat, 21 Nov 2026 10:00:00 +0800</pubDate></item></channel></rss>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://grid.test/blog/">
<title type="html">Village Grid</title><link rel="self" href="http://grid.test/atom"/>
<entry><title>Roof power</title><id>tag:grid.test,2026:1</id><link rel="enclosure" href="a.mp3"/>
<link href="roof"/><updated>2026-11-22T00:00:00Z</updated><published>2026-11-21</published>
<summary>Two and two.</summary></entry></feed>"""

RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>Village Grid</title></channel>
<item rdf:about="http://grid.test/roof"><title>Roof power</title><dc:date>2026-11-21</dc:date>
</item></rdf:RDF>"""

JSON = """{"version": "https://jsonfeed.org/version/1.1", "title": "Village Grid", "items": [
{"id": "1", "url": "/roof", "title": "Roof power", "content_text": "Two.", "date_published":
"2026-11-21T10:00:00Z"}, {"id": "x", "url": 7}, "no item"]}"""


@pytest.mark.parametrize(
    ("text", "title", "item"),
    [
        (
            RSS,
            "Village & Grid",
            ParsedFeedItem(
                "http://grid.test/roof",
                "Roof power",
                "Two & two.",
                "Sat, 21 Nov 2026 10:00:00 +0800",
            ),
        ),
        (
            ATOM,
            "Village Grid",
            ParsedFeedItem(
                "http://grid.test/blog/roof", "Roof power", "Two and two.", "2026-11-21"
            ),
        ),
        (
            RDF,
            "Village Grid",
            ParsedFeedItem("http://grid.test/roof", "Roof power", "", "2026-11-21"),
        ),
        (
            JSON,
            "Village Grid",
            ParsedFeedItem("http://grid.test/roof", "Roof power", "Two.", "2026-11-21T10:00:00Z"),
        ),
        (
            '<CHANNEL HREF="/"><ITEM HREF="/roof"><TITLE>Roof</TITLE></ITEM></CHANNEL>',
            "",
            ParsedFeedItem("http://grid.test/roof", "Roof"),
        ),
    ],
    ids=["rss", "atom", "rdf", "json", "cdf"],
)
def test_read_feed_knows_every_kind(text: str, title: str, item: ParsedFeedItem) -> None:
    feed = read_feed(text.encode(), URL)

    assert (feed.title, feed.note) == (title, "")
    assert feed.items[0] == item


@pytest.mark.parametrize(
    ("item", "urls"),
    [
        ('{"id": "3"}', []),
        ('{"id": "http://grid.test/a"}', ["http://grid.test/a"]),
        ('{"id": "3", "external_url": "/b"}', ["http://grid.test/b"]),
        ('{"id": "http://grid.test/a", "url": "/c", "external_url": "/b"}', ["http://grid.test/c"]),
    ],
)
def test_an_id_of_a_json_feed_is_an_address_only_if_it_looks_like_one(
    item: str, urls: list[str]
) -> None:
    body = f'{{"version": "https://jsonfeed.org/version/1.1", "items": [{item}]}}'

    assert [one.url for one in read_feed(body.encode(), URL).items if one.url] == urls


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        ("<guid>http://grid.test/a</guid>", "http://grid.test/a"),
        ('<guid isPermaLink="false">http://grid.test/a</guid>', ""),
        ("<guid>17</guid><link>/b</link>", "http://grid.test/b"),
        ("<link>javascript:alert(1)</link>", ""),
        ("<link>data:text/html,x</link><guid>mailto:a@b.c</guid>", ""),
        ("<link>http://user:pw@grid.test/</link>", ""),
        ("<link>  http://grid.test/a\n</link>", "http://grid.test/a"),
        ('<link rel="via" href="/via"/><link rel="related" href="/a"/>', "http://grid.test/a"),
        ('<link rel="via" href="/via"/>', "http://grid.test/via"),
        ('<content src="/elsewhere"/><id>tag:grid.test,2026:1</id>', "http://grid.test/elsewhere"),
        ('<content src="/elsewhere"/><link href="/a"/>', "http://grid.test/a"),
        ('<content>An <img src="/a.png"/> inside</content>', ""),
        ('<link rel="enclosure" href="/film.mp4"/><link rel="license" href="/by"/>', ""),
        ("<source><link>http://other.test/</link></source>", ""),
        ("<link>http://grid.test/a&b=&auml;</link>", "http://grid.test/a&b=%C3%A4"),
    ],
)
def test_read_feed_takes_only_an_entrys_own_web_address(entry: str, url: str) -> None:
    feed = read_feed(f"<rss><channel><item>{entry}</item></channel></rss>".encode(), URL)

    assert [item.url for item in feed.items] == ([url] if url else [])
    assert (feed.note == "") == bool(url)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", Reason.EMPTY),
        (b" \n\xef\xbb\xbf", Reason.EMPTY),
        (b"<html><body><p>not here</p></body></html>", Reason.UNREADABLE_LIST),
        (b"no markup at all", Reason.UNREADABLE_LIST),
        (bytes(range(1, 256)), Reason.UNREADABLE_LIST),
        (b'{"items": 3}', Reason.UNREADABLE_LIST),
        (b'{"items": [' + b"9" * 5000 + b"]}", Reason.UNREADABLE_LIST),
        (b'{"items": [', Reason.UNREADABLE_LIST),
        (b'{"items":[' + b"[" * 100_000, Reason.UNREADABLE_LIST),
    ],
)
def test_read_feed_says_why_something_is_no_feed(body: bytes, reason: Reason) -> None:
    with pytest.raises(ParseError) as caught:
        read_feed(body, URL)

    assert caught.value.reason is reason
    assert caught.value.detail


@pytest.mark.parametrize(
    "body",
    [
        "<rss><channel><item><title>光伏 & 电网</title><link>/a</link></channel>".encode(),
        '<?xml version="1.0" encoding="gb2312"?><rss><item><title>光伏 & 电网</title>'
        "<link>/a</link></item></rss>".encode("gbk"),
        '<?xml version="1.0" encoding="utf-16"?><rss><item><title>光伏 & 电网</title>'
        "<link>/a</link></item></rss>".encode(),
        "<rss><item><title>光伏 &amp; 电网\x00\x0b</title><link>/a</link></item></rss>".encode(),
        "\ufeff<rss><item><title>光伏 &amp; 电网</title><link>/a</link></item>".encode("utf-16"),
    ],
    ids=["unclosed", "gb2312", "wrong declaration", "control characters", "utf-16"],
)
def test_read_feed_saves_what_can_be_saved_of_broken_ones(body: bytes) -> None:
    assert read_feed(body, URL).items == (ParsedFeedItem("http://grid.test/a", "光伏 & 电网"),)


# a title in a JSON feed, or what stands before the feed, and the title that is read
@pytest.mark.parametrize(
    ("start", "title", "read"),
    [
        (b"", b"roof \xff", "roof \ufffd"),
        (b"\xef\xbb\xbf\r\n", b"roof", "roof"),
        (b"", b"two\nlines\tand a \x01", "two lines and a"),
        (b"", b"half \\ud83d of a pair", "half ? of a pair"),
    ],
)
def test_read_feed_saves_a_json_feed_with_small_mistakes(
    start: bytes, title: bytes, read: str
) -> None:
    head = b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "/\\ud83d", '
    body = start + head + b'"title": "' + title + b'"}]}'

    assert [item.title for item in read_feed(body, URL).items] == [read]
    assert parse_page(body, URL, "application/feed+json").is_listing


def test_read_feed_expands_no_entity_and_reads_no_file() -> None:
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))
    body = (
        f'<!DOCTYPE rss [<!ENTITY e0 "xxxxxxxxxx">{bomb}<!ENTITY f SYSTEM "file:///etc/hostname">]>'
        "<rss><item><title>a&e8;b&f;c</title><link>/a</link></item></rss>"
    )

    assert read_feed(body.encode(), URL).items[0].title == "a&e8;b&f;c"


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("&#55357;&#56832; Roof power", "😀 Roof power"),
        ("&#xD83D;&#xde00; Roof power", "😀 Roof power"),
        ("<![CDATA[&#55357;&#56832;]]> Roof power", "😀 Roof power"),
        ("Roof&#55357; power&#56832;", "Roof power"),
    ],
)
def test_read_feed_reads_characters_that_are_written_in_halves(written: str, title: str) -> None:
    item = f"<item><title>{written}</title><link>http://grid.test/roof</link></item>"

    feed = read_feed(f"<rss><channel>{item}</channel></rss>".encode(), "http://grid.test/feed")

    assert [found.title for found in feed.items] == [title]


def test_read_feed_is_bounded() -> None:
    items = "".join(f"<item><link>/{number}</link></item>" for number in range(3 * MAX_ITEMS))

    feed = read_feed(f"<rss>{items}</rss>".encode(), URL)

    assert len(feed.items) == MAX_ITEMS
    assert feed.items[0].url == "http://grid.test/0"


def test_read_feed_names_each_address_once_whatever_its_ids() -> None:
    entries = "".join(f"<entry><id>{n}</id><link href='/a'/></entry>" for n in range(9))

    assert len(read_feed(f"<feed>{entries}</feed>".encode(), URL).items) == 1


@given(
    st.lists(
        st.sampled_from("<item> </item> <link> </link> <![CDATA[ ]]> /a & &x; <!-- < >".split())
    )
)
def test_read_feed_never_raises_anything_else(pieces: list[str]) -> None:
    try:
        feed = read_feed(f"<rss>{''.join(pieces)}".encode(), URL)
    except ParseError as error:
        assert error.detail
    else:
        assert feed.items or feed.note
