import pytest

from crawler.page.parse import parse_page
from crawler.page.parsed import PageLink, ParsedPage

URL = "http://solar.test/dir/page.html"


def links_of(markup: str) -> list[PageLink]:
    return page_of(markup).links


def page_of(markup: str) -> ParsedPage:
    return parse_page(markup.encode(), URL, "text/html; charset=utf-8")


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("a.html", "http://solar.test/dir/a.html"),
        ("  ../b  ", "http://solar.test/b"),
        ("//other.test/x", "http://other.test/x"),
        ("?q=1", "http://solar.test/dir/page.html?q=1"),
        ("/c?utm_source=mail&id=1#part", "http://solar.test/c?id=1"),
        ("http://太阳.test/光", "http://xn--sss633l.test/%E5%85%89"),
        ("HTTPS://Solar.TEST:443/x", "https://solar.test/x"),
    ],
)
def test_links_are_absolute_and_canonical(href: str, url: str) -> None:
    assert [link.url for link in links_of(f"<p>text <a href='{href}'>x</a>")] == [url]


@pytest.mark.parametrize(
    "href",
    [
        "",
        "#top",
        "page.html",
        "http://[::1",
        "javascript:alert(1)",
        " JavaScript:x",
        "mailto:a@b.test",
        "tel:+1",
        "data:text/html,x",
        "blob:x",
        "ftp://a.test/",
        "http://user:pw@a.test/",
        "http://a.test:22/",
        "/" + "x" * 100_000,
        "data:" + "x" * 1_000_000,
        "http://%00/",
        "\x01",
    ],
)
def test_one_bad_href_loses_no_other(href: str) -> None:
    """[rows P6, P7]"""
    good = "".join(f"<a href='/{n}'>g</a>" for n in range(999))

    links = links_of(f"<a href='/first'>f</a><a href='{href}'>bad</a>{good}")

    assert len(links) == 1000


def test_a_url_appears_once_with_its_first_anchor_that_has_text() -> None:
    links = links_of(
        """<a href="/a"><img></a><a href="/b">bee</a><a href="/a" rel="nofollow">ay</a>
        <a href="/b">again</a>"""
    )

    assert [(link.url[-1], link.anchor, link.nofollow) for link in links] == [
        ("a", "ay", False),
        ("b", "bee", False),
    ]


@pytest.mark.parametrize(
    ("rel", "nofollow"),
    [("", False), ("nofollow", True), ("UGC noopener", True), ("sponsored", True), ("next", False)],
)
def test_links_say_what_their_rel_says(rel: str, nofollow: bool) -> None:
    assert links_of(f"<a href='/a' rel='{rel}'>a</a>")[0].nofollow is nofollow


@pytest.mark.parametrize(
    ("markup", "anchor", "tokens"),
    [
        ("<a href='/a'> solar\n <b>cells</b> </a>", "solar cells", ["solar", "cell"]),
        ("<a href='/a'><div>solar</div><div>cells</div></a>", "solar cells", ["solar", "cell"]),
        ("<a href='/a'><img alt='solar cells'></a>", "solar cells", ["solar", "cell"]),
        ("<map><area href='/a' alt='solar'></map>", "solar", ["solar"]),
        ("<a href='/a'>光伏电池</a>", "光伏电池", ["光伏", "电池"]),
        ("<a href='/a'>open <a href='/b'>other</a>", "open", ["open"]),
        ("<h1><a href='/a'>head</a></h1>", "head", ["head"]),
        ("<noscript><a href='/a'>unseen</a></noscript>", "", []),
        ("<frameset><frame src='/a'></frameset>", "", []),
        ("<meta http-equiv='refresh' content='3; URL=/a'><p>moved", "", []),
    ],
)
def test_anchor_text_is_what_stands_between_the_tags(
    markup: str, anchor: str, tokens: list[str]
) -> None:
    link = links_of(markup)[0]

    assert (link.url, link.anchor, link.tokens) == ("http://solar.test/a", anchor, tokens)


def test_anchor_text_is_cut() -> None:
    assert len(links_of(f"<a href='/a'>{'x ' * 1000}</a>")[0].anchor) <= 200


@pytest.mark.parametrize(
    "markup",
    [
        "<div hidden>{}</div>",
        "<p style='color:red; display:none'>{}</p>",
        "<template>{}</template>",
    ],
)
def test_links_nobody_sees_are_left_alone(markup: str) -> None:
    trap = markup.format("<a href='/trap'>trap</a>")

    assert [link.anchor for link in links_of(f"{trap}<a href='/a'>seen</a>")] == ["seen"]


def test_a_block_is_the_small_element_around_the_link() -> None:
    page = page_of("<ul><li><a href='/a'>cell</a><p>solar power</p></li><li>other</li></ul>")

    assert [page.blocks[link.block] for link in page.links] == [["cell", "solar", "power"]]


def test_links_of_one_block_share_it() -> None:
    page = page_of("<p>see <a href='/a'>sun</a> or <a href='/b'>moon</a></p>")

    assert page.blocks == [["sun", "moon"]]
    assert [link.block for link in page.links] == [0, 0]


def test_in_a_large_element_the_line_stands_for_the_block() -> None:
    filler = "<p>" + "word " * 100 + "</p>"
    page = page_of(f"<div>{filler}bright <a href='/a'>link</a><br>{filler}</div>")

    assert [page.blocks[link.block] for link in page.links] == [["bright", "link"]]


def test_blocks_of_a_flat_page_stay_small() -> None:
    page = page_of("".join(f"solar cell <a href='/{n}'>power</a> " for n in range(2000)))

    assert max(map(len, page.blocks)) <= 200
    assert sum(map(len, page.blocks)) <= 3 * 2000


@pytest.mark.parametrize(
    ("markup", "path"),
    [
        ("<ul class='nav-12 wide'><li><a href='/a'>x</a></ul>", "body/ul.nav/li/a"),
        ("<div><b class='7'><a class='x9y' href='/a'>x</a></b></div>", "body/div/b/a.xy"),
    ],
)
def test_tag_paths_leave_numbers_out(markup: str, path: str) -> None:
    assert links_of(f"<html><body>{markup}")[0].path == path


def test_each_block_stands_at_its_span_of_the_pages_tokens() -> None:
    page = page_of(
        "<title>Solar</title><meta name=description content='cells and panels'>"
        "<p>Read on <a href=/a>roof panels</a> today.</p><ul><li><a href=/b>光伏电池</a></li></ul>"
    )
    tokens = list(page.terms.tokens())

    assert page.blocks == [tokens[first:after_last] for first, after_last in page.spans]
    assert len(page.blocks) == 2
