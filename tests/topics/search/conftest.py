"""Pages, crawls and an index of a test's own."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from crawler.models import (
    Concept,
    Crawl,
    Harvest,
    IndexOutbox,
    Label,
    Ontology,
    Page,
    Site,
    Url,
)
from crawler.models.web import pack_text
from tests import databases
from tests.topics.search.engines import ENGINES, EngineMaker
from topics.models import Topic
from topics.search.backend import SearchBackend, StoresOutsideFolder
from topics.search.outbox import drain_all
from topics.search.store import IndexStore, default_store

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


_MARKS = {"postgres": databases.postgres_only}


@pytest.fixture(
    scope="module",
    params=[pytest.param(e, id=e.name, marks=_MARKS.get(e.name, ())) for e in ENGINES],
)
def engine(request: pytest.FixtureRequest) -> Iterator[type[SearchBackend]]:
    """Each engine in turn; one that keeps its index in the database may use that."""
    kind: type[SearchBackend] = request.param
    if not isinstance(kind, StoresOutsideFolder):
        yield kind
        return
    request.getfixturevalue("django_db_setup")
    with request.getfixturevalue("django_db_blocker").unblock():
        yield kind


@pytest.fixture(scope="module")
def make_engine(
    engine: type[SearchBackend], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EngineMaker]:
    """A maker of empty indexes of one engine."""
    folders: list[Path] = []

    def make() -> SearchBackend:
        folders.append(tmp_path_factory.mktemp(engine.name))
        return engine.create(folders[-1])

    yield make
    if isinstance(engine, StoresOutsideFolder):
        for folder in folders:
            engine.discard(folder)


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


@pytest.fixture
def ada(make_user: Callable[[str], User]) -> User:
    return make_user("ada")


@pytest.fixture
def computing(library: Library, store: IndexStore, ada: User) -> Library:
    """Four pages of two topics, one of them old and one in Chinese."""
    chips, code = library.crawl("chips", ada), library.crawl("code", ada)
    library.page(chips, "a", "Processor", "The processor reads its cache.", score=0.3)
    library.page(chips, "b", "Memory", "A processor waits for memory.", score=0.9)
    library.page(code, "c", "处理器", "处理器读取缓存。", score=0.6)
    library.page(code, "d", "Compilers", "They order what a processor does.", score=0.5)
    Page.objects.filter(title="处理器").update(language="zh")
    now = timezone.now()
    Harvest.objects.update(first_seen=now - timedelta(days=2), published=None)
    Harvest.objects.filter(url__page__title="Compilers").update(published=now - timedelta(days=90))
    ontology = Ontology.objects.create(slug="o", title="O", owner=ada, changed=NOON)
    concept = Concept.objects.create(ontology=ontology, iri="urn:cpu")
    for name in ("processor", "处理器"):
        Label.objects.create(concept=concept, text=name)
    drain_all(60, store)
    return library
