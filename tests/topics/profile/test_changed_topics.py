"""A change of a topic, its judge or a scorer judges the stored pages again; each page says why."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.judging.context import build_context
from crawler.judging.judged_by import is_judged
from crawler.judging.rescore import rejudge
from crawler.knowledge.profile import CrawlSettings
from crawler.models import Crawl, Harvest, Page, Run
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from focusweb.plugins import plugins
from tests.topics.factories import NOON, Scene, scene_of
from tests.topics.profile.judged_pages import of_subject
from tests.topics.profile.judged_pages import pages as pages
from tests.topics.profile.test_ontologies import read
from topics import tasks
from topics.models import TopicTerm
from topics.profile import concepts, feedback, ontologies
from topics.profile.crawl import save_crawl


def test_judging_again_changes_nothing_the_second_time(pages: Scene) -> None:
    assert rejudge(pages.crawl, NOON).total == 0


def test_a_judged_page_says_why_with_parts_that_sum_to_its_score(pages: Scene) -> None:
    kept = Harvest.objects.kept()
    assert kept.count() == 10
    for harvest in kept:
        explained = harvest.explanation
        assert sum(part["value"] for part in explained["parts"]) == pytest.approx(harvest.score)
        assert explained["judge"]["relevance"] == harvest.relevance
        assert explained["content"]["value"] == pytest.approx(harvest.content_value)
        assert explained["judge"]["matched"]


def test_a_new_threshold_stands_in_every_explanation(pages: Scene) -> None:
    pages.topic.threshold = 0.6
    pages.topic.save()
    rejudge(save_crawl(pages.topic, NOON), NOON)
    thresholds = [harvest.explanation["judge"]["threshold"] for harvest in Harvest.objects.kept()]
    assert thresholds and set(thresholds) == {0.6}


@pytest.mark.parametrize(
    ("term", "text"),
    [("laptop", "这款笔记本轻薄。笔记本的屏幕。"), ("笔记本", "A laptop with a bright screen.")],
)
def test_a_page_in_the_other_language_is_found_through_the_ontology(
    ann: User, term: str, text: str
) -> None:
    scene = scene_of(ann)
    scene.topic.name = term
    scene.topic.threshold = 0.4
    TopicTerm.objects.create(topic=scene.topic, text=term)
    scene.topic.save()
    foreign = scene.page("https://other.test/", "Page", kept=False, relevance=0.0)
    Page.objects.filter(pk=foreign.url_id).update(packed_terms=pack_terms(text_terms(text)))
    rejudge(save_crawl(scene.topic, NOON), NOON)
    foreign.refresh_from_db()
    assert not foreign.kept
    machines, _changes = ontologies.save_ontology(read(), "Machines", NOON, owner=None)
    for concept in concepts.named_concepts(scene.topic, machines):
        concepts.attach(scene.topic, concept)
    rejudge(save_crawl(scene.topic, NOON), NOON)
    foreign.refresh_from_db()
    assert foreign.kept


def test_a_moved_threshold_asks_no_judge_and_keeps_every_word(pages: Scene) -> None:
    """The pages' terms are gone, so a call of the judge would find nothing on topic."""
    before = dict(Harvest.objects.kept().values_list("pk", "relevance"))
    Page.objects.update(packed_terms=b"")
    bar = sorted(before.values())[3]
    pages.topic.threshold, pages.topic.link_weight, pages.topic.content_weight = bar, 0.4, 0.6
    pages.topic.save()

    moved = feedback.apply_profile(pages.topic, NOON)

    assert moved is not None
    assert set(moved.left) == {pk for pk, relevance in before.items() if relevance < bar}
    for harvest in Harvest.objects.kept():
        explained = harvest.explanation
        assert harvest.relevance == explained["judge"]["relevance"] == before[harvest.pk]
        assert explained["judge"]["threshold"] == bar and explained["judge"]["matched"]
        assert explained["content"]["weight"] == 0.6 and explained["content"]["matched"]
        assert sum(part["value"] for part in explained["parts"]) == pytest.approx(harvest.score)


def test_pages_that_a_lower_threshold_lets_in_say_why(pages: Scene, ann: User) -> None:
    feedback.set_thumb(pages.topic, ann, of_subject(1), 1, NOON)
    pages.topic.threshold = 0.0
    pages.topic.save()

    moved = feedback.apply_profile(pages.topic, NOON)

    assert moved is not None and len(moved.entered) > 5
    for harvest in Harvest.objects.filter(pk__in=moved.entered):
        assert harvest.explanation["judge"]["relevance"] == harvest.relevance
        assert [part["name"] for part in harvest.explanation["parts"]] == ["link", "content"]


@pytest.mark.parametrize(
    ("chosen", "named"), [("overlap", "overlap"), ("gone", CrawlSettings().judge)]
)
def test_every_page_names_the_judge_that_judged_it(pages: Scene, chosen: str, named: str) -> None:
    pages.topic.judge = chosen
    pages.topic.threshold = 0.0
    pages.topic.save()

    feedback.apply_profile(pages.topic, NOON)

    judges = [harvest.explanation["judge"]["name"] for harvest in Harvest.objects.kept()]
    assert judges and set(judges) == {named}


