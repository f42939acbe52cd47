import pytest

from crawler.errors import ParseError
from crawler.page.lists.reading_lists import MAX_ENTRIES, ListedAddress, read_reading_list

OPML = """<?xml version="1.0" encoding="gb2312"?>
<opml version="2.0"><head><title>My feeds</title></head><body>
<outline text="Energy"><outline type="rss" text="Grid &amp; wind" xmlUrl="http://grid.test/feed"
 htmlUrl="http://grid.test/"/><outline text="村网" XMLURL="http://cunwang.test/rss"/></outline>
<outline text="again" xmlUrl="http://grid.test/feed"/>
<outline text="odd" xmlUrl="javascript:alert(1)"/><outline text="page" htmlUrl="http://p.test"/>
</body></opml>"""

BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<DL><p><DT><H3>Energy</H3><DL><p>
<DT><A HREF="http://grid.test/?a=1&amp;b=2" ADD_DATE="1700000000">Grid &amp; wind</A>
<DT><A ADD_DATE='1' HREF='http://cunwang.test/'>村网</A>
<DT><A HREF="place:sort=8">Recent</A><DT><A HREF="file:///etc/passwd">f</A></DL></DL>"""


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        (
            OPML,
            [
                ListedAddress("http://grid.test/feed", "Grid & wind"),
                ListedAddress("http://cunwang.test/rss", "村网"),
                ListedAddress("http://p.test/", "page"),
            ],
        ),
        (
            BOOKMARKS,
            [
                ListedAddress("http://grid.test/?a=1&b=2", "Grid & wind"),
                ListedAddress("http://cunwang.test/", "村网"),
            ],
        ),
        (
            "read http://grid.test/a\nand https://grid.test/b too",
            [ListedAddress("http://grid.test/a"), ListedAddress("https://grid.test/b")],
        ),
        ("<opml><body><outline xmlUrl='http://a.test/'>", [ListedAddress("http://a.test/")]),
    ],
    ids=["opml", "bookmarks", "plain", "cut opml"],
)
def test_read_reading_list_finds_each_address_once(text: str, entries: list[ListedAddress]) -> None:
    assert read_reading_list(text) == entries


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "plain text"),
        ("no address", "plain text"),
        ("<opml><body/></opml>", "OPML"),
        ('<a href="mailto:a@b.test">a</a>', "a bookmark file"),
    ],
)
def test_read_reading_list_says_what_it_took_an_empty_one_for(text: str, kind: str) -> None:
    with pytest.raises(ParseError) as caught:
        read_reading_list(text)

    assert kind in caught.value.detail


def test_a_bookmark_with_a_large_icon_is_read() -> None:
    icon = f'ICON="data:image/png;base64,{"A" * 90_000}"'
    text = f'<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DT><A HREF="http://grid.test/" {icon}>Grid</A>'

    assert read_reading_list(text) == [ListedAddress("http://grid.test/", "Grid")]


def test_read_reading_list_is_bounded() -> None:
    lines = "\n".join(f"http://a.test/{number}" for number in range(2 * MAX_ENTRIES))

    assert len(read_reading_list(lines)) == MAX_ENTRIES


def test_read_reading_list_expands_no_entity() -> None:
    text = '<!DOCTYPE o [<!ENTITY x SYSTEM "file:///etc/hostname">]><opml><outline text="a&x;b"'

    assert read_reading_list(f'{text} xmlUrl="http://a.test/"/></opml>')[0].title == "ab"


def test_read_reading_list_multiplies_no_entities() -> None:
    grown = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    text = f'<!DOCTYPE opml [<!ENTITY e0 "lol">{grown}]><opml><body><outline text="a&e11;b"'

    [entry] = read_reading_list(f'{text} xmlUrl="http://a.test/"/></body></opml>')

    assert entry == ListedAddress("http://a.test/", "a&e11;b")


def test_read_reading_list_ends_at_a_depth_no_reader_writes() -> None:
    def nested(depth: int) -> str:
        return f"<opml>{'<outline>' * depth}<outline url='http://a.test/'/>"

    assert len(read_reading_list(nested(100))) == 1
    with pytest.raises(ParseError):
        read_reading_list(nested(50_000))
