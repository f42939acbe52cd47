"""A reader of feeds, and pages that have their stories."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from crawler.models import Harvest, Story
from tests.topics.factories import Scene

Add = Callable[..., Harvest]


@pytest.fixture
def add(scene: Scene) -> Add:
    """Keep a page with a story of its own, or of another page."""

    def page(path: str, title: str = "", **more: Any) -> Harvest:
        seen = more.setdefault("first_seen", scene.now - timedelta(hours=3))
        story = more.pop("story", None) or Story.objects.create(crawl=scene.crawl, first_seen=seen)
        return scene.page(f"https://{path}", title or path, story=story, **more)

    return page


def days_after(scene: Scene, days: float) -> datetime:
    return scene.now + timedelta(days=days)
