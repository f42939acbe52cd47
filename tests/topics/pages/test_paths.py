"""The way from a seed to a page, however odd the crawl was."""

import msgspec
import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from crawler.models import FrontierEntry
from crawler.store.removal import remove_site
from tests.topics.factories import NOON, Scene
from topics.pages.paths import MAX_HOPS, paths_from_seed


def chain(scene: Scene, n: int) -> list[str]:
    """Addresses of which each was found on the one before."""
    made = [f"https://deep.test/{number}" for number in range(n)]
    for number, address in enumerate(made):
        scene.entry(address, made[number - 1] if number else None)
    return made


def path(scene: Scene, address: str) -> list[str]:
    url = scene.url(address)
    return [step.url for step in paths_from_seed(scene.crawl, [url.pk])[url.pk]]


def test_a_path_goes_from_the_seed_to_the_page(scene: Scene) -> None:
    made = chain(scene, 4)
    assert path(scene, made[3]) == made
    assert path(scene, made[0]) == made[:1]


@pytest.mark.parametrize(
    ("n", "said"),
    [(2, "a seed redirects here"), (3, "1 click from a seed"), (4, "2 clicks from a")],
)
def test_a_redirect_is_a_step_and_no_click(scene: Scene, client: Client, n: int, said: str) -> None:
    made = chain(scene, n - 1)
    harvest = scene.page("https://deep.test/last", "Last", parent=made[-1])
    steps = [*made, "https://deep.test/last"]
    seed = FrontierEntry.objects.filter(url=scene.url(made[0]))
    seed.update(redirects_to=scene.url(steps[1]), reason="redirected")
    client.force_login(scene.topic.owner)

    shown = client.get(f"/topics/{scene.topic.slug}/pages/{harvest.pk}/path").content.decode()

    assert path(scene, "https://deep.test/last") == steps
    assert said in shown


def test_a_very_long_path_keeps_its_end(scene: Scene) -> None:
    made = chain(scene, MAX_HOPS + 5)
    assert path(scene, made[-1]) == made[-MAX_HOPS:]


@pytest.mark.parametrize(
    ("n", "beginning"),
    [
        (MAX_HOPS, "A seed of this topic."),
        (MAX_HOPS + 1, "The path is longer: its first steps are not shown."),
    ],
)
def test_a_path_whose_seed_is_not_shown_does_not_begin_with_one(
    scene: Scene, n: int, beginning: str
) -> None:
    key = scene.url(chain(scene, n)[-1]).pk

    assert paths_from_seed(scene.crawl, [key])[key].beginning() == beginning


def test_a_path_does_not_begin_with_a_page_whose_link_was_deleted_with_a_site(
    scene: Scene,
) -> None:
    made = chain(scene, 3)
    gone = scene.url("https://gone.test/")
    found = FrontierEntry.objects.filter(url=scene.url(made[0]))
    found.update(parent=gone, depth_hops=1)

    remove_site(gone.site, NOON)

    assert path(scene, made[2]) == made
    first = paths_from_seed(scene.crawl, [scene.url(made[2]).pk])[scene.url(made[2]).pk]
    assert first.beginning() == "The path is longer: its first steps are not shown."


def test_a_ring_of_parents_ends(scene: Scene) -> None:
    made = chain(scene, 3)
    first = FrontierEntry.objects.get(url=scene.url(made[0]))
    first.parent = scene.url(made[2])
    first.save()
    assert path(scene, made[2]) == made


def test_an_address_outside_the_frontier_has_no_path(scene: Scene) -> None:
    assert path(scene, "https://unknown.test/") == []


def test_a_seed_that_was_taken_away_is_said_to_have_been_one(scene: Scene) -> None:
    scene.entry("https://gone.test/")
    pasted = msgspec.msgpack.encode({"source": "pasted"})
    FrontierEntry.objects.update(memo=pasted)
    both = [scene.url(address).pk for address in ("https://portal.test/", "https://gone.test/")]
    paths = paths_from_seed(scene.crawl, both)

    said = {one.steps[0].url: one.beginning() for one in paths.values()}

    assert said == {
        "https://portal.test/": "A seed of this topic.",
        "https://gone.test/": "It was a seed of this topic.",
    }


@pytest.mark.parametrize("n_pages", [1, 10])
def test_many_paths_cost_one_query(
    scene: Scene, django_assert_num_queries: DjangoAssertNumQueries, n_pages: int
) -> None:
    made = chain(scene, 3)
    leaves = [f"https://leaf.test/{number}" for number in range(n_pages)]
    for leaf in leaves:
        scene.entry(leaf, made[2])
    with django_assert_num_queries(1):
        paths = paths_from_seed(scene.crawl, [scene.url(leaf).pk for leaf in leaves])
    assert len(paths) == n_pages


@pytest.mark.parametrize(
    ("memo", "sentence"),
    [
        ({}, "A seed of this topic."),
        ({"source": "searxng"}, "Found by a search of this topic."),
        ({"source": "forum"}, "Found by the source forum."),
    ],
)
def test_a_path_says_which_source_brought_its_seed(
    scene: Scene, memo: dict[str, str], sentence: str
) -> None:
    made = chain(scene, 2)
    FrontierEntry.objects.filter(url=scene.url(made[0])).update(memo=msgspec.msgpack.encode(memo))
    key = scene.url(made[1]).pk

    assert paths_from_seed(scene.crawl, [key])[key].beginning() == sentence
