"""Which pages of a crawl are news."""

from datetime import UTC, datetime, timedelta

import pytest

from crawler.models import Crawl, Harvest, Page, Site, Story, Url

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
DAY = timedelta(days=1)
WINDOW = NOW - 30 * DAY


@pytest.fixture
def topic(db: None) -> Crawl:
    return Crawl.objects.create(key="solar", first_seen=NOW)


def add(
    topic: Crawl,
    domain: str,
    *,
    published: int | None,
    seen: int,
    title: str = "Roofs",
    baseline: bool = False,
    story: Story | None = None,
) -> Harvest:
    """A kept page; when it was published and first seen, as days ago."""
    site, _ = Site.objects.get_or_create(
        name=domain, defaults={"domain": domain, "first_seen": NOW}
    )
    address = f"http://{domain}/{Url.objects.count()}"
    url = Url.objects.create(url=address, site=site, first_seen=NOW)
    Page.objects.create(url=url, title=title, first_fetched=NOW, fetched=NOW, changed=NOW)
    date = None if published is None else NOW - published * DAY
    return Harvest.objects.create(
        crawl=topic,
        url=url,
        kept=True,
        first_seen=NOW - seen * DAY,
        published=date,
        baseline=baseline,
        story=story,
    )


# published and first seen as days ago, there from the beginning, news
@pytest.mark.parametrize(
    ("published", "seen", "baseline", "expected"),
    [
        (1, 0, False, True),
        (30, 0, False, True),
        (31, 0, False, False),
        (400, 0, False, False),
        (None, 0, False, True),
        (None, 31, False, False),
        (1, 31, False, True),
        (-1, 0, False, False),
        (1, 0, True, False),
        (None, 0, True, False),
    ],
)
def test_news_was_published_or_else_first_seen_inside_the_window(
    topic: Crawl, published: int | None, seen: int, *, baseline: bool, expected: bool
) -> None:
    add(topic, "a.test", published=published, seen=seen, baseline=baseline)

    assert topic.harvests.news(WINDOW, NOW).exists() is expected


# Another page of the story: its domain, title, published and first seen as days ago, baseline.
@pytest.mark.parametrize(
    ("domain", "title", "published", "seen", "baseline", "expected"),
    [
        ("a.test", "Roofs", 400, 9, False, True),
        ("a.test", "Roofs", None, 40, False, True),
        ("a.test", "Roofs", 6, 5, True, True),
        ("a.test", "Roofs", None, 5, True, True),
        ("a.test", "Roofs", 6, 5, False, False),
        ("a.test", "Roofs", None, 5, False, False),
        ("a.test", "Roofs", 400, 1, True, False),
        ("a.test", "Roofs", 400, 0, False, False),
        ("b.test", "Roofs", 400, 9, True, False),
        ("a.test", "Panels", 400, 9, True, False),
    ],
)
def test_a_story_is_old_if_its_site_reported_it_before_under_its_title_and_it_was_old_then(
    topic: Crawl,
    domain: str,
    title: str,
    published: int | None,
    seen: int,
    *,
    baseline: bool,
    expected: bool,
) -> None:
    story = Story.objects.create(crawl=topic, first_seen=NOW)
    page = add(topic, "a.test", published=0, seen=1, story=story)
    add(topic, domain, title=title, published=published, seen=seen, baseline=baseline, story=story)

    assert (page not in topic.harvests.news(WINDOW, NOW)) is expected
