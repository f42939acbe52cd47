"""Topics with stored pages, a status file and a request, for the tests of the views."""

import json
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from crawler.models import Page
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from tests.topics.factories import NOON, Scene, scene_of
from topics.profile.crawl import save_crawl

#: Path of Ann's topic.
LOCAL = "topics/chips/"

TEXTS = {
    "https://notes.test/cache": "A cache line holds the bytes a processor reads; it is fast.",
    "https://portal.test/cpu": "电脑 处理器 缓存 内存 processor cache",
    "https://food.test/soup": "Cut the onions, add the broth, let the soup simmer, serve it hot.",
}


@pytest.fixture
def pages(scene: Scene) -> Scene:
    """Ann's topic with three stored pages that have terms; the one on soup is not kept."""
    scene.page(
        "https://food.test/soup", "Soup", "https://hub.test/links", kept=False, relevance=0.0
    )
    for url, text in TEXTS.items():
        Page.objects.filter(url__url=url).update(packed_terms=pack_terms(text_terms(text)))
    save_crawl(scene.topic, NOON)
    return scene


@pytest.fixture
def now_scene(ann: User) -> Scene:
    """A topic whose pages are fresh at the time of the test."""
    scene = scene_of(ann, now=timezone.now())
    scene.entry("https://portal.test/")
    scene.entry("https://hub.test/links", "https://portal.test/")
    scene.page("https://notes.test/cache", "Cache <lines>", "https://hub.test/links")
    scene.page(
        "https://portal.test/cpu",
        "电脑 CPU",
        "https://portal.test/",
        score=0.31,
        published=scene.now - timedelta(days=2),
    )
    scene.entry("https://portal.test/private/x", "https://portal.test/", "robots_forbidden")
    scene.link("https://hub.test/links", "https://notes.test/cache")
    return scene


def write_status(folder: Path, state: str = "up", age_s: float = 0.0) -> None:
    """Write a status file of the supervisor that is `age_s` seconds old."""
    status = {"time": time.time() - age_s, "children": {"cluster": {"state": state}}}
    (folder / "status.json").write_text(json.dumps(status))


def get(client: Client, path: str, language: str = "en") -> str:
    """Return the HTML of a page, which must answer with status 200."""
    answer = client.get(f"/{path}", headers={"accept-language": language})
    assert answer.status_code == 200, path
    return answer.content.decode()