def test_a_topic_that_says_the_same_is_not_judged_again(pages: Scene) -> None:
    Page.objects.update(packed_terms=b"")
    pages.topic.every_hours = 5
    pages.topic.save()
    moved = feedback.apply_profile(pages.topic, NOON)
    assert moved is not None and moved.total == 0
    assert Harvest.objects.kept().exists()


def test_a_change_nobody_judged_by_is_found_and_done_once(pages: Scene) -> None:
    TopicTerm.objects.update(text="soup onion")
    save_crawl(pages.topic, NOON)
    assert feedback.outdated_crawls() == [pages.crawl.pk]

    assert tasks.judge_stored(pages.crawl.pk) == "20 pages changed rank"
    assert feedback.outdated_crawls() == []
    assert tasks.judge_stored(pages.crawl.pk) == "nothing to do"
    assert tasks.judge_stored(0) == "nothing to do"
    assert of_subject(1).kept and not of_subject(0).kept


SCORER = """
from dataclasses import dataclass
from crawler.ranking.scorers import Opinion
from focusweb.hookspecs import hookimpl
from focusweb.plugin_settings import setting

@dataclass
class Settings:
    share: float = setting(0.2, "share gained", highest=0.3)

class Liked:
    name = "liked"
    def __init__(self, share):
        self.share = share
    def opinion(self, page):
        return Opinion(self.share, "it is liked")

@hookimpl
def scorers(settings):
    return [Liked(settings.share)]
"""


def test_a_scorer_that_is_switched_on_or_off_scores_the_stored_pages_again(
    pages: Scene, settings: Settings, tmp_path: Path
) -> None:
    settings.PLUGINS_DIR = tmp_path
    (tmp_path / "liked.py").write_text(SCORER)
    usual = {row.pk: row.score for row in Harvest.objects.kept()}
    states, board = plugins().states, DatabaseBlackboard(pages.run)
    context = build_context(board)

    def judge_again() -> dict[int, float]:
        """Judge in the background, as the timer does, and return the gain of each page."""
        assert feedback.outdated_crawls() == [pages.crawl.pk]
        tasks.judge_stored(pages.crawl.pk)
        assert feedback.outdated_crawls() == []
        return {
            row.pk: (row.score - usual[row.pk]) / (1 - usual[row.pk])
            for row in Harvest.objects.kept()
        }

    states.switch("liked", on=True)
    assert judge_again() == {pk: pytest.approx(0.2) for pk in usual}
    explained = Harvest.objects.kept().earliest("pk").explanation
    assert "it is liked" in str(explained)
    states.set_up("liked", {"share": 0.1})
    assert judge_again() == {pk: pytest.approx(0.1) for pk in usual}
    fresh = build_context(board, context)
    assert len(fresh.scorers) == len(context.scorers) + 1
    assert build_context(board, fresh) is fresh

    states.switch("liked", on=False)
    assert judge_again() == {pk: pytest.approx(0.0) for pk in usual}
    assert "liked" not in str([row.explanation for row in Harvest.objects.kept()])


@pytest.mark.parametrize("by", ["thumb", "threshold"])
def test_a_page_that_enters_is_scored_by_the_terms_of_the_topic_as_they_are_now(
    pages: Scene, ann: User, by: str
) -> None:
    pages.topic.ranker = "paper"
    TopicTerm.objects.create(topic=pages.topic, text="onion soup broth", weight=0.01)
    feedback.apply_profile(pages.topic, NOON)
    hidden = of_subject(1)
    assert not hidden.kept

    if by == "thumb":
        feedback.set_thumb(pages.topic, ann, hidden, 1, NOON)
    else:
        pages.topic.threshold = 0.01
        pages.topic.save()
        feedback.apply_profile(pages.topic, NOON)

    entered = of_subject(1)
    content = entered.explanation["content"]
    assert len(content["matched"]) == 3
    assert entered.content_value == content["value"] == 3 / content["n_key"]
    assert entered.score > 0.7 * entered.content_value


def test_a_hidden_page_names_the_present_judge_and_no_term_that_is_not_required_any_more(
    pages: Scene,
) -> None:
    term = TopicTerm.objects.create(topic=pages.topic, text="soup", required=True)
    pages.topic.threshold = 0.99
    feedback.apply_profile(pages.topic, NOON)
    Harvest.objects.filter(pk=of_subject(0).pk).update(
        explanation={"judge": {"name": "focus", "note": "required_missing"}}
    )
    term.delete()
    pages.topic.judge = "cosine"
    feedback.apply_profile(pages.topic, NOON)

    hidden = of_subject(0)
    assert not hidden.kept and hidden.relevance > 0
    judge = hidden.explanation["judge"]
    assert (judge["name"], judge["note"]) == ("cosine", "")


def test_a_run_that_ends_judges_by_the_topic_as_it_is_now(pages: Scene) -> None:
    board = DatabaseBlackboard(Run.objects.select_related("crawl").get())
    assert Harvest.objects.kept().count() == 10
    pages.topic.threshold = 1.0
    pages.topic.save()
    feedback.apply_profile(pages.topic, NOON)
    n_kept = Harvest.objects.kept().count()

    board.rejudge_stored(NOON)

    assert Harvest.objects.kept().count() == n_kept < 10
    assert is_judged(Crawl.objects.get(pk=pages.crawl.pk))
