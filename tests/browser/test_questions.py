"""The five questions in a real browser, on a phone, with the keyboard and without scripts."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from crawler.models import Harvest, Page
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from tests.browser.conftest import Window
from tests.topics.factories import NOON, Scene
from topics.models import Question, Thumb
from topics.profile.crawl import save_crawl

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Window]


@pytest.fixture
def with_questions(scene: Scene) -> Scene:
    """Ann's topic has questions about its three pages."""
    for page in Page.objects.all():
        terms = pack_terms(text_terms(f"{page.title}\n{page.text}"))
        Page.objects.filter(pk=page.pk).update(packed_terms=terms)
    save_crawl(scene.topic, NOON)
    for harvest in Harvest.objects.order_by("pk"):
        Question.objects.create(topic=scene.topic, url=harvest.url, created=NOON)
    return scene


@pytest.mark.parametrize(
    ("locale", "width", "scheme"),
    [("en-GB", 1100, "light"), ("zh-CN", 1100, "dark"), ("zh-CN", 360, "light")],
)
def test_the_questions_fit_and_can_be_answered(
    window: Open, with_questions: Scene, tmp_path: Path, locale: str, width: int, scheme: str
) -> None:
    reader = window(locale, width, scheme)
    reader.sign_in()
    reader.open("/topics/chips/")
    part = reader.page.locator(".questions")
    expect(part.locator("fieldset")).to_have_count(3)
    reader.page.screenshot(path=str(tmp_path / "asked.png"), full_page=True)
    assert not reader.page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )

    for number, value in enumerate(("yes", "no")):
        choice = part.locator("fieldset").nth(number).locator(f"input[value={value}]")
        choice.focus()
        reader.page.keyboard.press("Space")
    part.locator("button[value=answer]").click()

    expect(reader.page.locator(".message")).to_have_count(1)
    reader.page.screenshot(path=str(tmp_path / "offer.png"), full_page=True)
    assert sorted(Thumb.objects.values_list("value", flat=True)) == [-1, 1]
    reader.page.locator(".questions button[value=dismiss]").click()
    expect(reader.page.locator(".questions")).to_have_count(0)
