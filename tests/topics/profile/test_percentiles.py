"""Judging stored pages again puts each in its new place among the pages kept."""

import msgspec
import pytest
from django.contrib.auth.models import User

from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.judging.context import build_context
from crawler.judging.judged_by import is_outdated
from crawler.judging.renewal import renew_scores
from crawler.judging.rescore import rejudge
from crawler.models import Harvest, Page
from crawler.models.values import load_value, save_value
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from crawler.ranking.quantiles import Quantiles
from crawler.store.results import load_quantiles
from tests.topics.factories import NOON, Scene, scene_of
from tests.topics.profile.judged_pages import of_subject
from topics.models import TopicTerm
from topics.profile import feedback
from topics.profile.crawl import save_crawl
from topics.profile.preview import ProfileDraft, preview_profile


@pytest.fixture
def pages(ann: User) -> Scene:
    """A topic on caches with sixty stored pages that say ever less of it, judged once."""
    scene = scene_of(ann)
    scene.topic.judge, scene.topic.threshold = "cosine", 0.3
    scene.topic.ranker = "standing"
    scene.topic.link_weight, scene.topic.content_weight = 0.4, 0.6
    scene.topic.save()
    TopicTerm.objects.create(topic=scene.topic, text="cache memory")
    for number in range(60):
        # Each has words of its own: pages that repeat a few are stuffed, and do not count.
        others = " ".join(f"dish{number}n{n}" for n in range(60 + 3 * number))
        words = f"{'cache memory ' * 20} {others}"
        harvest = scene.page(
            f"https://s{number % 7}.test/{number}", f"Page {number}", kept=False, relevance=0.0
        )
        Page.objects.filter(pk=harvest.url_id).update(packed_terms=pack_terms(text_terms(words)))
    rejudge(save_crawl(scene.topic, NOON), NOON)
    scene.crawl.refresh_from_db()
    return scene


def scores() -> dict[int, float]:
    return dict(Harvest.objects.kept().values_list("pk", "score"))


def test_every_kept_page_is_scored_by_its_place(pages: Scene, ann: User) -> None:
    feedback.set_thumb(pages.topic, ann, of_subject(40), 1, NOON)

    kept, table = Harvest.objects.kept(), load_quantiles(pages.crawl)
    assert table.is_known
    seen = kept.values_list("relevance", "density", "trust")
    anew = Quantiles.of(*(list(column) for column in zip(*seen, strict=True)))
    assert table.relevances == pytest.approx(anew.relevances)
    assert table.densities == pytest.approx(anew.densities)
    assert len({density for _, density, _ in seen}) > 10
    for harvest in kept:
        content = harvest.explanation["content"]
        places = table.of_page(harvest.relevance, harvest.density)
        assert places and content["counted"] == pytest.approx(places.mean)
        parts = [part["value"] for part in harvest.explanation["parts"]]
        assert parts[1] == pytest.approx(0.6 * content["counted"])
        assert sum(parts) == pytest.approx(harvest.score)


def test_a_ranking_after_a_thumb_finds_nothing_to_renew(pages: Scene, ann: User) -> None:
    feedback.set_thumb(pages.topic, ann, of_subject(0), -1, NOON)
    board, before = DatabaseBlackboard(pages.run), scores()
    assert board.quantiles().is_known

    known = build_context(board)
    renew_scores(board, known.settings, known.ranker, known.scorers, NOON)

    assert scores() == before


def test_a_draft_foresees_the_scores_it_gives(pages: Scene) -> None:
    bar = sorted(Harvest.objects.kept().values_list("relevance", flat=True))[5]
    terms = pages.crawl.profile.terms
    seen = preview_profile(
        pages.topic, ProfileDraft(terms, pages.topic.judge, bar, 0.2, ranker="standing"), NOON
    )
    pages.topic.threshold, pages.topic.link_weight, pages.topic.content_weight = bar, 0.2, 0.8
    pages.topic.save()

    feedback.apply_profile(pages.topic, NOON)

    now = scores()
    assert seen.n_left and len(seen.best) == 10
    assert {line.pk: line.score for line in seen.best} == pytest.approx(
        {line.pk: now[line.pk] for line in seen.best}
    )


def test_another_ranking_asks_no_judge_and_stands_in_every_explanation(pages: Scene) -> None:
    """The pages' terms are gone, so a call of the judge would find nothing on topic."""
    before = scores()
    Page.objects.update(packed_terms=b"")
    pages.topic.ranker = "paper"
    pages.topic.save()

    feedback.apply_profile(pages.topic, NOON)

    assert scores().keys() == before.keys() and scores() != before
    for harvest in Harvest.objects.kept():
        content = harvest.explanation["content"]
        assert (content["by"], content["counted"]) == ("terms", harvest.content_value)
        parts = 0.4 * harvest.link_value, 0.6 * harvest.content_value
        assert harvest.score == pytest.approx(harvest.trust * sum(parts))


def test_pages_ranked_before_there_was_a_choice_are_ranked_anew(pages: Scene) -> None:
    rules = msgspec.json.decode(load_value(pages.crawl, "judged") or b"")
    assert rules.pop("ranker") == "standing" and not is_outdated(pages.crawl)

    save_value(pages.crawl, "judged", msgspec.json.encode(rules))

    assert is_outdated(pages.crawl)


def test_pages_scored_before_relevance_and_worth_were_multiplied_are_scored_again(
    pages: Scene, ann: User
) -> None:
    pages.topic.ranker = "absolute"
    pages.topic.save()
    feedback.apply_profile(pages.topic, NOON)
    known = dict(Harvest.objects.kept().values_list("pk", "score"))
    rules = msgspec.json.decode(load_value(pages.crawl, "judged") or b"")
    assert rules.pop("contents") and not is_outdated(pages.crawl)
    save_value(pages.crawl, "judged", msgspec.json.encode(rules))
    Harvest.objects.update(score=0.9)

    assert is_outdated(pages.crawl)
    feedback.apply_profile(pages.topic, NOON)

    assert dict(Harvest.objects.kept().values_list("pk", "score")) == pytest.approx(known)


@pytest.mark.parametrize("before", [{}, {"has_densities": True}, {"densities": 1}])
def test_pages_stored_before_density_was_measured_so_are_measured(
    pages: Scene, ann: User, before: dict[str, object]
) -> None:
    """An update brings another measure, but no values: only the pages' words decide."""
    known = dict(Harvest.objects.kept().values_list("pk", "density"))
    rules = msgspec.json.decode(load_value(pages.crawl, "judged") or b"")
    assert rules.pop("densities") and not is_outdated(pages.crawl)
    save_value(pages.crawl, "judged", msgspec.json.encode(rules | before))
    Harvest.objects.update(density=0.0)

    assert is_outdated(pages.crawl)
    pages.topic.link_weight, pages.topic.content_weight = 0.2, 0.8
    pages.topic.save()
    feedback.apply_profile(pages.topic, NOON)

    assert dict(Harvest.objects.kept().values_list("pk", "density")) == pytest.approx(known)
