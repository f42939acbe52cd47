"""An old text under a new URL and date is not news; a report that is printed again is."""

from datetime import datetime, timedelta

import pytest

from crawler.models import Crawl, Page
from crawler.store.stories import group_stories
from tests.crawler.store.test_baseline import look, news
from tests.crawler.store.test_stories import OTHER, REPORT, page
from tests.crawler.web import NOON, PAGES, PROFILE, SEED, SETTINGS

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
OLD, NEW = "http://a.test/2019/roof", "http://a.test/roof"
TITLE = "School wires its roof with solar cells"


@pytest.fixture
def topic() -> Crawl:
    topic = Crawl(key="solar", first_seen=NOON)
    topic.describe(PROFILE, SETTINGS)
    topic.save()
    return topic


def report(published: datetime | None, *, site: str = "Alpha", foot: str = "") -> str:
    """The report with a date in its text, as a site dates it anew."""
    when = (
        f"<time datetime='{published.isoformat()}'>{published:%d %B %Y}</time>" if published else ""
    )
    return page(TITLE, f"{when} {REPORT} {foot}", site)


def linked(*urls: str) -> str:
    return PAGES[SEED] + "".join(f'<a href="{url}">solar cells, {url}</a>' for url in urls)


@pytest.mark.parametrize("old_address", ["answers", "is gone"])
@pytest.mark.parametrize("published", [NOON - 400 * DAY, NOON - DAY, None])
def test_a_page_that_moved_and_dates_itself_anew_is_no_news(
    topic: Crawl, published: datetime | None, old_address: str
) -> None:
    web = {**PAGES, SEED: linked(OLD), OLD: report(published)}
    look(topic, web, NOON)
    later = NOON + 5 * DAY
    web |= {SEED: linked(OLD, NEW), NEW: report(later - DAY, foot="Read on: more of our reports.")}
    if old_address == "is gone":
        del web[OLD]
    look(topic, web, later, [SEED, OLD])

    moved = topic.harvests.get(url__url=NEW)
    assert (moved.kept, moved.baseline) == (True, False)
    assert topic.harvests.get(url__url=OLD).story_id == moved.story_id
    assert news(topic, later) == set()
    assert moved in topic.harvests.known(later - 30 * DAY, later)


def test_a_page_that_came_as_old_and_moved_is_no_news_either(topic: Crawl) -> None:
    """Found by a later run, it says how old it is: then it moves, and says no more."""
    look(topic, PAGES, NOON)
    web = {**PAGES, SEED: linked(OLD), OLD: report(NOON - 400 * DAY)}
    look(topic, web, NOON + DAY)
    web |= {SEED: linked(OLD, NEW), NEW: report(NOON + 2 * DAY)}
    look(topic, web, NOON + 3 * DAY)

    assert not topic.harvests.get(url__url=OLD).baseline
    assert topic.harvests.get(url__url=NEW).kept
    assert news(topic, NOON + 3 * DAY) == set()


def test_a_fresh_report_that_moves_or_is_copied_a_day_later_is_news_once(topic: Crawl) -> None:
    look(topic, PAGES, NOON)
    copy = "http://b.test/roof"
    web = {**PAGES, SEED: linked(OLD), OLD: report(NOON + DAY)}
    look(topic, web, NOON + DAY)
    web |= {
        SEED: linked(OLD, NEW, copy),
        NEW: report(NOON + 2 * DAY),
        copy: report(NOON + 2 * DAY, site="Beta News"),
    }
    look(topic, web, NOON + 2 * DAY)
    now = NOON + 2 * DAY + timedelta(minutes=10)
    shown = topic.harvests.news(now - 30 * DAY, now)

    assert news(topic, NOON + 2 * DAY) == {OLD, NEW, copy}
    assert shown.one_per_story().count() == 1
    # Under a shorter window the report is old, and what moved is so with it.
    lately = topic.harvests.news(now - DAY, now).values_list("url__url", flat=True)
    assert set(lately) == {copy}


def test_another_site_cannot_silence_a_report_by_an_old_date(topic: Crawl) -> None:
    look(topic, PAGES, NOON)
    thief = "http://thief.test/roof"
    web = {**PAGES, SEED: linked(NEW), NEW: report(NOON + DAY)}
    web |= {SEED: linked(thief, NEW), thief: report(NOON - 900 * DAY, site="Thief")}
    look(topic, web, NOON + DAY)

    stories = topic.harvests.filter(url__url__in=[NEW, thief]).values_list("story_id", flat=True)
    assert len(set(stories)) == 1
    assert news(topic, NOON + DAY) == {NEW}


