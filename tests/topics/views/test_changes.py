"""Changes of watched pages among the news, on a page of their own, read and unread."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crawler.models import Harvest
from tests.topics.changes.test_watching import MORE, TEXT, star, write
from tests.topics.delivery.rules_and_channels import rule_of
from tests.topics.factories import Scene, scene_of
from topics.changes.watching import store_changes
from topics.delivery.rules.firing import fire_rules
from topics.models import PageChange, Reading

LIST = "/topics/chips/changes/"


@pytest.fixture
def change(scene: Scene) -> PageChange:
    """Ann starred a page, and it changed."""
    page = Harvest.objects.get(url__url="https://notes.test/cache")
    write(page.page, TEXT)
    star(scene, page)
    Reading.objects.update(starred=timezone.now() - timedelta(hours=2))
    store_changes(timezone.now() - timedelta(hours=1))
    write(page.page, MORE.replace("north", "<b>south</b>"))
    store_changes(timezone.now())
    return PageChange.objects.get()


def text_of(client: Client, path: str) -> str:
    """A page with its tags on one line."""
    return client.get(path).content.decode().replace("\n>", ">")


def mark(client: Client, change: PageChange, button: str) -> int:
    path = reverse("change_mark", args=["chips", change.pk])
    return client.post(path, {"do": button}).status_code


def test_it_is_among_the_news_until_it_is_read(as_ann: Client, change: PageChange) -> None:
    home = text_of(as_ann, "/topics/chips/")
    assert "page changed" in home
    assert "<del>north</del><ins>&lt;b&gt;south&lt;/b&gt;</ins>" in home
    assert mark(as_ann, change, "read") == 302

    assert "page changed" not in as_ann.get("/topics/chips/").content.decode()
    assert "Mark as unread" in as_ann.get(LIST).content.decode()
    mark(as_ann, change, "unread")
    assert "page changed" in as_ann.get("/topics/chips/").content.decode()


def test_the_heading_of_the_list_counts_it_beside_the_pages(
    as_ann: Client, change: PageChange, scene: Scene
) -> None:
    Harvest.objects.update(baseline=True)
    scene.page("https://a.test/", "News", first_seen=timezone.now())

    home = text_of(as_ann, "/topics/chips/")

    assert "Unread (2)" in home
    assert re.search(r"1 new page in the last \d+ days,\s*1 change of a page\s*</h2>", home)


def test_it_has_its_place_in_each_order(as_ann: Client, change: PageChange, scene: Scene) -> None:
    now = timezone.now()
    scene.page("https://a.test/", "Better and newest", score=0.9, first_seen=now)
    scene.page("https://b.test/", "Better and old", score=0.9, first_seen=now - timedelta(days=3))
    scene.page("https://c.test/", "Worse and new", score=0.1, first_seen=now)
    PageChange.objects.update(found=now - timedelta(hours=1))
    orders = {
        "": "Better and newest|page changed|Better and old|Worse and new",
        "?order=newest": "Better and newest|Worse and new|page changed|Better and old",
        "?order=score": "Better and newest|Better and old|page changed|Worse and new",
        "?order=day": "Better and newest|page changed|Worse and new",
        "?show=unread": "Better and newest|page changed|Better and old|Worse and new",
    }
    for query, expected in orders.items():
        html = text_of(as_ann, f"/topics/chips/{query}")
        names = sorted(set(expected.split("|")), key=html.index)
        assert "|".join(names) == expected, query
        assert html.count("page changed") == 1
    assert "3 new pages in the last 30 days" in text_of(as_ann, "/topics/chips/")


def test_mark_all_as_read_includes_it(as_ann: Client, change: PageChange) -> None:
    as_ann.post("/topics/chips/read", {"show": "unread"})

    assert "page changed" not in as_ann.get("/topics/chips/").content.decode()


def test_a_marked_change_leads_back_to_the_list(as_ann: Client, change: PageChange) -> None:
    path = reverse("change_mark", args=["chips", change.pk])
    for next_, leads in (("/topics/chips/?page=2", "/topics/chips/?page=2"), ("//x.test/", LIST)):
        assert as_ann.post(path, {"do": "read", "next": next_}).headers["Location"] == leads


def test_its_page_has_the_whole_difference(as_ann: Client, change: PageChange) -> None:
    html = text_of(as_ann, reverse("change_detail", args=["chips", change.pk]))
    assert "The grid of the <del>north</del><ins>&lt;b&gt;south&lt;/b&gt;</ins> is stable." in html
    assert "Another line failed near the coast this morning" in html
    assert "Words deleted: 1" in html


def test_a_list_with_filters_has_no_changes(as_ann: Client, change: PageChange) -> None:
    assert "page changed" not in as_ann.get("/topics/chips/?order=newest&new=1").content.decode()


def test_nobody_else_sees_or_marks_it(
    client: Client, change: PageChange, scene: Scene, bob: User
) -> None:
    client.force_login(bob)
    scene_of(bob, "own")
    for slug in ("chips", "own"):
        for name in ("change_detail", "change_mark"):
            path = reverse(name, args=[slug, change.pk])
            assert client.get(path).status_code in (404, 405)
            assert client.post(path, {"do": "read"}).status_code in (404, 405)
    assert not change.read_by.exists()


def test_an_unknown_button_does_nothing(as_ann: Client, change: PageChange) -> None:
    assert mark(as_ann, change, "explode") == 404


def test_a_topic_without_changes_says_so(as_ann: Client, scene: Scene) -> None:
    assert "No page has changed since you starred it." in as_ann.get(LIST).content.decode()
    assert LIST not in as_ann.get("/topics/chips/").content.decode()


def test_an_alert_of_a_change_leads_to_it_when_the_star_is_gone(
    as_ann: Client, scene: Scene, change: PageChange
) -> None:
    rule_of(scene, watches="changes", begins=change.found - timedelta(hours=1))
    fire_rules(timezone.now())
    Reading.objects.update(starred=None)
    path = reverse("change_detail", args=["chips", change.pk])

    assert path in text_of(as_ann, "/alerts/")
    assert as_ann.get(path).status_code == 200
    assert mark(as_ann, change, "read") == 302
    assert path not in text_of(as_ann, LIST)
