"""News on known and new sites, in two languages, that a feed and a page brought."""

from datetime import timedelta

from crawler.models import FrontierEntry, Harvest, Page, Site, Source
from tests.topics.factories import Scene, explanation


def add_news(scene: Scene) -> Scene:
    """Eight fresh pages: two days, a known site and a new one; the first run was ten days ago."""
    scene.run.started, scene.run.ended = (
        scene.now - timedelta(days=10),
        scene.now - timedelta(days=9),
    )
    scene.run.save()
    Harvest.objects.update(baseline=True)
    Site.objects.update(first_seen=scene.now - timedelta(days=100))
    Source.objects.create(
        crawl=scene.crawl,
        kind="feeds",
        address="https://portal.test/feed",
        since=scene.now - timedelta(days=9),
        rate={},
    )
    for number in range(8):
        site = "young.test" if number % 2 else "portal.test"
        scene.url(f"https://{site}/{number}", seen=scene.now - timedelta(days=5))
        parent = "https://portal.test/feed" if number < 6 else "https://hub.test/links"
        when = scene.now - timedelta(days=1 + number // 4)
        published = when - timedelta(hours=6 if number < 3 else 48) if number != 5 else None
        scene.page(
            f"https://{site}/{number}",
            f"=News {number}",
            parent,
            score=0.9 - number / 100,
            first_seen=when,
            published=published,
            explanation=explanation() | {"content": {"matched": ["cache"] if number else ["CPU"]}},
        )
        Page.objects.filter(url__url=f"https://{site}/{number}").update(
            language="zh" if number < 2 else "en", published=published
        )
    FrontierEntry.objects.filter(url__url__contains="young").update(depth_hops=2)
    return scene
