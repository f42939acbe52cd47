"""A topic on caches with thirty stored pages, judged once, for several test modules."""

import pytest
from django.contrib.auth.models import User

from crawler.judging.rescore import rejudge
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.models import Harvest, Page
from crawler.models.values import save_value
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from tests.topics.factories import NOON, Scene, scene_of
from topics.models import TopicTerm
from topics.profile.crawl import save_crawl

SUBJECTS = (
    "cache memory processor pipeline register",
    "soup onion broth kitchen spoon",
    "river stone water bridge bank",
)


def add_pages(scene: Scene, n: int) -> None:
    """Pages on three subjects, each a little different and counted; none is kept yet."""
    frequencies = DocumentFrequencies()
    for number in range(n):
        terms = text_terms(f"{SUBJECTS[number % 3]} page{number} " * (1 + number % 4))
        frequencies.add([terms])
        harvest = scene.page(
            f"https://s{number % 7}.test/{number}",
            f"Page {number}",
            "https://hub.test/links",
            kept=False,
            relevance=0.0,
        )
        Page.objects.filter(pk=harvest.url_id).update(packed_terms=pack_terms(terms))
    save_value(scene.crawl, "library", frequencies.dump())


@pytest.fixture
def pages(ann: User) -> Scene:
    """A topic on caches with thirty stored pages, judged once."""
    scene = scene_of(ann)
    scene.entry("https://portal.test/")
    TopicTerm.objects.create(topic=scene.topic, text="cache memory")
    add_pages(scene, 30)
    rejudge(save_crawl(scene.topic, NOON), NOON)
    scene.crawl.refresh_from_db()
    return scene


def of_subject(number: int) -> Harvest:
    return Harvest.objects.get(url__url__endswith=f".test/{number}")
