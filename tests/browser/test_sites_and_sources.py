"""Words on sites and the list of sources, in a real browser."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect

from crawler.models import Harvest, Story
from crawler.revisit.sources import SourceState
from crawler.sources import registry
from crawler.sources.registry import KnownSource
from tests.browser.conftest import Window
from tests.topics.factories import Scene
from topics.models import SiteControl

#: Screenshots go here, if it is set.
SHOTS = os.environ.get("FOCUSWEB_SHOTS", "")


def shoot(window: Window, name: str) -> None:
    if SHOTS:
        window.page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=True)


@pytest.fixture
def watched(scene: Scene) -> Scene:
    """The scene with a story on two sites, known pages, and sources of each kind."""
    now = scene.now
    story = Story.objects.create(crawl=scene.crawl, first_seen=now)
    Harvest.objects.filter(url__url__contains="silicon").update(story=story)
    scene.page("https://copy.test/cache", "How a cache line travels", story=story, score=0.2)
    scene.page("https://old.test/book", "A book on processors", baseline=True, score=0.6)
    state = SourceState(now - timedelta(days=9), visited=now - timedelta(days=1))
    failing = SourceState(
        now - timedelta(days=9), failures=2, failing_since=now - timedelta(days=2), failed=now
    )
    scene.entry("https://ill.test/map.xml", reason="gone")
    registry.save_sources(
        scene.crawl,
        {
            "https://dianwang.test/feed.xml": KnownSource(registry.FEEDS, state),
            "https://ill.test/map.xml": KnownSource(registry.SITEMAPS, failing),
            "cache memory": KnownSource(registry.SEARCHES, SourceState(now)),
        },
    )
    return scene


@pytest.mark.parametrize(("locale", "raised"), [("en-GB", "raised"), ("zh-CN", "已提升")])
def test_a_site_is_raised_where_its_page_is_listed(
    window: Callable[..., Window], watched: Scene, locale: str, raised: str
) -> None:
    reader = window(locale)
    reader.sign_in()
    reader.open(f"/topics/{watched.topic.slug}/")
    rule = reader.page.locator("details.site-rule").first
    rule.locator("summary").click()
    rule.locator("button[value=raise]").click()

    expect(rule.locator("summary")).to_have_text(raised)
    expect(rule.locator("[role=status]")).not_to_be_empty()
    expect(rule.locator("button[value=raise]")).to_have_attribute("aria-pressed", "true")
    assert SiteControl.objects.get().rule == "raise"
    shoot(reader, f"topic-{locale}")
    reader.open(f"/topics/{watched.topic.slug}/sources/")
    expect(reader.page.locator("#sources tbody tr")).to_have_count(4)
    shoot(reader, f"sources-{locale}")
    reader.open(f"/topics/{watched.topic.slug}/pages/{Harvest.objects.first().pk}/")  # type: ignore[union-attr]
    shoot(reader, f"page-{locale}")


def test_narrow_screens_show_it_all(window: Callable[..., Window], watched: Scene) -> None:
    reader = window(width=390)
    reader.sign_in()
    for name in ("", "sources/"):
        reader.open(f"/topics/{watched.topic.slug}/{name}")
        width = reader.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390
        shoot(reader, f"narrow-{name.strip('/') or 'topic'}")
