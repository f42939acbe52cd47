"""What a page says itself stays the same when what stands around it does not."""

import pytest

from crawler.page.article.own_text import MAX_CHARS
from crawler.page.duplicates.copies import n_differing_bits
from crawler.page.duplicates.near_duplicates import MOVED_BITS
from crawler.page.parse import parse_page

REPORT = {
    "en": """The solar cells on the roof of the village school were wired in a single weekend by
two neighbours and a retired electrician. Since then the 84 panels have paid for themselves
twice, and the children read the meter every morning before the first lesson begins. Next year
the cells of the town hall are to follow, if the council finds 12,000 for the wires.""",
    "zh": """村小学屋顶上的太阳能电池由两位邻居和一位退休电工在一个周末里接好。此后，
八十四块组件的成本已经收回两次，孩子们每天第一节课前都要去看电表。如果镇里能拿出12000元买电线，明年镇公所的屋顶也会装上同样的电池。
老人们说，屋里的灯比年轻时的月亮还亮，冬天再也不用早早熄灯。""",
}
MENU = "<nav><a href='/a'>Home</a> | <a href='/b'>Solar news</a></nav>"


def own(markup: str) -> int:
    """The fingerprint of what a page says itself."""
    return parse_page(
        markup.encode(), "http://a.test/x", "text/html; charset=utf-8"
    ).own_fingerprint


def framed(text: str, *, before: str = "", after: str = "", menu: str = MENU) -> int:
    return own(f"{menu}<h1>Roof</h1>{before}<p>{text}</p>{after}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<time datetime='2019-03-01'>1 March 2019</time>", ""),
        ("<p>Published January 5, 2026</p>", ""),
        ("<p>2026年1月5日 08:30</p>", ""),
        ("<p>5.1.2026</p>", ""),
        ("<p>3 hours ago</p>", ""),
        ("<p>3小时前</p>", ""),
        ("<p>1,204 views</p>", "<p>Comments (12)</p>"),
        ("<p>阅读 1204</p>", "<p>共3条评论</p>"),
        ("", "<p>© 2026</p>"),
        ("", "<ul><li><a href='/1'>Wind farm stops its blades for migrating cranes</a></ul>"),
        ("", "<p><a href='/1'>Harbour swaps ferries</a> · <a href='/2'>Soup for all</a>.</p>"),
        ("", "<div><a href='/1'><h3>City maps roofs</h3><p>Room for many panels.</p></a></div>"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_dates_counters_and_links_do_not_move_it(before: str, after: str, language: str) -> None:
    said = REPORT[language]
    plain, dressed = framed(said), framed(said, before=before, after=after, menu="")

    assert plain
    # What is left of a byline is its label: "Published".
    assert n_differing_bits(plain, dressed) <= 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_date_within_the_first_line_does_not_move_it(language: str) -> None:
    one, other = (framed(f"{date} {REPORT[language]}") for date in ("2019-03-01", "2026年11月21日"))

    assert n_differing_bits(one, other) <= 2


SERIES = {
    "en": """Solar modules stood at {} cents per watt at the close of trading, {} percent above the
day before. Turnover came to {} contracts, of which {} were for delivery abroad. Wafers cost {}
cents. Analysts of the exchange expect {} cents for the coming week.""",
    "zh": """光伏组件现货价格收于每瓦{}分，较前一交易日上涨{}%。成交{}手，其中{}手用于出口。硅片
报价{}分，交易所分析师预计下周价格为{}分。库存继续下降，市场情绪平稳，下游电站的采购
意愿依旧不强，多数厂家表示将观望一段时间再作决定。""",
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_next_report_of_a_series_is_reported_by_its_numbers(language: str) -> None:
    one = framed(SERIES[language].format(11.4, 3, 4120, 1770, 28, 12))
    other = framed(SERIES[language].format(12.9, 8, 3985, 2041, 31, 14))

    assert n_differing_bits(one, other) > MOVED_BITS


@pytest.mark.parametrize(
    "markup",
    [
        "<h1>News</h1><p>Sign in to read on.</p>",
        MENU + "".join(f"<li><a href='/{n}'>Report {n} of the coast</a>" for n in range(90)),
        f"<p>{REPORT['en'][:100]}</p>"
        + "".join(f"<li><a href='/{n}'>Report {n} of the coast</a>" for n in range(90)),
    ],
)
def test_what_says_little_beside_its_links_has_none(markup: str) -> None:
    assert own(markup) == 0


def test_feeds_have_none() -> None:
    said = "".join(f"<item><title>{REPORT['en']} {n}</title></item>" for n in range(3))
    feed = f"<?xml version='1.0'?><rss><channel>{said}</channel></rss>"

    assert parse_page(feed.encode(), "http://a.test/feed").is_listing
    assert own(feed) == 0


def test_only_the_beginning_of_a_long_text_counts() -> None:
    words = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}" for n in range(MAX_CHARS))

    assert own(f"<p>{words}</p>") == own(f"<p>{words[:MAX_CHARS]}</p><p>{'9' * MAX_CHARS}</p>")