def test_another_report_of_the_same_site_is_news(topic: Crawl) -> None:
    look(topic, {**PAGES, SEED: linked(OLD), OLD: report(None)}, NOON)
    web = {**PAGES, SEED: linked(OLD, NEW), OLD: report(None)}
    look(topic, web | {NEW: page(TITLE, OTHER, "Alpha")}, NOON + DAY)

    assert topic.harvests.get(url__url=NEW).kept
    assert news(topic, NOON + DAY) == {NEW}


def related(*titles: str) -> str:
    """Links below a report."""
    rows = "".join(f'<li><a href="/r/{n}">{title}</a>' for n, title in enumerate(titles))
    return f"<h2>Read on</h2><ul>{rows}</ul>"


BEFORE = related(
    "Wind farm on the ridge stops its blades for a fortnight of migrating cranes",
    "The last diesel ferry of the harbour left the quay with a brass band",
    "Four hundred lunches a day are cooked on batteries of old laptops",
    "Volunteers with radar screens on their knees count every flock",
)
AFTER = related(
    "City maps every roof from the air and finds room for many thousand panels",
    "A working cell was printed on a page of the newspaper of yesterday",
    "Ticket prices of the battery boats across the bay stay as they were",
    "Engineers from the county came to read the meters of the cooperative",
)


def test_other_links_below_do_not_make_an_old_page_new(topic: Crawl) -> None:
    web = {**PAGES, SEED: linked(OLD), OLD: report(NOON - 400 * DAY) + BEFORE}
    look(topic, web, NOON)
    later = NOON + 5 * DAY
    web |= {SEED: linked(OLD, NEW), NEW: report(later - DAY) + AFTER}
    look(topic, web, later)

    assert topic.harvests.get(url__url=NEW).kept
    assert news(topic, later) == set()


def test_an_old_page_is_known_where_its_story_began_elsewhere(topic: Crawl) -> None:
    """The story is that of another site's page, which the moved one no longer resembles."""
    first = "http://b.test/roof"
    web = {**PAGES, SEED: linked(first)}
    web[first] = page("School covers its roof with solar panels", REPORT, "Beta")
    look(topic, web, NOON)
    web |= {SEED: linked(first, OLD), OLD: report(NOON - 400 * DAY)}
    look(topic, web, NOON + DAY)
    later = NOON + 5 * DAY
    web |= {SEED: linked(first, OLD, NEW), NEW: report(later - DAY) + 2 * AFTER}
    look(topic, web, later)

    rows = topic.harvests.filter(url__url__in=[first, OLD, NEW]).values_list("story_id", flat=True)
    assert len(rows) == 3 and len(set(rows)) == 1
    assert news(topic, later) == set()


def test_a_page_stored_by_an_earlier_version_is_known_by_all_of_its_text(topic: Crawl) -> None:
    web = {**PAGES, SEED: linked(OLD), OLD: report(NOON - 400 * DAY)}
    look(topic, web, NOON)
    Page.objects.update(own_fingerprint=None)
    web |= {SEED: linked(OLD, NEW), NEW: report(NOON + DAY)}
    look(topic, web, NOON + 2 * DAY)

    assert news(topic, NOON + 2 * DAY) == set()


QUOTES = """Solar cells stood at {} cents per watt at the close of trading, {} percent above the day
before. Turnover came to {} contracts, of which {} were for delivery abroad. Solar panels cost {}
euros. Analysts of the solar exchange expect {} cents for the coming week."""


def test_the_next_report_under_the_same_title_is_news(topic: Crawl) -> None:
    title = "Prices of solar cells and solar panels"
    first = page(title, QUOTES.format(11.4, 3, 4120, 1770, 28, 12), "Alpha")
    second = page(title, QUOTES.format(12.9, 8, 3985, 2041, 31, 14), "Alpha")
    look(topic, {**PAGES, SEED: linked(OLD), OLD: first}, NOON)
    look(topic, {**PAGES, SEED: linked(OLD, NEW), OLD: first, NEW: second}, NOON + DAY)

    assert topic.harvests.get(url__url=NEW).kept
    assert news(topic, NOON + DAY) == {NEW}


@pytest.mark.parametrize("title", [TITLE, "Another title of solar cells"])
def test_a_story_reported_long_ago_is_found_by_its_site_and_title(topic: Crawl, title: str) -> None:
    web = {**PAGES, SEED: linked(OLD), OLD: report(None)}
    look(topic, web, NOON)
    look(topic, web | {SEED: linked(OLD, NEW), NEW: report(NOON + DAY)}, NOON + DAY)
    rows = {row.url.url: row for row in topic.harvests.select_related("url")}
    Page.objects.filter(pk=rows[NEW].url_id).update(title=title)
    topic.harvests.filter(pk=rows[NEW].pk).update(story=None)
    group_stories(topic, n_compared=1)

    found = topic.harvests.get(pk=rows[NEW].pk).story_id
    assert (found == rows[OLD].story_id) is (title == TITLE)
