# ruff: noqa: E501, one page a line
from datetime import UTC, datetime, timedelta

import pytest

from crawler.page.dates.publishing_date import date_in_url, find_published
from crawler.page.parse import parse_page
from crawler.page.parsed import DateHint, ParsedPage
from tests.crawler.page import (
    dates_in_heads,
    dates_in_texts,
    dates_in_times,
    dates_in_urls,
    more_dated_pages,
)
from tests.crawler.page.dated_pages import NOW, DatedPage

PAGES = [
    *dates_in_heads.PAGES,
    *dates_in_times.PAGES,
    *dates_in_urls.PAGES,
    *dates_in_texts.PAGES,
]


def found_date(page: DatedPage) -> datetime | None:
    parsed = parse_page(page.markup.encode(), page.url, "text/html; charset=utf-8")
    return find_published(parsed, NOW)


def test_dates_of_labelled_pages_are_right_in_both_languages() -> None:
    wrong = [page.name for page in PAGES if found_date(page) != page.moment]

    assert len(PAGES) >= 60
    assert len(wrong) <= 0.05 * len(PAGES), wrong


def test_no_labelled_page_is_dated_later_than_it_is() -> None:
    """An old page that passes for new is the worse mistake."""
    later = [
        page.name
        for page in PAGES
        if (found := found_date(page)) and found > (page.moment or datetime.min.replace(tzinfo=UTC))
    ]

    assert later == []


# a line below the title of a page in traditional characters, and the day it is from
@pytest.mark.parametrize(
    ("byline", "expected"),
    [
        ("發佈時間：2026年11月21日", datetime(2026, 11, 21, tzinfo=UTC)),
        ("記者 王小明 3小時前", NOW - timedelta(hours=3)),
        ("剛剛", NOW),
        ("民國115年11月20日", datetime(2026, 11, 20, tzinfo=UTC)),
        ("最後修訂：2026年11月20日", None),
        ("報名截止：2026年11月20日", None),
        ("活動時間 2026年11月20日", None),
    ],
)
def test_pages_in_traditional_characters_say_when_too(
    byline: str, expected: datetime | None
) -> None:
    markup = (
        f"<title>屋頂上的電</title><h1>屋頂上的電</h1><p>{byline}</p><p>{'電在屋頂上。' * 30}</p>"
    )

    assert find_published(parse_page(markup.encode(), "http://a.test/x"), NOW) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.test/2026/11/21/x", datetime(2026, 11, 21, tzinfo=UTC)),
        ("http://a.test/x_2026-11-21.html", datetime(2026, 11, 21, tzinfo=UTC)),
        ("http://a.test/202611/t20261121_9.html", datetime(2026, 11, 21, tzinfo=UTC)),
        ("http://a.test/2026/11/22/x", datetime(2026, 11, 22, tzinfo=UTC)),
        # It is tomorrow already where the page was written.
        ("http://a.test/2026/11/23/x", NOW),
        ("http://a.test/2026/11/24/x", None),
        ("http://a.test/2026/11/", None),
        ("http://a.test/x?day=2026-11-21", None),
        ("http://2026-11-21.test/", None),
        ("http://a.test/1987/11/21/x", None),
        ("http://a.test/", None),
    ],
)
def test_date_in_url_reads_the_path_alone(url: str, expected: datetime | None) -> None:
    assert date_in_url(url, NOW) == expected


def test_dates_of_pages_written_before_the_code_was_asked_are_right() -> None:
    wrong = []
    for page in more_dated_pages.PAGES:
        parsed = parse_page(page.markup.encode(), page.url, "text/html; charset=utf-8")
        if find_published(parsed, more_dated_pages.NOW) != page.moment:
            wrong.append(page.name)

    assert len(more_dated_pages.PAGES) >= 60
    assert len(wrong) <= 0.05 * len(more_dated_pages.PAGES), wrong


def test_find_published_prefers_what_is_surer_and_skips_what_is_unreadable() -> None:
    hints = [DateHint("meta", "soon"), DateHint("time", "2027-01-01"), DateHint("text", "昨天")]
    bare = ParsedPage("http://a.test/x", date_hints=hints)
    dated = ParsedPage("http://a.test/2026/11/01/x", date_hints=hints)

    assert find_published(bare, NOW) == datetime(2026, 11, 21, tzinfo=UTC)
    assert find_published(dated, NOW) == datetime(2026, 11, 1, tzinfo=UTC)


