"""Profile, concepts, examples and thumbs in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from crawler.models import Harvest, Page
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from tests.browser.conftest import Window
from tests.topics.factories import NOON, Scene
from tests.topics.profile.test_ontologies import TURTLE, read
from topics.models import Topic, TopicTerm
from topics.profile import concepts, ontologies
from topics.profile.crawl import save_crawl

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Window]


@pytest.fixture
def known(scene: Scene) -> Scene:
    """Ann's topic with a term, an ontology, and terms on its stored pages."""
    for page in Page.objects.all():
        terms = pack_terms(text_terms(f"{page.title}\n{page.text}"))
        Page.objects.filter(pk=page.pk).update(packed_terms=terms)
    TopicTerm.objects.create(topic=scene.topic, text="cache")
    machines, _changes = ontologies.save_ontology(read(), "Machines", NOON, owner=None)
    for concept in concepts.find_concepts("computer", [machines]):
        concepts.attach(scene.topic, concept)
    save_crawl(scene.topic, NOON)
    return scene


PATHS = [
    "/topics/chips/profile/",
    "/topics/chips/concepts/",
    "/topics/chips/examples/",
    "/ontologies/",
]


@pytest.mark.parametrize(
    ("locale", "width", "scheme"),
    [("en-GB", 1100, "light"), ("zh-CN", 1100, "dark"), ("zh-CN", 360, "light")],
)
def test_the_profile_pages_are_quiet_and_fit(
    window: Open, known: Scene, tmp_path: Path, locale: str, width: int, scheme: str
) -> None:
    reader = window(locale, width, scheme)
    reader.sign_in()
    for number, path in enumerate(PATHS):
        reader.open(path)
        reader.page.wait_for_load_state("networkidle")
        reader.page.screenshot(path=str(tmp_path / f"{number}.png"), full_page=True)
        assert not reader.page.evaluate(
            "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        ), path


def test_the_preview_follows_what_is_typed(window: Open, known: Scene) -> None:
    reader = window()
    reader.sign_in()
    reader.open("/topics/chips/profile/")
    preview = reader.page.locator("#preview")
    expect(preview).to_contain_text("2 of 3 stored pages would be kept")
    expect(preview.locator("section", has_text="Removed")).to_contain_text("智能电网调度")
    reader.page.fill("#id_terms-0-text", "智能电网调度")
    expect(preview).to_contain_text("3 of 3 stored pages would be kept")
    expect(preview.locator("section", has_text="Removed")).to_have_count(0)
    reader.page.get_by_role("button", name="笔记本", exact=True).click()
    expect(reader.page.locator("#id_terms-1-text")).to_have_value("笔记本")


def test_the_papers_ranking_is_previewed_before_it_is_saved(window: Open, known: Scene) -> None:
    reader = window()
    reader.sign_in()
    reader.open("/topics/chips/profile/")
    reader.page.get_by_role("link", name="Try the ranking of the second paper").click()
    expect(reader.page.locator("#id_ranker")).to_have_value("paper")
    expect(reader.page.locator("#id_link_weight")).to_have_value("0.7")
    preview = reader.page.locator("#preview")
    # The page that a site links to gains, and the preview names both scores.
    expect(preview.locator("section", has_text="Rank changed")).to_contain_text("→")
    assert Topic.objects.get(pk=known.topic.pk).ranker == "absolute"

    reader.page.fill("#id_link_scale", "5")
    reader.page.fill("#id_half_life_days", "0")
    reader.page.locator("#profile-form").get_by_role("button", name="Save").click()
    expect(reader.page.locator(".message")).to_be_visible()
    reader.page.wait_for_load_state("networkidle")
    topic = Topic.objects.get(pk=known.topic.pk)
    assert (topic.ranker, topic.link_weight, topic.link_scale) == ("paper", 0.7, 5.0)
    assert (topic.half_life_days, topic.news_halved_days) == (0, 0)


def test_a_thumb_says_what_moved_and_can_be_undone(window: Open, known: Scene) -> None:
    harvest = Harvest.objects.get(url__url__contains="silicon-notes")
    reader = window()
    reader.sign_in()
    reader.open("/topics/chips/")
    row = reader.page.locator("li", has_text="How a cache line").last
    row.get_by_role("button", name="Not relevant").click()
    undo = row.get_by_role("button", name="undo")
    expect(undo).to_be_focused()
    expect(row.locator(".thumbs")).to_contain_text("changed rank")
    harvest.refresh_from_db()
    assert harvest.kept is False
    undo.click()
    expect(row.get_by_role("button", name="Not relevant: How a cache line")).to_be_visible()
    relevant = row.get_by_role("button", name=re.compile("^Relevant: How a cache line"))
    expect(relevant).to_be_focused()
    assert not known.topic.thumbs.exists()


@pytest.mark.parametrize("script", [True, False])
def test_a_rating_is_previewed_before_it_is_given(
    window: Open, known: Scene, *, script: bool
) -> None:
    reader = window(script=script)
    reader.sign_in()
    reader.open("/topics/chips/")
    row = reader.page.locator("li", has_text="How a cache line").last
    row.locator("details.why > summary").click()
    row.get_by_role("link", name="What a rating would change").click()
    # In place, or without script on a page of its own.
    part = reader.page.locator("main .foreseen:has(form)")
    expect(part).to_contain_text("of 3 stored pages would be kept")
    if script:
        expect(part.get_by_role("button", name="Relevant", exact=True)).to_be_focused()
    assert not known.topic.thumbs.exists()

    part.get_by_role("button", name="Not relevant").click()
    expect(reader.page.locator(".message")).to_contain_text("changed rank")
    assert known.topic.thumbs.get().value == -1


def test_without_script_the_profile_is_previewed_by_a_button(window: Open, known: Scene) -> None:
    reader = window(script=False)
    reader.sign_in()
    reader.open("/topics/chips/profile/")
    expect(reader.page.get_by_text("Scoring the stored pages…")).to_be_hidden()
    reader.page.fill("#id_terms-0-text", "智能电网调度")
    reader.page.get_by_role("button", name="Preview").click()
    expect(reader.page.locator("#preview")).to_contain_text("of 3 stored pages would be kept")
    expect(reader.page.locator("#id_terms-0-text")).to_have_value("智能电网调度")
    assert TopicTerm.objects.get(topic=known.topic).text == "cache"


def test_an_ontology_is_looked_at_and_saved(window: Open, known: Scene, tmp_path: Path) -> None:
    file = tmp_path / "机器.ttl"
    file.write_text(TURTLE.replace('"laptop"@en', '"portable"@en'), "utf-8")
    reader = window("zh-CN")
    reader.sign_in()
    reader.open("/ontologies/")
    reader.page.set_input_files("input[type=file]", str(file))
    reader.page.locator("main button.main").click()
    expect(reader.page.locator("h1")).to_have_text("Machines")
    reader.page.locator("main button.main").click()
    expect(reader.page.locator(".message")).to_contain_text("已保存")


def test_rows_of_a_long_table_are_filtered(window: Open, known: Scene) -> None:
    reader = window()
    reader.sign_in()
    reader.open("/topics/chips/profile/")
    rows = reader.page.locator("#terms tbody tr")
    rows.nth(0).wait_for()
    n_rows = rows.count()
    field = reader.page.get_by_label("Show only rows with")
    field.fill("CACHE")
    field.press("Enter")
    expect(rows.filter(visible=True)).to_have_count(1)
    field.fill("")
    expect(rows.filter(visible=True)).to_have_count(n_rows)
