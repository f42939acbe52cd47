"""What is stored and remembered of a page is shown as long as nothing it is made of has changed."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from crawler.models import Harvest, Page, Site
from crawler.models.web import pack_text
from tests.topics.factories import Scene, explanation, scene_of
from tests.topics.views.conftest import LOCAL, get
from topics.home.figures import renew_figures
from topics.models import TopicFigures, TopicTerm
from topics.pages.extracts import _remembered

Change = Callable[[Scene], Any]


def add_term(scene: Scene, text: str) -> None:
    TopicTerm.objects.create(topic=scene.topic, text=text, weight=1.0)
    scene.crawl.describe(scene.topic.profile(), scene.topic.crawl_settings())
    scene.crawl.save()


CHANGES: dict[str, tuple[Change, str]] = {
    "title": (lambda scene: Page.objects.update(title="Another title"), "Another title"),
    "text": (
        lambda scene: Page.objects.update(packed_text=pack_text("A CPU is described here.")),
        "is described here",
    ),
    "kind": (lambda scene: Page.objects.update(flags="no_article"), "front page or list"),
    "score": (lambda scene: Harvest.objects.update(score=0.77), "0.77</a>"),
    "reason": (
        lambda scene: Harvest.objects.update(explanation=explanation(link=0.11)),
        "0.11",
    ),
    "site": (lambda scene: Site.objects.update(first_seen=timezone.now()), ">new site<"),
    "words": (lambda scene: add_term(scene, "line"), "<mark>line</mark>"),
}


@pytest.mark.parametrize(("change", "seen"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_seen_at_once(as_ann: Client, ann: User, change: Change, seen: str) -> None:
    scene = scene_of(ann, now=timezone.now())
    scene.page("https://a.test/", "A page")
    assert seen not in get(as_ann, LOCAL)

    change(scene)

    assert seen in get(as_ann, LOCAL)


def test_each_language_has_its_own(as_ann: Client, ann: User) -> None:
    scene_of(ann, now=timezone.now()).page("https://a.test/", "A page")
    assert "3 sites link here" in get(as_ann, LOCAL)

    html = get(as_ann, LOCAL, "zh-hans")

    assert "有 3 个网站链接到此" in html and "3 sites link here" not in html


def test_each_time_zone_has_its_own(as_ann: Client, ann: User) -> None:
    scene_of(ann, now=timezone.now()).page("https://a.test/", "A page")
    assert "Asia/Shanghai" not in get(as_ann, LOCAL)

    as_ann.cookies["zone"] = "Asia/Shanghai"

    assert "Asia/Shanghai" in get(as_ann, LOCAL)


def test_what_is_quoted_is_stored_with_the_news(as_ann: Client, ann: User) -> None:
    scene = scene_of(ann, now=timezone.now())
    for n in range(3):
        scene.page(f"https://{n}.test/", "A page", text=f"Text number {n} is about a CPU.")
    renew_figures(scene.topic, scene.run, timezone.now())
    figures = TopicFigures.objects.get()
    [key, *others] = figures.quotes
    figures.quotes[key] = [[["Quoted from the store", False]], [["CPU", "chips"]]]
    figures.save()
    _remembered.clear()

    html = get(as_ann, LOCAL)

    assert len(others) == 2
    assert html.count("Quoted from the store") == 1
    assert html.count("via CPU") == 3 and "Mentions CPU (via chips)" in html