def test_hints_are_few_and_short_whatever_the_page_holds() -> None:
    markup = "<h1>t</h1>" + f'<time datetime="{"9" * 5000}">x</time>' * 5000
    markup += '<meta name="date" content="2026">' * 5000
    markup += '<script type="application/ld+json">[' + '{"@graph":[' * 5000 + "</script>"
    page = parse_page(markup.encode(), "http://a.test/", "text/html; charset=utf-8")

    assert len(page.date_hints) <= 8
    assert all(len(hint.text) <= 200 for hint in page.date_hints)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("2019-06-17T18:28:00+02:00", "2017-07-12 00:00"),  # when it was changed
        ("2017-07-12T18:28:00+02:00", "2017-07-12 16:28"),
        ("2017-07-11T23:30:00-07:00", "2017-07-12 06:30"),  # the same day elsewhere
    ],
)
def test_a_day_in_the_url_beats_another_day_in_the_head(said: str, expected: str) -> None:
    page = ParsedPage("http://a.test/2017/7/12/montauk", date_hints=[DateHint("jsonld", said)])

    published = find_published(page, NOW)

    assert published is not None
    assert f"{published.astimezone(UTC):%Y-%m-%d %H:%M}" == expected


@pytest.mark.parametrize(
    ("said", "shown", "day"),
    [
        ("2017-07-11T23:30:00-07:00", "", "2017-07-11"),
        ("2017-07-12T06:30:00Z", "11 July 2017, 11:30 pm", "2017-07-11"),
        ("2017-07-12T06:30:00Z", "13 July 2017, 9:12 am", "2017-07-12"),  # another moment
        ("2017-07-12T06:30:00Z", "11 July 2017", "2017-07-11"),  # seven hours behind UTC, say
        ("2017-07-12T06:30:00Z", "13 July 2017", "2017-07-12"),  # no zone is so far ahead
        ("2017-07-12T16:30:00Z", "13 July 2017", "2017-07-13"),
        ("2017-07-12T06:30:00+02:00", "11 July 2017", "2017-07-12"),  # its zone is known
        ("2017-07-12 06:30:00", "11 July 2017", "2017-07-12"),
    ],
)
def test_the_day_of_a_page_is_the_one_it_shows(said: str, shown: str, day: str) -> None:
    hints = [DateHint("jsonld", said), DateHint("text", shown)]
    published = find_published(ParsedPage("http://a.test/x", date_hints=hints), NOW)

    assert published is not None
    assert f"{published:%Y-%m-%d}" == day
    if said.startswith("2017-07-12T06:30:00Z"):
        assert published == datetime(2017, 7, 12, 6, 30, tzinfo=UTC)


# what places say, and the day for which most of them speak
@pytest.mark.parametrize(
    ("hints", "url", "day"),
    [
        ("", "", None),
        ("jsonld 2021-05-01; text 2 May 2021", "", "2021-05-01"),
        ("jsonld 2021-05-01; meta 2021-05-06; text 6 May 2021", "", "2021-05-06"),
        ("meta 2021-05-09; time 2021-05-02; text 2 May 2021", "", "2021-05-02"),
        # what is shown is when it was changed
        ("meta 2021-05-02; time 2021-05-09; text 9 May 2021; changed 2021-05-09", "", "2021-05-02"),
        (
            "meta 2021-05-02; text 9 May 2021; other 2021-05-09; vague 2021-05-09;"
            "changed 2021-05-09",
            "",
            "2021-05-02",
        ),
        # the head says that day too
        (
            "jsonld 2021-05-02; meta 2021-05-09; text 9 May 2021; changed 2021-05-09",
            "",
            "2021-05-09",
        ),
        # nothing else is said
        ("text 9 May 2021; changed 2021-05-09", "", "2021-05-09"),
        ("changed 2021-05-09", "", None),
        ("time 2021-05-03; dateline 2 May 2021", "", "2021-05-03"),
        ("lone 2021-05-03; dateline 2 May 2021", "", "2021-05-02"),
        ("vague 2021-05-03; text 2 May 2021", "", "2021-05-02"),
        # a day in the URL, in the zone of the site
        ("jsonld 2021-05-02T02:25:54Z; meta 2021-05-02T02:25:54Z", "2021/05/01/", "2021-05-01"),
        ("jsonld 2021-05-02; time 2021-05-02; text 2 May 2021", "2021/05/01/", "2021-05-02"),
        ("jsonld 2021-05-09; meta 2021-05-09; text 9 May 2021", "2021/05/01/", "2021-05-01"),
        # a place says the same day twice, and counts once
        ("text 3 May 2021; text 3 May 2021; text 3 May 2021; meta 2021-05-02", "", "2021-05-02"),
    ],
)
def test_the_day_is_the_one_for_which_most_places_speak(
    hints: str, url: str, day: str | None
) -> None:
    pairs = [hint.strip().split(" ", 1) for hint in hints.split(";") if hint]
    page = ParsedPage(
        f"http://a.test/{url}x", date_hints=[DateHint(place, text) for place, text in pairs]
    )
    published = find_published(page, NOW)

    assert (f"{published:%Y-%m-%d}" if published else None) == day


