"""What a feed says of its entries' dates: which come first, and when undated ones were written."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest

from crawler.models import Crawl, FrontierEntry, Harvest, Page, Run, Site, Url
from crawler.page.parsed import ParsedPage
from crawler.store import dates
from focusweb.hookspecs import hookimpl
from focusweb.plugins import load
from tests.crawler.store.test_baseline import item, look, news
from tests.crawler.web import NOON, PAGES, PROFILE, SEED, SETTINGS

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
FEED = "http://news.test/feed"
LATER = NOON + DAY


@pytest.fixture
def topic(db: None) -> Crawl:
    topic = Crawl(key="solar", first_seen=NOON)
    topic.describe(PROFILE, SETTINGS)
    topic.save()
    return topic


def url(name: str) -> str:
    return f"http://news.test/{name}"


def dated_feed(dates: dict[str, datetime]) -> str:
    rows = "".join(
        f"<item><title>Solar {name}</title><link>{url(name)}</link>"
        f"<pubDate>{format_datetime(when)}</pubDate></item>"
        for name, when in dates.items()
    )
    return f"<rss><channel><title>Solar</title>{rows}</channel></rss>"


def look_at(
    topic: Crawl, now: datetime, dates: dict[str, datetime], says: dict[str, datetime] | None = None
) -> None:
    """A run that visits a feed with these dates, of pages without other dates."""
    pages = {url(name): item(name, (says or {}).get(name)) for name in dates}
    look(topic, {**PAGES, **pages, FEED: dated_feed(dates)}, now, [SEED, FEED])


def published(name: str) -> datetime | None:
    return Page.objects.get(url__url=url(name)).published


def test_an_undated_page_is_of_the_date_its_feed_gives_and_news_by_it(topic: Crawl) -> None:
    look(topic, PAGES, NOON)
    look_at(topic, LATER, {"new": LATER - HOUR, "old": NOON - 40 * DAY})

    assert published("new") == LATER - HOUR
    assert published("old") == NOON - 40 * DAY
    assert news(topic, LATER) == {url("new")}


def test_what_a_page_says_of_itself_goes_before_its_feed(topic: Crawl) -> None:
    look(topic, PAGES, NOON)
    dates = {"own": LATER - HOUR, "other": LATER - 2 * HOUR}
    look_at(topic, LATER, dates, {"own": NOON - 9 * DAY})

    assert published("own") == NOON - 9 * DAY
    assert news(topic, LATER) == {url("other")}


@pytest.mark.parametrize(
    "dates",
    [
        {"a": LATER, "b": LATER, "c": LATER},
        {"a": LATER + 9 * DAY, "b": LATER - HOUR},
        {"a": LATER - HOUR},
    ],
    ids=["of the look", "ahead", "alone"],
)
def test_dates_that_cannot_be_believed_make_nothing_new(
    topic: Crawl, dates: dict[str, datetime]
) -> None:
    look(topic, PAGES, NOON)
    look_at(topic, LATER, dates)

    assert {published(name) for name in dates} == {None}
    assert news(topic, LATER) == set()


def test_what_a_feed_lists_anew_with_an_old_date_is_no_news(topic: Crawl) -> None:
    look_at(topic, NOON, {"a": NOON - DAY, "b": NOON - 50 * DAY})
    look_at(topic, LATER, {"c": LATER - HOUR, "b2": NOON - 50 * DAY, "d": NOON - 90 * DAY})

    assert news(topic, LATER) == {url("c")}


def test_a_date_that_was_given_once_is_not_taken_back(topic: Crawl) -> None:
    look_at(topic, NOON, {"a": NOON - DAY, "b": NOON - 50 * DAY})
    look_at(topic, LATER, {"a": LATER, "b": LATER - HOUR})

    entries = FrontierEntry.objects.filter(listed__isnull=False)
    assert dict(entries.values_list("url__url", "listed")) == {
        url("a"): NOON - DAY,
        url("b"): NOON - 50 * DAY,
    }
    assert published("b") == NOON - 50 * DAY
    assert Harvest.objects.get(url__url=url("b")).published == NOON - 50 * DAY
    assert news(topic, LATER) == set()


def test_a_list_of_another_site_does_not_say_when_a_page_was_published(topic: Crawl) -> None:
    look(topic, PAGES, NOON)
    lister = "http://picks.test/feed"
    dates = {"a": LATER - HOUR, "b": LATER - 2 * HOUR}
    web = {**PAGES, lister: dated_feed(dates), **{url(name): item(name) for name in dates}}
    look(topic, web, LATER, [SEED, lister])

    assert FrontierEntry.objects.get(url__url=url("a")).listed == LATER - HOUR
    assert published("a") is None
    assert news(topic, LATER) == set()


def test_of_two_dates_the_earlier_stands(topic: Crawl) -> None:
    look_at(topic, NOON, {"a": NOON - DAY, "b": NOON - 50 * DAY})
    look_at(topic, LATER, {"a": NOON - 3 * DAY, "b": LATER})

    assert published("a") == NOON - DAY
    assert FrontierEntry.objects.get(url__url=url("a")).listed == NOON - 3 * DAY
    assert published("b") == NOON - 50 * DAY


def is_fresh(
    found: datetime, first_look: datetime | None, dated: datetime | None, since: datetime
) -> bool:
    """The rule of `FrontierQuerySet.fresh` once more, in plain Python."""
    if dated is not None and dated >= since:
        return True
    if first_look is None or found <= first_look:
        return False
    return dated is None or dated >= first_look


def test_the_query_of_what_is_new_follows_its_rule(topic: Crawl) -> None:
    site = Site.objects.create(name="hub.test", domain="hub.test", first_seen=NOON)
    hub, end = (
        Url.objects.create(url=f"http://hub.test/{name}", site=site, first_seen=NOON)
        for name in ("hub", "end")
    )
    run = Run.objects.create(crawl=topic, started=NOON, n_pages=9)
    moments = [NOON - DAY, NOON, NOON + DAY]
    since = NOON + HOUR
    for found, first_look, dated in product(moments, [None, *moments], [None, *moments]):
        parent = None
        if first_look is not None:
            parent = hub
            columns = {"first_fetched": first_look, "fetched": NOON, "changed": NOON}
            Page.objects.update_or_create(url=hub, defaults=columns)
        values = {"found": found, "parent": parent, "listed": dated, "may_be_fresh": True}
        FrontierEntry.objects.update_or_create(crawl=topic, url=end, run=run, defaults=values)
        fresh = FrontierEntry.objects.filter(url=end).fresh(since).exists()
        assert fresh is is_fresh(found, first_look, dated, since), values


IN_URL = datetime(2026, 4, 2, tzinfo=UTC)
MONDAY = datetime(2026, 4, 27, tzinfo=UTC)


class Reader:
    """A date reader of a plugin, with one answer."""

    name = "reader"

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def published(self, page: ParsedPage, now: datetime) -> object:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.mark.parametrize(
    ("answer", "when", "error"),
    [
        (MONDAY, MONDAY, ""),
        (None, IN_URL, ""),
        (ValueError("no"), IN_URL, "ValueError: no"),
        ("2026-04-27", IN_URL, "TypeError: '2026-04-27' is not an aware datetime"),
        (datetime(2026, 4, 27), IN_URL, "TypeError: datetime.datetime(2026, 4, 27, 0, 0) is not"),  # noqa: DTZ001
        (NOON + DAY, IN_URL, "ValueError: 2026-05-02"),
        (datetime(1900, 1, 1, tzinfo=UTC), IN_URL, "ValueError: 1900-01-01"),
    ],
)
def test_a_date_reader_of_a_plugin_comes_before_ours(
    tmp_path: Path, answer: object, when: datetime, error: str
) -> None:
    loaded = load((), tmp_path)
    loaded.add(SimpleNamespace(date_readers=hookimpl(lambda: [Reader(answer)])), "dated")
    page = ParsedPage("http://a.test/2026/04/02/cells")

    assert dates.published(page, NOON, dates.date_readers(loaded)) == when
    assert [failure.error[: len(error)] for failure in loaded.failures] == [error] * bool(error)


def test_without_date_readers_no_page_has_a_date(tmp_path: Path) -> None:
    loaded = load((), tmp_path)
    loaded.manager.unregister(name="crawler.page.builtin")

    page = ParsedPage("http://a.test/2026/04/02/")

    assert dates.published(page, NOON, dates.date_readers(loaded)) is None
