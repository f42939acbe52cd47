"""Searching in a real browser."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect
from pytest_django import Settings

from crawler.models import Harvest, IndexOutbox
from tests.browser.conftest import Window
from tests.topics.factories import NOON, Scene
from topics.models import Reading
from topics.search.outbox import drain_all

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def results(
    window: Callable[..., Window], scene: Scene, tmp_path: Path, settings: Settings
) -> Window:
    """Ann at the results of a search on a narrow screen."""
    settings.INDEX_DIR, settings.RUN_DIR = tmp_path / "index", tmp_path
    IndexOutbox.objects.bulk_create(
        IndexOutbox(page_id=page, queued=NOON)
        for page in Harvest.objects.kept().values_list("url_id", flat=True)
    )
    drain_all(60)
    reader = window()
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.sign_in()
    reader.open("/search/?q=cache+line&topic=chips")
    return reader


def test_results_are_marked_one_by_one_and_several_at_once(results: Window) -> None:
    page = results.page
    expect(page.locator("[data-row]")).not_to_have_count(0)
    page.keyboard.press("j")
    page.keyboard.press("s")
    expect(page.locator("[data-row]").first.locator("[data-key=s]")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.get_by_label("Choose: ").first.check()
    page.get_by_text("Several pages at once").click()
    page.get_by_label("What to do").select_option("tag")
    page.locator("#bulk-tags").fill("later")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("1 page changed.")).to_be_visible()
    expect(page.locator("[data-row] a.tag")).to_have_text(["later"])
    row = Reading.objects.get()
    assert row.starred
    assert [tag.name for tag in row.tags.all()] == ["later"]
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390, "nothing sticks out sideways"