# a form for a day stores the midnight at which it begins, in UTC
@pytest.mark.parametrize(
    ("said", "language", "day"),
    [
        ("2021-05-01T22:00:00.000Z", "de", "2021-05-02"),
        ("2021-11-01T23:00Z", "fr", "2021-11-02"),
        ("2021-05-01T22:00:00+02:00", "de", "2021-05-01"),
        ("2021-05-01T22:00:00Z", "en", "2021-05-01"),
        ("2021-05-01T22:10:00Z", "de", "2021-05-01"),
        ("2021-05-01T21:00:00Z", "de", "2021-05-01"),
        ("2021-05-01T16:00:00Z", "zh", "2021-05-02"),
        ("2021-05-01T15:00:00Z", "ja", "2021-05-02"),
    ],
)
def test_a_midnight_written_in_utc_begins_the_day_of_the_page(
    said: str, language: str, day: str
) -> None:
    page = ParsedPage("http://a.test/x", date_hints=[DateHint("meta", said)], language=language)
    published = find_published(page, NOW)

    assert published is not None
    assert f"{published:%Y-%m-%d}" == day


_PROSE = "<p>" + "The sun shines on the roof, and the lamp shines in the house. " * 20 + "</p>"


@pytest.mark.parametrize(
    ("markup", "day"),
    [
        # JSON-LD in a script that does not say its type
        (
            '<script>{"@context": "x", "@type": "NewsArticle", "datePublished": "2022-01-28"}</script>'
            f"<h1>Roof power</h1>{_PROSE}",
            "2022-01-28",
        ),
        (f"<script>var a = {{'datePublished': '2022-01-28'}}</script><h1>R</h1>{_PROSE}", None),
        # a name with several meanings gives way to what the page shows
        (
            f'<meta name="date" content="2021-12-20"><h1>Roof power</h1><p>27.01.2022</p>{_PROSE}',
            "2022-01-27",
        ),
        (f'<meta name="DC.date" content="2021-12-20"><h1>Roof power</h1>{_PROSE}', "2021-12-20"),
        (
            f'<meta name="dc:date:issued" content="2021-12-20"><p>27.01.2022</p>{_PROSE}',
            "2021-12-20",
        ),
        # a date is a link's text
        (
            '<h1>Roof power</h1><p>Posted on <a href="/2022">27 January 2022, in the evening</a></p>'
            + _PROSE,
            "2022-01-27",
        ),
        # the menu names a word of the title
        (
            '<ul><li><a href="/p">power</a><li>3 May 2011<li>4 May 2011<li>5 May 2011</ul>'
            + "<p>Menu</p>" * 20
            + f"<h1>How we got roof power at last</h1><p>27.01.2022</p>{_PROSE}",
            "2022-01-27",
        ),
        # headings of an archive are not dates
        (
            "<h1>Roof power</h1><ul><li>Cup 2020<li>Cup 2021<li>Cup 2022</ul><p>27.01.2022</p>"
            + _PROSE,
            "2022-01-27",
        ),
        # at the end of the article, in other languages
        (f"<h1>Roof power</h1>{_PROSE}<p>veröffentlicht 27.01.2022 06:00</p>", "2022-01-27"),
        (f"<h1>Roof power</h1>{_PROSE}<p>Publié le 27 janvier 2022</p>", "2022-01-27"),
        (f"<h1>Roof power</h1>{_PROSE}<p>Zuletzt aktualisiert am 27.01.2022</p>", None),
        (f"<h1>Roof power</h1><p>Registriert: 18.09.2008</p>{_PROSE}", None),
        # what is cited is older than the page
        (f"<h1>Roof power</h1><p>In: Science, Vol. 371, 15 January 2021</p>{_PROSE}", None),
        # elements that name what they hold
        (
            f"<h1>Roof power</h1>{'<p>Note</p>' * 12}<p class=newsDate>27.01.2022</p>{_PROSE * 5}",
            "2022-01-27",
        ),
        (
            f"<h1>Roof power</h1>{'<p>Note</p>' * 12}<p class=eventDate>27.01.2022</p>{_PROSE * 5}",
            None,
        ),
        (
            f"<h1>Roof power</h1>{'<p>Note</p>' * 12}<p class=last-update>27.01.2022</p>{_PROSE * 5}",
            None,
        ),
        (
            f'<h1>Roof power</h1><abbr class="date" title="2022-01-27T10:00Z">long ago</abbr>{_PROSE}',
            "2022-01-27",
        ),
        (
            f'<h1>Roof power</h1><span property="dc:date dc:created" content="2022-01-27">x</span>'
            f"{_PROSE}",
            "2022-01-27",
        ),
        # white space of templates
        (f"<h1>Roof power</h1><p>27.01.2022{' ' * 300}News</p>{_PROSE}", "2022-01-27"),
        # a year of two digits
        (f"<h1>Roof power</h1><p>Ann Lee | 27.01.22</p>{_PROSE}", "2022-01-27"),
        (f"<h1>Roof power</h1><p>by Ann on 27/01/22, 03:48 pm</p>{_PROSE}", "2022-01-27"),
        (f"<h1>Roof power</h1><p>by Ann on 07/01/22, 03:48 pm</p>{_PROSE}", None),
        (f"<h1>Roof power</h1><p>Version 10.01.22.4</p>{_PROSE}", None),
        # the article begins with its day
        (
            f"<h1>Roof power</h1><p><b>27.01.2022</b> – The village {'is bright. ' * 60}</p>",
            "2022-01-27",
        ),
        (
            f"<h1>Roof power</h1><p>(27. January 2022) The village {'is bright. ' * 60}</p>",
            "2022-01-27",
        ),
        (
            f"<h1>Roof power</h1><p>Berlin, 27 January 2022 – The village {'is bright. ' * 60}</p>",
            "2022-01-27",
        ),
        (
            f"<h1>Roof power</h1><p>On 27 January 2022 – a day of wind – {'it was bright. ' * 60}</p>",
            None,
        ),
        (
            f"<h1>Roof power</h1><p>27 January 2022 was a day on which {'it was bright. ' * 60}</p>",
            None,
        ),
        (
            "<h1>Roof power</h1>"
            + "".join(
                f"<p>{day} January 2022: The village {'was bright, and ' * 20}.</p>"
                for day in range(11, 15)
            ),
            None,
        ),
        # the title stands in the menu too
        (
            "<ul><li><a href=/p>How we got roof power at last</a></ul>"
            + "<p>Menu</p>" * 20
            + f"<main><h1>How we got roof power at last</h1><p>27.01.2022</p>{_PROSE * 12}"
            + "".join(f"<p>Figures as of {day}.02.2022</p>" for day in range(11, 15)),
            "2022-01-27",
        ),
        # from one day to another
        (f"<h1>Roof power</h1><p>Fair, 27.01.2022 – 29.01.2022</p>{_PROSE}", None),
        (f"<h1>Roof power</h1><p>Fair, 27.01.2022 bis 29.01.2022</p>{_PROSE}", None),
        # two programs give one day, with two clock times
        (
            '<script type="application/ld+json">[{"@type":"Article",'
            '"datePublished":"2022-01-27T14:45:01+00:00"},{"@type":"BlogPosting",'
            '"datePublished":"2022-01-27T15:45:01+00:00"}]</script>' + _PROSE,
            "2022-01-27",
        ),
        (
            '<script type="application/ld+json">{"@type":"Article","datePublished":"2022-01-27",'
            '"dateModified":"2022-02-03"}</script><h1>Roof power</h1><time>3 February 2022</time>'
            f"<p>3 February 2022</p>{_PROSE}",
            "2022-01-27",
        ),
        (
            '<meta property="article:published_time" content="2022-01-27">'
            '<meta property="article:modified_time" content="2022-02-03"><h1>Roof power</h1>'
            f"<time>3 February 2022</time><p>3 February 2022</p>{_PROSE}",
            "2022-01-27",
        ),
        # words of a menu
        (
            f"<h1>Roof power</h1><p>Today's Word</p><p>Yesterday's Word</p><p>Apr 7, 2009</p>{_PROSE}",
            "2009-04-07",
        ),
    ],
)
def test_dates_are_found_where_pages_put_them(markup: str, day: str | None) -> None:
    page = parse_page(
        f"<title>How we got roof power at last</title>{markup}".encode(), "http://a.test/x"
    )
    published = find_published(page, NOW)

    assert (f"{published:%Y-%m-%d}" if published else None) == day
