"""How a run ended is said from what it left."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User

from crawler.judging.judged_by import note_judged
from crawler.models import FrontierEntry, Harvest, Run
from crawler.reasons import StopReason
from tests.topics.factories import Scene, scene_of
from topics.pages.rows import EmptyReason, ending, why_empty
from topics.reasons import (
    DAY_LIMIT,
    DEPTH_REACHED,
    LINKS_LEFT_OUT,
    OTHER_LIMIT,
    Sentence,
    stop_sentence,
)

ALL_FETCHED = stop_sentence(StopReason.FRONTIER_EMPTY)


@pytest.fixture
def scene(ann: User) -> Scene:
    scene = scene_of(ann, stop_reason=StopReason.FRONTIER_EMPTY)
    scene.page("https://a.test/", "A")
    return scene


def test_a_topic_without_pages_says_whether_any_reached_the_threshold(scene: Scene) -> None:
    Harvest.objects.update(kept=False, relevance=0.49)
    assert why_empty(scene.topic, worker_up=True) is EmptyReason.NOTHING_PASSED

    Harvest.objects.update(relevance=0.5)
    assert why_empty(scene.topic, worker_up=True) is EmptyReason.NONE_KEPT


def test_a_topic_whose_pages_wait_to_be_scored_again_says_so(scene: Scene) -> None:
    Harvest.objects.update(kept=False, relevance=0.49)
    note_judged(scene.crawl)
    scored = why_empty(scene.topic, worker_up=True)
    scene.crawl.describe(scene.crawl.profile, replace(scene.crawl.settings, threshold=0.3))
    scene.crawl.save()

    assert scored is EmptyReason.NOTHING_PASSED
    assert why_empty(scene.topic, worker_up=True) is EmptyReason.SCORING
    assert why_empty(scene.topic, worker_up=False) is EmptyReason.WORKER_DOWN


def change(scene: Scene, **values: Any) -> Run:
    Run.objects.filter(pk=scene.run.pk).update(**values)
    return Run.objects.get(pk=scene.run.pk)


@pytest.mark.parametrize(
    ("depth_below_limit", "n_dropped", "said"),
    [
        (1, 0, ALL_FETCHED),
        (0, 0, DEPTH_REACHED),
        (1, 7, LINKS_LEFT_OUT),
        (0, 7, DEPTH_REACHED),
    ],
)
def test_an_empty_frontier_says_what_bounded_it(
    scene: Scene, depth_below_limit: int, n_dropped: int, said: Sentence
) -> None:
    depth = scene.crawl.settings.max_depth_hops - depth_below_limit
    FrontierEntry.objects.update(depth_hops=depth)

    assert ending(change(scene, links_dropped=n_dropped)) == said


def test_traps_are_not_links_that_the_strategy_left_out(scene: Scene) -> None:
    run = change(scene, links_dropped=7, reasons={"trap": 7})

    assert ending(run) == ALL_FETCHED


@pytest.mark.parametrize("reason", [one for one in StopReason if one != "frontier_empty"])
def test_another_end_is_said_as_it_is(scene: Scene, reason: StopReason) -> None:
    limit = scene.crawl.settings.n_pages
    run = change(scene, stop_reason=reason, links_dropped=7, n_pages=limit)

    assert ending(run) == stop_sentence(reason)


@pytest.mark.parametrize(
    ("more", "said"), [(0, stop_sentence(StopReason.BUDGET)), (1, OTHER_LIMIT)]
)
def test_the_limit_of_a_run_is_the_topics_only_if_it_is(
    scene: Scene, more: int, said: Sentence
) -> None:
    run = change(scene, stop_reason=StopReason.BUDGET, n_pages=scene.crawl.settings.n_pages + more)

    assert ending(run) == said


@pytest.mark.parametrize(
    ("reasons", "said"),
    [
        ({"fetched": 3}, stop_sentence(StopReason.REST_LATER)),
        ({"fetched": 3, "site_budget": 1}, DAY_LIMIT),
    ],
)
def test_a_sites_limit_for_one_day_is_named_where_it_was_met(
    scene: Scene, reasons: dict[str, int], said: Sentence
) -> None:
    run = change(scene, stop_reason=StopReason.REST_LATER, reasons=reasons)

    assert ending(run) == said


@pytest.mark.parametrize("reason", [StopReason.REST_LATER, StopReason.ALL_REST])
def test_a_run_that_leaves_urls_names_the_limit_as_a_cause(reason: StopReason) -> None:
    """A run that begins after the limit was reached meets no such URL, and has the same end."""
    assert "limit for one day" in str(stop_sentence(reason).what)
