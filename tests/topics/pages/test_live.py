"""The topic page while its first run goes on: numbers, and finds to judge at once."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from crawler.models import FrontierEntry
from tests.topics.factories import Scene, scene_of, tight
from topics.models import Thumb
from topics.pages.live import N_FINDS, live_run


@pytest.fixture
def first(ann: User) -> Scene:
    """A first run that goes on: five pages on three sites, one of them the seed's."""
    scene = scene_of(ann, now=timezone.now(), ended=None)
    scene.entry("https://portal.test/")
    pages = ("portal.test/a", "one.test/a", "one.test/b", "two.test/a", "two.test/b")
    for number, address in enumerate(pages):
        scene.page(f"https://{address}", f"Page {number}", score=0.1 * number, baseline=True)
    for address, priority in (("https://next.test/", 0.9), ("https://later.test/", 0.5)):
        FrontierEntry.objects.create(
            crawl=scene.crawl, url=scene.url(address), priority=priority, found=scene.now
        )
    return scene


def live(scene: Scene, user: User) -> tuple[int, str, list[str]]:
    found = live_run(scene.topic, scene.run, user, scene.now)
    return found.n_new_sites, found.next_url, [page.title for page in found.finds]


def test_the_best_finds_the_new_sites_and_the_next_page_are_reported(
    first: Scene, ann: User
) -> None:
    assert live(first, ann) == (2, "https://next.test/", ["Page 4", "Page 3", "Page 2"])


def test_a_rated_find_makes_room_for_the_next(first: Scene, ann: User) -> None:
    url = first.url("https://two.test/b")
    Thumb.objects.create(user=ann, topic=first.topic, url=url, value=-1, created=first.now)
    assert live(first, ann)[2] == ["Page 3", "Page 2", "Page 1"]


def test_a_copy_of_a_find_is_not_shown_beside_it(first: Scene, ann: User) -> None:
    first.page("https://three.test/copy", "PAGE 4", score=0.39, baseline=True)
    assert live(first, ann)[2] == ["Page 4", "Page 3", "Page 2"]


def test_yes_and_no_lead_back_to_the_topic(as_ann: Client, first: Scene) -> None:
    best = first.run.harvests.get(url__page__title="Page 4")
    sent = {"value": "down", "next": first.topic.get_absolute_url()}
    answer = as_ann.post(f"/topics/chips/pages/{best.pk}/thumb", sent)
    assert answer.headers["Location"] == first.topic.get_absolute_url()
    assert Thumb.objects.get().value == -1


def test_later_runs_show_numbers_alone(first: Scene, ann: User) -> None:
    first.run.ended = first.now
    first.run.save()
    run = first.crawl.runs.create(started=first.now, n_pages=9)
    assert live_run(first.topic, run, ann, first.now).finds == []


@pytest.mark.parametrize("path", ["/topics/chips/", "/topics/chips/runs/{run}/strip"])
def test_page_and_strip_show_the_run_with_stop_and_yes_and_no(
    as_ann: Client, first: Scene, path: str
) -> None:
    html = tight(as_ann.get(path.format(run=first.run.pk)).content.decode())
    assert "https://next.test/" in html
    assert "2 new sites" in html
    assert html.count('value="up" aria-label="Yes: ') == N_FINDS
    assert html.count('value="down" aria-label="No: ') == N_FINDS
    # Without a script a person reloads.
    assert '<noscript><p><a href="/topics/chips/">Reload</a>' in html


def test_the_strip_says_when_the_run_has_ended(as_ann: Client, first: Scene) -> None:
    first.run.ended = first.now
    first.run.save()
    html = as_ann.get(f"/topics/chips/runs/{first.run.pk}/strip").content.decode()
    assert "data-ended" in html
    assert "Reload" not in html
