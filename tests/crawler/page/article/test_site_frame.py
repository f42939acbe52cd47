"""What repeats over the pages of a site is its frame, learnt from its pages."""

from collections.abc import Iterable

import pytest

from crawler.page.article.site_frame import MAX_KNOWN, MAX_LINES, WINDOW, SiteFrame
from crawler.page.parse import parse_page
from crawler.page.parsed import ParsedPage
from tests.crawler.page.article.test_article_lines import URL

NOTICE = (
    "We and our partners use cookies to store and read information on your device, and to measure"
    " how many people read our articles."
)
ZH_NOTICE = (
    "本网站及合作伙伴使用 Cookie 存储和读取浏览数据，"
    "用于个性化内容推荐与访问统计，您可以随时更改设置。"
)
WORDS = (
    "battery grid harbour kettle operator wind night plant coast transformer engineer valve rotor"
    " meter copper winter signal cable tower bridge storm river farm quarry tunnel canal"
).split()


def paragraphs(number: int, n: int = 4) -> list[str]:
    """Paragraphs that no other number has."""
    return [
        f"Report {number}, part {part}: the {WORDS[(number + part) % 26]} and the"
        f" {WORDS[(3 * number + part) % 26]} were tested, and the {WORDS[part]} was found in order"
        f" by {number + 40} of {number + 50} people."
        for part in range(n)
    ]


def page(number: int, *extra: str, before: str = "", n: int = 4, layout: str = "main") -> str:
    body = "".join(f"<p>{text}</p>" for text in [*paragraphs(number, n), *extra])
    return f"<html><body><{layout}><h1>Report {number}</h1>{before}{body}</{layout}></body></html>"


def parsed(markup: str, number: int = 0, frame: Iterable[int] = ()) -> ParsedPage:
    return parse_page(markup.encode(), f"{URL}/{number}", "text/html", site_frame=frozenset(frame))


def crawled(markups: Iterable[str], frame: SiteFrame | None = None) -> list[ParsedPage]:
    """Parse the pages of a site one after the other, as a collector does."""
    frame = frame or SiteFrame()
    pages = []
    for number, markup in enumerate(markups):
        found = parsed(markup, number, frame.lines())
        frame.learn(found.url, found.frame_lines)
        pages.append(found)
    return pages


@pytest.mark.parametrize("notice", [NOTICE, ZH_NOTICE])
@pytest.mark.parametrize("layout", ["main", "article", "div"])
def test_a_notice_in_every_article_is_frame_from_the_fourth_page_on(
    notice: str, layout: str
) -> None:
    with_link = f'<p>{notice} <a href="/privacy">Privacy</a></p>'
    sites = [page(number, before=with_link, layout=layout) for number in range(8)]
    bare = [parsed(page(number, layout=layout), number) for number in range(8)]

    pages = crawled(sites)

    assert [notice in one.text for one in pages] == [True] * 3 + [False] * 5
    for one, clean in zip(pages[3:], bare[3:], strict=True):
        assert one.text == clean.text
        assert one.terms == clean.terms
        assert (one.fingerprint, one.own_fingerprint) == (clean.fingerprint, clean.own_fingerprint)
        assert [link.in_frame for link in one.links] == [True]


def test_a_site_of_two_pages_keeps_all() -> None:
    pages = crawled([page(1, NOTICE), page(2, NOTICE)] * 10)

    assert all(NOTICE in one.text for one in pages)


def test_a_paragraph_that_two_articles_quote_stays() -> None:
    quoted = "The minister said on Monday that the law would pass before the summer, if at all."

    pages = crawled([page(number, *[quoted] * (number in (2, 9))) for number in range(12)])

    assert quoted in pages[2].text and quoted in pages[9].text


def test_a_page_looked_at_every_day_keeps_its_text() -> None:
    frame = SiteFrame()
    for day in range(3 * WINDOW):
        # A new entry every day, above those of the days before; other pages now and then.
        found = parsed(page(day % 2, f"On day {day} {paragraphs(day)[0]}"), 0, frame.lines())
        frame.learn(found.url, found.frame_lines)
        assert paragraphs(day % 2)[0] in found.text
    assert frame.lines() == frozenset()


