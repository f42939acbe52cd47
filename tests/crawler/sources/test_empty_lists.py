"""A feed or sitemap that is empty today was visited successfully, and did not fail."""

from datetime import timedelta

import pytest

from crawler.checks import invariants
from crawler.models import Crawl, FrontierEntry, Run
from crawler.page.parse import parse_page
from crawler.reasons import Reason
from crawler.sources import registry
from tests.crawler.store.test_baseline import feed, item, look, news
from tests.crawler.web import NOON, PAGES, PROFILE, SEED, SETTINGS

DAY = timedelta(days=1)
FEED, REPORT = "http://news.test/feed", "http://news.test/1"
FOREIGN = "<urlset><url><loc>http://elsewhere.test/1</loc></url></urlset>"


@pytest.fixture
def topic(db: None) -> Crawl:
    topic = Crawl(key="solar", first_seen=NOON)
    topic.describe(PROFILE, SETTINGS)
    topic.save()
    return topic


def test_an_empty_feed_has_been_looked_at_and_fails_nobody(topic: Crawl) -> None:
    registry.note(topic, registry.FEEDS, [FEED], NOON - DAY)
    look(topic, {**PAGES, FEED: feed()}, NOON, [SEED, FEED])

    end = FrontierEntry.objects.get(url__url=FEED)
    assert (end.state, end.reason) == (FrontierEntry.State.DONE, Reason.NO_ENTRIES)
    state = registry.caught_up(topic)[FEED].state
    assert (state.visited, state.failures, state.failing_since) == (NOON, 0, None)
    assert Run.objects.get().failed == Run.objects.get().reasons.get(Reason.GONE, 0)
    assert not list(invariants.frontier_breaches(NOON))
    assert not list(invariants.silent_ends())


def test_the_first_entry_of_a_feed_that_was_empty_is_news(topic: Crawl) -> None:
    """There was a first look, and the entry was not there."""
    look(topic, {**PAGES, FEED: feed()}, NOON, [SEED, FEED])
    look(topic, {**PAGES, FEED: feed(REPORT), REPORT: item("one")}, NOON + DAY, [SEED, FEED])

    assert news(topic, NOON + DAY) == {REPORT}


# a response, and how the visit ends
@pytest.mark.parametrize(
    ("markup", "end"),
    [
        (feed(), Reason.NO_ENTRIES),
        ("<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title></feed>", Reason.NO_ENTRIES),
        ('{"version": "https://jsonfeed.org/version/1.1", "items": []}', Reason.NO_ENTRIES),
        ("<rss><channel><item><title>t</title></item></channel></rss>", Reason.NO_ENTRIES),
        ("<urlset></urlset>", Reason.NO_ENTRIES),
        (FOREIGN, Reason.NO_ENTRIES),
        (f"<sitemapindex><sitemap><loc>{FEED}</loc></sitemap></sitemapindex>", Reason.NO_ENTRIES),
        (feed(REPORT), Reason.FETCHED),
        ("<p>A page without links.", Reason.FETCHED),
        ('<meta name="robots" content="noindex"><p>A page.', Reason.NOINDEX),
    ],
)
def test_only_a_list_can_end_without_entries(markup: str, end: Reason) -> None:
    assert parse_page(markup.encode(), FEED).end is end
