"""Stored pages with terms, for the pages that say how a topic would judge them."""

import pytest

from crawler.models import Page
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from tests.topics.factories import NOON, Scene
from topics.profile.crawl import save_crawl

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
