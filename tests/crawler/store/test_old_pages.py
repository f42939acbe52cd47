"""Old pages that turn up late: whatever form their date has, none of them is ever news."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from crawler.models import Crawl
from tests.crawler.store.test_baseline import look, news
from tests.crawler.web import NOON, PROFILE, SEED, SETTINGS

DAY = timedelta(days=1)
PROSE = (
    "<p>A solar cell turns sunlight into electricity: {0}. Solar panels hold many solar cells,"
    " and {0} is the word for it.</p>"
)
Form = Callable[[int, datetime], tuple[str, str]]


def letters(number: int) -> str:
    """A number as letters, since addresses that differ in numbers alone look like a trap."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def page(title: str, head: str = "", byline: str = "") -> str:
    words = " ".join(f"{title}{n}" for n in range(9))
    return f"<title>{title}</title>{head}<h1>{title}</h1>{byline}{PROSE.format(words)}"


def _meta(number: int, when: datetime) -> tuple[str, str]:
    head = f'<meta property="article:published_time" content="{when.isoformat()}">'
    return f"http://{letters(number)}-m.test/", page(f"Solar meta {number}m", head)


def _linked(number: int, when: datetime) -> tuple[str, str]:
    data = f'{{"@type":"NewsArticle","datePublished":"{when:%Y-%m-%d}"}}'
    head = f'<script type="application/ld+json">{data}</script>'
    return f"http://{letters(number)}-l.test/", page(f"Solar data {number}l", head)


def _time(number: int, when: datetime) -> tuple[str, str]:
    byline = f'<p><time datetime="{when:%Y-%m-%d}">{when:%d %B %Y}</time></p>'
    return f"http://{letters(number)}-t.test/", page(f"Solar time {number}t", byline=byline)


def _path(number: int, when: datetime) -> tuple[str, str]:
    return f"http://{letters(number)}-p.test/{when:%Y/%m/%d}/x.html", page(f"Solar path {number}p")


def _english(number: int, when: datetime) -> tuple[str, str]:
    byline = f"<p>Published {when:%d %B %Y} by Ann</p>"
    return f"http://{letters(number)}-e.test/", page(f"Solar words {number}e", byline=byline)


def _chinese(number: int, when: datetime) -> tuple[str, str]:
    byline = f"<p>发布时间：{when.year}年{when.month}月{when.day}日 来源：村网</p>"
    return f"http://{letters(number)}-c.test/", page(f"Solar 太阳能 {number}c", byline=byline)


FORMS: tuple[Form, ...] = (_meta, _linked, _time, _path, _english, _chinese)
N_OLD = 35


@pytest.mark.django_db
def test_none_of_210_back_dated_pages_is_news_and_none_that_dates_itself_anew() -> None:
    topic = Crawl(key="solar", first_seen=NOON)
    topic.describe(PROFILE, replace(SETTINGS, threshold=0.2))
    topic.save()
    front = "<title>Solar cells</title><p>A list of solar cells and solar panels.</p>{}"
    redated = dict(_meta(900 + number, NOON - 400 * DAY) for number in range(10))
    first = "".join(f'<a href="{url}">solar cells</a>' for url in redated)
    look(topic, {SEED: front.format(first), **redated}, NOON)

    later = NOON + 5 * DAY
    ages = [31 + 113 * number for number in range(N_OLD)]
    old = dict(form(age, later - age * DAY) for form in FORMS for age in ages)
    new = dict(form(1 + n, later - (1 + n) * DAY) for n, form in enumerate(FORMS))
    anew = dict(_meta(900 + number, later - DAY) for number in range(10))
    links = first + "".join(f'<a href="{url}">solar cells</a>' for url in [*old, *new])
    look(topic, {SEED: front.format(links), **old, **new, **anew}, later, [SEED, *anew], 400)

    kept = set(topic.harvests.kept().values_list("url__url", flat=True))
    assert len(old) == 210
    assert {*old, *new, *anew} <= kept
    assert news(topic, later) == {*new}
