"""A page is its article: the frame of its site keeps its links and nothing else."""

import pytest

from crawler.page.parse import parse_page
from crawler.page.parsed import ParsedPage

URL = "http://a.test/article"
ARTICLE = (
    "<h1>Grid-scale batteries</h1>"
    "<p>The regional operator connected a battery of forty megawatts to the grid on Monday, which"
    " stores wind power at night and gives it back when the kettles boil.</p>"
    "<p>Engineers had tested the plant for a year; it answers to a change of load within a fifth"
    ' of a second, as <a href="/report">their report</a> says.</p>'
    "<p>A second plant, twice as large, is planned for the coast, where the old power station"
    " left a strong connection and a harbour for heavy transformers.</p>"
)
ZH_ARTICLE = (
    "<h1>电网储能</h1>"
    "<p>周一，地区电网公司把一座四十兆瓦的电池储能电站接入电网，夜间储存风电，用电高峰时再送回电网。</p>"
    "<p>工程师对电站进行了一年的测试；负荷变化后五分之一秒内，电站就能作出响应，测试报告这样写道。</p>"
    "<p>第二座电站规模大一倍，计划建在海边，那里的旧电厂留下了坚强的电网接口和可以装卸重型变压器的码头。</p>"
)


def links(n_links: int, word: str = "Section") -> str:
    return (
        "<ul>"
        + "".join(f'<li><a href="/{word}/{n}">{word} {n}</a></li>' for n in range(n_links))
        + "</ul>"
    )


def parsed(body: str) -> ParsedPage:
    return parse_page(f"<html><body>{body}</body></html>".encode(), URL, "text/html; charset=utf-8")


BARE = parsed(ARTICLE)
SAYING = (
    "<p>We and our partners use cookies, to store data and to measure audiences. Choose here.</p>"
)


@pytest.mark.parametrize("article", [ARTICLE, ZH_ARTICLE])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"<nav>{links(6)}</nav><article>", f"</article><footer>{SAYING}</footer>"),
        (f"<header>{links(40)}</header><main>", f"</main><aside>{SAYING}{links(9)}</aside>"),
        (f"<div class='topMenu'>{links(6)}</div><div>", f"</div><div class=footer>{SAYING}</div>"),
        (f"<div>{links(30)}</div><div>", f"<div class='comments-area'>{SAYING}</div></div>"),
        (f"<table><tr><td>{links(30)}</td><td>", f"</td><td>{links(9)}</td></tr></table>"),
        ("<div id='cookie-notice'>" + SAYING + "</div>", links(120)),
        ("<div role=navigation><p>Sign in to go on, please.</p></div><div>", "</div>"),
    ],
)
def test_a_page_is_its_article_whatever_frame_is_around_it(
    article: str, before: str, after: str
) -> None:
    bare, page = parsed(article), parsed(before + article + after)

    assert page.text == bare.text
    assert page.terms == bare.terms
    assert page.fingerprint == bare.fingerprint
    assert page.own_fingerprint == bare.own_fingerprint
    assert page.has_article


def test_links_of_the_frame_are_marked_and_keep_their_words() -> None:
    page = parsed(f"<nav>{links(2)}</nav><main>{ARTICLE}</main><footer>{links(1, 'Law')}</footer>")

    marks = {link.url.removeprefix("http://a.test"): link.in_frame for link in page.links}

    assert marks == {"/Section/0": True, "/Section/1": True, "/report": False, "/Law/0": True}
    menu = page.links[0]
    assert (menu.anchor, menu.tokens, menu.block) == ("Section 0", ["section", "0"], -1)
    own = next(link for link in page.links if not link.in_frame)
    assert page.blocks[own.block] == BARE.blocks[BARE.links[0].block]


def test_a_link_of_article_and_frame_is_the_articles() -> None:
    page = parsed(f'<nav><a href="/report">Reports</a></nav><main>{ARTICLE}</main>')

    (link,) = page.links

    assert (link.in_frame, link.anchor) == (False, "their report")


def test_a_list_of_links_inside_the_article_is_not_of_the_frame() -> None:
    halves = ARTICLE.rpartition("<p>")
    page = parsed(f"<div>{links(9)}</div><div>{halves[0]}{links(7, 'Source')}<p>{halves[2]}</div>")

    framed = {link.url.split("/")[3]: link.in_frame for link in page.links}

    assert framed == {"Section": True, "report": False, "Source": False}


@pytest.mark.parametrize("n_links", [1, 40])
def test_a_page_of_links_keeps_what_does_not_say_to_be_frame(n_links: int) -> None:
    body = f"<nav>{links(5)}</nav><div>{links(n_links, 'Member')}</div><footer>Imprint</footer>"

    page = parsed(body)

    assert page.text.split("\n") == [f"Member {n}" for n in range(n_links)]
    assert [link.in_frame for link in page.links] == [True] * 5 + [False] * n_links


def test_a_page_that_is_all_frame_is_not_empty() -> None:
    page = parsed("<nav>Nothing but a menu <a href='/a'>of one link</a></nav>")

    assert page.text == "Nothing but a menu of one link"


def test_an_element_with_most_of_the_text_is_no_frame_whatever_it_is_called() -> None:
    page = parsed(f"<div class='content has-sidebar footer'>{ARTICLE}</div>")

    assert page.text == BARE.text


def test_an_introduction_above_the_body_belongs_to_the_article() -> None:
    lead = "A battery as large as a football field will keep the lights of the region burning."
    heading, _, body = ARTICLE.partition("</h1>")

    page = parsed(f"{links(9)}<div>{heading}</h1><p>{lead}</p></div><div>{body}</div>")

    assert page.text.startswith(lead)


def test_a_front_page_has_no_article() -> None:
    page = parsed(
        "".join(f"<h2><a href='/{n}'>Battery plant {n} opens</a></h2>" for n in range(60))
    )

    assert not page.has_article
    assert page.text.count("\n") == 59


@pytest.mark.parametrize("label", ["Related articles", "Comments", "Mehr zum Thema", "相关阅读"])
def test_what_follows_a_label_of_the_frame_is_dropped(label: str) -> None:
    after = f"<h3>{label}</h3><p>First!</p><ul><li><a href='/x'>More here</a></li></ul>"

    page = parsed(f"{links(9)}<div>{ARTICLE}{after}</div>")

    assert page.text == BARE.text
    assert [link.in_frame for link in page.links] == [True] * 9 + [False, True]


def test_a_list_of_links_at_the_end_of_the_article_is_its_own() -> None:
    after = f"<h3>See also</h3>{links(3, 'Source')}"

    page = parsed(f"{links(9)}<div>{ARTICLE}{after}</div>")

    assert [link.in_frame for link in page.links] == [True] * 9 + [False] * 4


def test_a_wrapper_of_the_main_element_is_no_frame() -> None:
    notice = "<div>" + SAYING * 12 + "</div>"

    page = parsed(f"<div class='page-sidebar'><main>{ARTICLE}</main></div>{notice}")

    assert "forty megawatts" in page.text
