"""I9: an index built anew says what the one in use says; differences are named."""

import pytest

from crawler.models import Page
from tests.topics.search.conftest import Library
from topics.search import outbox
from topics.search.consistency import rebuild_differences
from topics.search.store import IndexStore

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled(store: IndexStore, library: Library) -> IndexStore:
    """An index kept up to date page by page, with one page changed on the way."""
    crawl = library.crawl("solar")
    pages = [
        library.page(crawl, f"p{number}", f"Panel{number} roof", "solar cells on the roof")
        for number in range(5)
    ]
    outbox.drain_all(60.0, store)
    Page.objects.filter(pk=pages[3].pk).update(title="Glasshouse")
    library.queue(pages[3])
    outbox.drain_all(60.0, store)
    return store


def test_i9_a_live_index_equals_one_built_anew(filled: IndexStore) -> None:
    assert list(rebuild_differences(filled)) == []


def test_i9_a_page_the_index_does_not_have_is_found(filled: IndexStore, library: Library) -> None:
    library.page(library.crawl("other"), "p9", "Windmill", "wind")

    found = list(rebuild_differences(filled))

    assert found[0] == "the index holds 5 pages, one built anew 6"
    assert any(row.startswith("'windmil' finds pages []") for row in found)


def test_i9_an_index_that_cannot_be_read_is_said(store: IndexStore) -> None:
    assert "cannot be read" in next(rebuild_differences(store))
