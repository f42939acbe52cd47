"""The pages in a real browser: nothing in the console, nothing wider than the screen."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect
from pytest_django import Settings

from crawler.models import Harvest, Run
from tests.browser.conftest import NOTES, Window
from tests.topics.factories import Scene

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Window]


def paths(scene: Scene) -> list[str]:
    page, run = Harvest.objects.get(url__url=NOTES), scene.run
    return [
        "/",
        "/topics/chips/",
        "/topics/chips/runs/",
        f"/topics/chips/runs/{run.pk}/",
        f"/topics/chips/runs/{run.pk}/kept",
        f"/topics/chips/runs/{run.pk}/reasons/robots_forbidden",
        f"/topics/chips/pages/{page.pk}/",
        "/search/",
    ]


def is_too_wide(window: Window) -> bool:
    return bool(
        window.page.evaluate(
            "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        )
    )


@pytest.mark.parametrize(
    ("locale", "width", "scheme", "heading"),
    [
        ("en-GB", 1100, "light", "Topics"),
        ("zh-CN", 1100, "dark", "主题"),
        ("en-GB", 360, "dark", "Topics"),
        ("zh-CN", 360, "light", "主题"),
    ],
)
def test_every_page_is_quiet_and_fits(
    window: Open, scene: Scene, locale: str, width: int, scheme: str, heading: str
) -> None:
    reader = window(locale, width, scheme)
    reader.sign_in()
    expect(reader.page.locator("h1")).to_have_text(heading)
    for path in paths(scene):
        reader.open(path)
        expect(reader.page.locator("h1")).to_be_visible()
        assert not is_too_wide(reader), path


@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
def test_names_of_settings_fit_the_narrowest_screen(
    window: Open, scene: Scene, locale: str, settings: Settings
) -> None:
    settings.CONTACT_URL = ""
    reader = window(locale, 320)
    reader.sign_in()
    reader.open("/system/")
    expect(reader.page.get_by_text("FOCUSWEB_CONTACT_URL").first).to_be_visible()
    assert not is_too_wide(reader)


@pytest.mark.parametrize(
    "path", ["/admin/", "/admin/topics/topic/", "/admin/topics/topic/add/", "/admin/crawler/run/"]
)
def test_the_administration_is_quiet_too(window: Open, scene: Scene, path: str) -> None:
    reader = window("zh-CN")
    reader.sign_in()
    reader.open(path)
    expect(reader.page.locator("#site-name")).to_have_text("FocusWeb")


def test_titles_of_pages_are_text_and_not_markup(window: Open, scene: Scene) -> None:
    reader = window()
    reader.sign_in()
    reader.open("/topics/chips/")
    expect(reader.page.get_by_role("link", name="<b>CPU</b> & 电脑")).to_be_visible()


def test_the_score_leads_to_what_it_is_made_of(window: Open, scene: Scene) -> None:
    reader = window()
    reader.sign_in()
    reader.open("/topics/chips/")
    row = reader.page.locator(".pages > li").first
    row.locator("details.why > summary").click()
    row.get_by_role("link", name="0.47").click()
    expect(reader.page.locator("#score tfoot")).to_contain_text("0.470")


def test_the_language_can_be_switched_on_the_login_page(window: Open, scene: Scene) -> None:
    reader = window()
    reader.open("/login/")
    reader.page.get_by_role("button", name="简体中文").click()
    expect(reader.page.locator("h1")).to_have_text("登录")


def test_progress_moves_without_reload_and_ends(window: Open, scene: Scene) -> None:
    Run.objects.update(ended=None, stop_reason="", fetched=3)
    reader = window()
    reader.sign_in()
    reader.open(f"/topics/chips/runs/{scene.run.pk}/")
    expect(reader.page.locator(".budget label")).to_have_text("3 of 200 pages")
    Run.objects.update(fetched=77)
    expect(reader.page.locator(".budget label")).to_have_text("77 of 200 pages")
    Run.objects.update(ended=scene.now, stop_reason="stopped")
    expect(reader.page.locator(".ending")).to_contain_text("A user stopped the run.")


def test_a_new_topic_shows_its_first_run_without_reload(
    window: Open, scene: Scene, tmp_path: Path
) -> None:
    crawl, scene.topic.crawl = scene.topic.crawl, None
    scene.topic.save()
    reader = window()
    reader.sign_in()
    status = {"time": time.time(), "children": {"cluster": {"state": "up"}}}
    (tmp_path / "status.json").write_text(json.dumps(status))
    reader.open("/topics/chips/")
    expect(reader.page.locator(".empty h2")).to_have_text("Not run yet")
    scene.topic.crawl = crawl
    scene.topic.save()
    expect(reader.page.locator(".pages > li")).to_have_count(3)


def test_known_pages_are_behind_a_link_below_the_news(window: Open, scene: Scene) -> None:
    scene.page("https://old.test/book", "A book on processors", baseline=True, score=0.9)
    reader = window()
    reader.sign_in()
    reader.open("/topics/chips/")
    book = reader.page.get_by_role("link", name="A book on processors")
    expect(reader.page.locator(".pages > li")).not_to_have_count(0)
    expect(book).to_have_count(0)
    reader.page.get_by_role("link", name="known page").press("Enter")
    expect(book).to_be_visible()


def test_the_topic_page_shows_its_pages_when_the_crawl_ends(
    window: Open, scene: Scene, tmp_path: Path
) -> None:
    status = {"time": time.time(), "children": {"cluster": {"state": "up"}}}
    (tmp_path / "status.json").write_text(json.dumps(status))
    Run.objects.update(ended=None, stop_reason="")
    Harvest.objects.update(kept=False)
    reader = window()
    reader.sign_in()
    reader.open("/topics/chips/")
    expect(reader.page.locator(".empty")).to_contain_text("The crawl is running")
    Harvest.objects.update(kept=True)
    Run.objects.update(ended=scene.now, stop_reason="budget")
    expect(reader.page.locator(".pages > li")).to_have_count(3)
    expect(reader.page.get_by_role("button", name="Crawl now")).to_be_visible()
