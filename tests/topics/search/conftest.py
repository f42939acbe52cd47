"""Pages, crawls and an index of a test's own."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from crawler.models import Crawl, Harvest, IndexOutbox, Page, Site, Url
from crawler.models.web import pack_text
from tests.topics.search.engines import ENGINES, EngineMaker
from topics.models import Topic
from topics.search.backend import SearchBackend
from topics.search.store import IndexStore, default_store

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module", params=ENGINES, ids=lambda engine: engine.name)
def engine(request: pytest.FixtureRequest) -> type[SearchBackend]:
    """Each engine in turn."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def make_engine(
    engine: type[SearchBackend], tmp_path_factory: pytest.TempPathFactory
) -> EngineMaker:
    """A maker of empty indexes of one engine."""
    return lambda: engine.create(tmp_path_factory.mktemp(engine.name))


@pytest.fixture
def backend(make_engine: EngineMaker) -> SearchBackend:
    """An empty index."""
    return make_engine()


@pytest.fixture
def store(tmp_path: Path, settings: Settings) -> IndexStore:
    """The site's place for indexes, private to the test and empty."""
    settings.INDEX_DIR = tmp_path / "index"
    settings.RUN_DIR = tmp_path
    return default_store()


@dataclass
class Library:
    """Makes rows as the crawl's page transaction does."""

    def crawl(self, key: str, owner: User | None = None) -> Crawl:
        """A crawl, and a topic of its name if it has an owner."""
        crawl = Crawl.objects.create(key=key, first_seen=NOON, profile_json={"name": key})
        if owner is not None:
            Topic.objects.create(owner=owner, name=key.title(), slug=key, crawl=crawl)
        return crawl

    def page(
        self, crawl: Crawl, path: str, title: str, text: str = "", *, score: float = 0.5
    ) -> Page:
        """A kept page, with its row in the outbox."""
        site, _ = Site.objects.get_or_create(
            name="pages.test", defaults={"domain": "pages.test", "first_seen": NOON}
        )
        url, _ = Url.objects.get_or_create(
            url=f"https://pages.test/{path}", defaults={"site": site, "first_seen": NOON}
        )
        page, _ = Page.objects.update_or_create(
            url=url,
            defaults={
                "title": title,
                "packed_text": pack_text(text),
                "first_fetched": NOON,
                "fetched": NOON,
                "changed": NOON,
            },
        )
        Harvest.objects.create(crawl=crawl, url=url, kept=True, score=score, first_seen=NOON)
        self.queue(page)
        return page

    def queue(self, page: Page) -> None:
        """Say that the page's index entry is out of date."""
        IndexOutbox.objects.create(page_id=page.pk, queued=NOON)


@pytest.fixture
def library(db: None) -> Library:
    """A maker of rows."""
    return Library()


@pytest.fixture
def make_user(db: None) -> Callable[[str], User]:
    """A maker of people."""
    return lambda name: User.objects.create(username=name)
