"""What a draft would change, before it changes anything."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from django.contrib.auth.models import User

from crawler.knowledge.profile import CrawlSettings, WeightedTerm
from crawler.models import Harvest, Run
from tests.topics.factories import NOON, Scene, topic_of
from tests.topics.profile.judged_pages import pages as pages
from topics.profile.crawl import save_crawl
from topics.profile.preview import ProfileDraft, preview_profile

USUAL = CrawlSettings().link_weight
SOUP = ProfileDraft((WeightedTerm("soup onion"),), "cosine", 0.5, USUAL)
CACHE = ProfileDraft((WeightedTerm("cache memory"),), "cosine", 0.5, USUAL)


def test_the_draft_that_is_the_topic_changes_nothing(pages: Scene) -> None:
    seen = preview_profile(pages.topic, CACHE, NOON)
    assert (seen.n_pages, seen.n_kept) == (30, 10)
    assert (seen.n_entered, seen.n_left, seen.n_moved) == (0, 0, 0)


def test_other_terms_bring_in_and_take_out(pages: Scene) -> None:
    before = list(Harvest.objects.order_by("pk").values())
    seen = preview_profile(pages.topic, SOUP, NOON)
    assert (seen.n_entered, seen.n_left) == (10, 10)
    assert all(line.was < 0.5 <= line.relevance for line in seen.entered)
    assert all(line.relevance < 0.5 <= line.was for line in seen.left)
    assert list(Harvest.objects.order_by("pk").values()) == before


def test_the_best_come_first(pages: Scene) -> None:
    seen = preview_profile(pages.topic, CACHE, NOON)
    assert len(seen.best) == 10
    assert [line.score for line in seen.best] == sorted(
        (line.score for line in seen.best), reverse=True
    )


@pytest.mark.parametrize(("threshold", "kept"), [(0.0, 30), (0.5, 10), (1.0, 0)])
def test_the_threshold_decides_how_many_are_kept(pages: Scene, threshold: float, kept: int) -> None:
    draft = ProfileDraft(CACHE.terms, "cosine", threshold, 0.7)
    assert preview_profile(pages.topic, draft, NOON).n_kept == kept


def test_the_weights_move_the_scores(pages: Scene) -> None:
    links, content, both = (
        [line.score for line in preview_profile(pages.topic, draft, NOON).best]
        for draft in (replace(CACHE, link_weight=weight) for weight in (1.0, 0.0, 0.5))
    )
    assert links != content
    assert both == pytest.approx(np.add(links, content) / 2)


def test_a_page_that_moves_tells_its_score_before(pages: Scene) -> None:
    light = preview_profile(pages.topic, ProfileDraft(CACHE.terms, "cosine", 0.5, 1.0), NOON)
    stored = dict(Harvest.objects.values_list("pk", "score"))

    assert light.moved
    assert all(line.scored == stored[line.pk] != line.score for line in light.moved)


def test_new_pages_a_day_are_not_known_after_one_run(pages: Scene) -> None:
    assert preview_profile(pages.topic, CACHE, NOON).per_day is None
    assert pages.run.ended is not None
    Run.objects.create(crawl=pages.crawl, started=NOON, ended=NOON, n_pages=9)
    soon = pages.run.ended + timedelta(hours=11)
    assert preview_profile(pages.topic, CACHE, soon).per_day is None


def test_later_runs_tell_how_many_are_new_a_day(pages: Scene) -> None:
    assert pages.run.ended is not None
    Run.objects.create(crawl=pages.crawl, started=NOON, ended=NOON, n_pages=9)
    Harvest.objects.update(first_seen=pages.run.ended)
    some = Harvest.objects.kept().order_by("pk")[:4].values_list("pk", flat=True)
    Harvest.objects.filter(pk__in=list(some)).update(first_seen=NOON)
    seen = preview_profile(pages.topic, CACHE, pages.run.ended + timedelta(days=2))
    assert seen.per_day == pytest.approx(2.0)


def test_a_topic_without_pages_has_nothing_to_show(ann: User) -> None:
    assert preview_profile(topic_of(ann), CACHE, NOON).n_pages == 0


def test_settings_of_one_judge_are_not_given_to_another(pages: Scene) -> None:
    by_overlap = ProfileDraft(CACHE.terms, "overlap", 0.01, 0.3)

    def previewed() -> list[tuple[int, float]]:
        preview = preview_profile(pages.topic, by_overlap, NOON)
        return [(line.pk, line.relevance) for line in preview.best]

    pages.topic.judge, pages.topic.judge_parameters = "adaptive", {}
    pages.topic.save()
    save_crawl(pages.topic, NOON)
    expected = previewed()

    # Of a judge with settings that it does not know, the usual judge would take the place.
    pages.topic.judge_parameters = {"interval": 5}
    pages.topic.save()
    save_crawl(pages.topic, NOON)
    assert previewed() == expected != []