def test_copies_of_an_article_stay_whole_and_do_not_count() -> None:
    frame = SiteFrame()
    pages = crawled([page(5)] * 9, frame)

    assert {one.text for one in pages} == {pages[0].text}
    assert frame.n_pages == 1


def test_a_licence_under_many_addresses_is_not_emptied() -> None:
    licence = [page(5, f"Copyright {year} by the authors of part {year}." * 2) for year in range(9)]

    pages = crawled([*licence, page(7)])

    assert all(paragraphs(5)[0] in one.text for one in pages[:9])


def test_a_site_may_get_a_new_frame() -> None:
    other = "Support our reporters with a small amount every month, so that all can read them."
    before = [page(number, NOTICE) for number in range(20)]
    after = [page(number, other) for number in range(20, 70)]
    frame = SiteFrame()

    pages = crawled(before + after, frame)

    assert not any(other in one.text for one in pages[20 + WINDOW :])
    crawled([page(number) for number in range(70, 70 + 8 * WINDOW)], frame)
    assert frame.lines() == frozenset()


def test_the_teasers_of_a_list_do_not_count() -> None:
    def teasers(*numbers: int) -> str:
        shown = "".join(
            f'<h2><a href="/{number}">Report {number}</a></h2><p>{paragraphs(number)[0]}</p>'
            f"<p>{paragraphs(number)[1]}</p>"
            for number in numbers
        )
        return f"<html><body><main><h1>Blog</h1>{shown}</main></body></html>"

    lists = [teasers(1, number) for number in range(2, 9)]

    *_, article = crawled([*lists, page(1)])

    assert all(text in article.text for text in paragraphs(1))


def test_headings_code_and_short_lines_stay() -> None:
    heading = "What you should know of the plants and of the batteries that this report describes"
    code = "operator = connect(first_plant, second_plant, third_plant)  # as in every report"
    extra = f"<h2>{heading}</h2><pre>{code}</pre><p>It was found in order.</p>"

    pages = crawled([page(number, before=extra) for number in range(9)])

    assert pages[-1].text == parsed(page(8, before=extra)).text


def test_a_heading_of_nothing_but_the_frame_goes_with_it() -> None:
    extra = f"<h2>Cookies</h2><p>{NOTICE}</p><h2>Results</h2>"

    pages = crawled([page(number, before=extra) for number in range(9)])

    assert "Results" in pages[-1].text
    assert "Cookies" not in pages[-1].text


@pytest.mark.parametrize("end", ["", "<h2>Contact</h2>"])
def test_pages_of_mere_line_breaks_have_a_frame_too(end: str) -> None:
    lines = [(first, NOTICE, *rest) for first, *rest in map(paragraphs, range(6))]

    pages = crawled(f"<title>Report</title>{'<br>'.join(some)}{end}" for some in lines)

    assert NOTICE not in pages[-1].text
    assert all(text in pages[-1].text for text in paragraphs(5))


def test_what_is_kept_of_a_site_is_bounded() -> None:
    frame = SiteFrame()
    for number in range(1000):
        frame.learn(f"{URL}/{number}", range(16 * number, 16 * number + 16))
        assert len(frame.counts) <= MAX_LINES
        assert len(frame.known) <= MAX_KNOWN
        assert frame.n_pages <= WINDOW
    assert len(frame.dump()) <= 1200


def test_a_frame_among_a_thousand_lines_is_not_forgotten() -> None:
    frame = SiteFrame()
    for number in range(100):
        own = range(100 * number, 100 * number + 15)
        frame.learn(f"{URL}/{number}", [*own, 99])

    assert frame.lines() == {99}


def test_what_was_learnt_is_the_same_after_it_was_packed() -> None:
    frame = SiteFrame()
    crawled([page(number, NOTICE) for number in range(5)], frame)

    assert SiteFrame.load(frame.dump()) == frame
    assert SiteFrame.load(b"") == SiteFrame()


def test_what_is_learnt_depends_on_the_pages_alone() -> None:
    sites = [page(number, NOTICE) for number in range(9)]

    assert crawled(sites) == crawled(sites)


@pytest.mark.parametrize("markup", ["<p>few words</p>", "<main></main><a href=/x>x</a>", "x"])
def test_a_page_without_an_article_has_no_lines_to_compare(markup: str) -> None:
    assert parsed(markup).frame_lines == []
