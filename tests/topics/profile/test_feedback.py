"""Thumbs reach the judge, the stored pages and the agents, quickly and permanently."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection

from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.judging.context import build_context
from crawler.judging.rescore import ChangedPages, rejudge
from crawler.judging.training import load_training_set
from crawler.models import Crawl, Harvest, IndexOutbox, Page
from crawler.models.web import pack_terms, unpack_terms
from crawler.page.page_terms import text_terms
from crawler.store.labels import load_labels
from tests.topics.factories import NOON, Scene
from tests.topics.profile.judged_pages import of_subject
from tests.topics.profile.judged_pages import pages as pages
from topics.models import Thumb
from topics.profile import examples, feedback


def test_a_thumb_up_lifts_pages_of_its_kind(pages: Scene, ann: User) -> None:
    before = of_subject(4).relevance
    given = feedback.set_thumb(pages.topic, ann, of_subject(1), 1, NOON)
    assert of_subject(1).kept
    assert given.moved is not None and of_subject(1).pk in given.moved.entered
    assert of_subject(4).relevance > before
    entered = set(Harvest.objects.filter(pk__in=given.moved.entered).values_list("url", flat=True))
    assert entered <= set(IndexOutbox.objects.values_list("page_id", flat=True))


def test_taking_a_thumb_back_restores_everything(pages: Scene, ann: User) -> None:
    def state() -> list[tuple[object, ...]]:
        return list(Harvest.objects.order_by("pk").values_list("kept", "relevance", "explanation"))

    before = state()
    feedback.set_thumb(pages.topic, ann, of_subject(0), -1, NOON)
    assert not of_subject(0).kept and state() != before
    feedback.set_thumb(pages.topic, ann, of_subject(0), 0, NOON)
    assert state() == before


def test_agents_are_briefed_again_after_a_thumb(pages: Scene, ann: User) -> None:
    board = DatabaseBlackboard(pages.run)
    first = build_context(board)
    assert build_context(board, first) is first
    feedback.set_thumb(pages.topic, ann, of_subject(1), 1, NOON)
    second = build_context(board, first)
    assert second.version > first.version
    like = unpack_terms(Page.objects.get(pk=of_subject(4).url_id).packed_terms)
    assert second.feedback.relevance(like, 0.2) > 0.2 == first.feedback.relevance(like, 0.2)


def test_the_same_word_again_is_no_news(pages: Scene, ann: User) -> None:
    feedback.set_thumb(pages.topic, ann, of_subject(1), 1, NOON)
    assert feedback.set_thumb(pages.topic, ann, of_subject(1), 1, NOON).moved == ChangedPages()


def test_a_thumb_outweighs_the_example_that_names_the_same_page(pages: Scene, ann: User) -> None:
    url = of_subject(1).url.url
    examples.add_url(pages.topic, url, NOON, good=True)
    feedback.apply_labels(pages.topic, NOON)
    before = of_subject(1).relevance
    feedback.set_thumb(pages.topic, ann, of_subject(1), -1, NOON)
    assert [(row.good, row.decided) for row in load_labels(pages.crawl)] == [
        (True, False),
        (False, True),
    ]
    assert not of_subject(1).kept and of_subject(1).relevance < before


def test_a_judge_learns_nothing_from_a_thumb(pages: Scene, ann: User) -> None:
    before = load_training_set(pages.crawl)
    feedback.set_thumb(pages.topic, ann, of_subject(1), -1, NOON)
    after = load_training_set(pages.crawl)
    assert after.examples == before.examples
    assert list(after.background) == list(before.background)
    assert [example.good for example in after.rated] == [False]


def test_a_bad_example_lowers_pages_like_it_and_the_judge_learns_nothing(pages: Scene) -> None:
    was, training_set = of_subject(3).relevance, load_training_set(pages.crawl)
    examples.add_url(pages.topic, of_subject(0).url.url, NOON, good=False)
    moved = feedback.apply_labels(pages.topic, NOON)
    assert moved is not None and not moved.entered
    assert of_subject(3).relevance < was
    after = load_training_set(pages.crawl)
    assert after.examples == training_set.examples
    assert list(after.background) == list(training_set.background)


def test_a_page_that_asks_not_to_be_indexed_stays_out(pages: Scene, ann: User) -> None:
    Page.objects.filter(pk=of_subject(0).url_id).update(noindex=True)
    feedback.set_thumb(pages.topic, ann, of_subject(0), 1, NOON)
    assert not of_subject(0).kept


@pytest.mark.parametrize("value", [2, -2, 10])
def test_a_thumb_is_up_or_down(pages: Scene, ann: User, value: int) -> None:
    with pytest.raises(ValueError, match="a thumb is"):
        feedback.set_thumb(pages.topic, ann, of_subject(0), value, NOON)
    assert not Thumb.objects.exists()


def test_pages_that_enter_get_the_links_they_have(pages: Scene, ann: User) -> None:
    pages.link(of_subject(0).url.url, of_subject(1).url.url)
    feedback.set_thumb(pages.topic, ann, of_subject(1), 1, NOON)
    assert of_subject(1).n_linking_sites == 1
    assert of_subject(1).link_value > 0


def state_of_all() -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """What the judge says of every page; and the kept ones in order with all they are shown by."""
    columns = "pk", "kept", "relevance", "judge_relevance", "trust", "density"
    kept = Harvest.objects.kept().order_by("-score", "pk")
    return (
        list(
            Harvest.objects.filter(crawl__topic__isnull=False).order_by("pk").values_list(*columns)
        ),
        list(kept.values_list("pk", "score", "explanation", "n_linking_sites", "link_scale")),
    )


@pytest.mark.parametrize("value", [1, -1])
def test_any_thumb_moves_pages_one_way_and_its_undo_restores_every_score(
    pages: Scene, ann: User, value: int
) -> None:
    """Also while another crawl fetches: its pages must not change the result of the thumb."""
    other = Crawl.objects.create(key="other", first_seen=NOON)
    for number in range(0, 30, 4):
        before, was = state_of_all(), dict(Harvest.objects.values_list("pk", "relevance"))
        given = feedback.set_thumb(pages.topic, ann, of_subject(number), value, NOON)
        assert given.moved is not None
        assert (given.moved.left if value > 0 else given.moved.entered) == ()
        assert of_subject(number).kept is (value > 0)
        now = dict(Harvest.objects.values_list("pk", "relevance"))
        assert all(value * (now[pk] - was[pk]) >= 0 for pk in was)
        stray = pages.page(f"https://other.test/of/{number}x", "Other", kept=False)
        Harvest.objects.filter(pk=stray.pk).update(crawl=other)
        Page.objects.filter(pk=stray.url_id).update(packed_terms=pack_terms(text_terms("memory")))
        feedback.set_thumb(pages.topic, ann, of_subject(number), 0, NOON)
        assert state_of_all() == before


def test_thumbs_on_top_of_each_other_are_undone_in_any_order(pages: Scene, ann: User) -> None:
    before = state_of_all()
    for number, value in ((0, -1), (1, 1), (3, -1), (6, 1)):
        feedback.set_thumb(pages.topic, ann, of_subject(number), value, NOON)
    assert state_of_all() != before
    for number in (1, 6, 0, 3):
        feedback.set_thumb(pages.topic, ann, of_subject(number), 0, NOON)
    assert state_of_all() == before


def test_pages_judged_before_this_was_noted_are_judged_once_more(pages: Scene, ann: User) -> None:
    Harvest.objects.update(judge_relevance=None)
    feedback.set_thumb(pages.topic, ann, of_subject(0), -1, NOON)
    assert not Harvest.objects.filter(judge_relevance=None).exists()


def test_a_thumb_given_while_pages_are_judged_stands(pages: Scene, ann: User) -> None:
    given: list[str] = []

    def give_thumb(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if '"memo"' in sql and not given:  # The labels and pages are read, and not judged yet.
            given.append(sql)
            feedback.set_thumb(pages.topic, ann, of_subject(0), -1, NOON)
        return execute(sql, *rest)

    assert of_subject(0).kept
    # So that the judge's word on the page is written anew.
    Harvest.objects.update(judge_relevance=0.123)

    with connection.execute_wrapper(give_thumb):
        rejudge(pages.crawl, NOON, anew=True)

    assert given and not of_subject(0).kept
    assert rejudge(pages.crawl, NOON).total == 0
