"""A topic has five questions about pages, once, and learns from the answers."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crawler.judging.context import make_ranker
from crawler.judging.renewal import renew_scores
from crawler.judging.rescore import rejudge
from crawler.models import Harvest, Page, Run
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from crawler.store.labels import load_labels
from crawler.store.ranks import TableRanks
from tests.topics.factories import NOON, Scene, scene_of
from tests.topics.profile.judged_pages import SUBJECTS, add_pages
from topics.models import Question, Thumb, Topic, TopicTerm
from topics.profile import feedback, questions
from topics.profile.crawl import save_crawl

State = Question.State


@pytest.fixture
def pages(ann: User) -> Scene:
    """A topic on caches with sixty stored pages, judged once; its first run has ended."""
    scene = scene_of(ann)
    seed = scene.page("https://portal.test/", "Portal")
    terms = pack_terms(text_terms(f"{SUBJECTS[0]} portal"))
    Page.objects.filter(pk=seed.url_id).update(packed_terms=terms)
    TopicTerm.objects.create(topic=scene.topic, text="cache memory")
    add_pages(scene, 60)
    rejudge(save_crawl(scene.topic, NOON), NOON)
    scene.crawl.refresh_from_db()
    # As at the end of a run.
    settings = scene.crawl.settings
    renew_scores(TableRanks(scene.crawl), settings, make_ranker(settings), (), NOON, least=0.0)
    return scene


def drawn(scene: Scene) -> list[int]:
    assert questions.draw_due(NOON) == 1
    return list(scene.topic.questions.values_list("url_id", flat=True))


def all_state() -> list[tuple[object, ...]]:
    """Whether each page is kept, its relevance, and the score of those that are kept."""
    rows = Harvest.objects.order_by("pk").values_list("kept", "relevance", "score")
    return [(kept, relevance, kept and score) for kept, relevance, score in rows]


def on_caches(url_id: int) -> bool:
    address = Harvest.objects.get(url_id=url_id).url.url
    return int(address.rsplit("/", 1)[1]) % 3 == 0


def test_five_questions_are_drawn_once_the_first_run_has_ended(pages: Scene) -> None:
    urls = drawn(pages)

    assert len(set(urls)) == 5
    assert questions.draw_due(NOON) == 0
    asking = questions.open_questions(pages.topic)
    assert asking is not None and not asking.is_offer
    assert [one.harvest.url_id for one in asking.questions] == urls


def test_nothing_is_asked_while_the_first_run_goes_on(pages: Scene) -> None:
    Run.objects.update(ended=None)
    assert questions.draw_due(NOON) == 0 and questions.open_questions(pages.topic) is None


def test_too_few_pages_are_tried_again_after_the_next_run_only(pages: Scene, ann: User) -> None:
    for harvest in Harvest.objects.all()[:57]:  # the seed is not a question, either
        feedback.set_thumb(pages.topic, ann, harvest, 1, NOON)
    assert questions.draw_due(NOON) == 0
    Thumb.objects.all().delete()
    assert questions.draw_due(NOON) == 0  # no run since then
    Run.objects.update(ended=NOON + timedelta(hours=1))
    assert questions.draw_due(NOON + timedelta(hours=2)) == 1


def test_seeds_hidden_pages_and_rated_pages_are_not_asked_about(pages: Scene, ann: User) -> None:
    first = drawn(pages)
    Question.objects.all().delete()
    feedback.set_thumb(pages.topic, ann, Harvest.objects.get(url_id=first[0]), 1, NOON)
    Page.objects.filter(pk=first[1]).update(noindex=True)
    Topic.objects.update(questions_sought=None)

    assert not {first[0], first[1]} & set(drawn(pages))


def test_answers_are_thumbs_that_train_and_their_undo_restores_everything(
    pages: Scene, ann: User
) -> None:
    urls, before = drawn(pages), all_state()

    moved = questions.take_answers(pages.topic, ann, {url: on_caches(url) for url in urls}, NOON)

    assert moved is not None and moved.total > 5
    assert set(Thumb.objects.values_list("url_id", "answers")) == {(url, True) for url in urls}
    assert all(row.answers for row in load_labels(pages.crawl))
    for url in urls:
        harvest = Harvest.objects.get(url_id=url)
        assert harvest.kept is on_caches(url)
        feedback.set_thumb(pages.topic, ann, harvest, 0, NOON)
    assert all_state() == before


def test_a_thumb_after_the_answers_only_removes_pages(pages: Scene, ann: User) -> None:
    urls = drawn(pages)
    questions.take_answers(pages.topic, ann, {url: on_caches(url) for url in urls}, NOON)
    harvest = Harvest.objects.kept().exclude(url__in=urls)[0]

    before = all_state()
    given = feedback.set_thumb(pages.topic, ann, harvest, -1, NOON)

    assert given.moved is not None and not given.moved.entered
    feedback.set_thumb(pages.topic, ann, harvest, 0, NOON)
    assert all_state() == before


def test_answered_and_skipped_questions_never_come_again(pages: Scene, ann: User) -> None:
    urls = drawn(pages)
    questions.take_answers(pages.topic, ann, {urls[0]: True}, NOON)

    assert list(pages.topic.questions.values_list("state", flat=True)) == [
        State.ANSWERED,
        *[State.SKIPPED] * 4,
    ]
    asking = questions.open_questions(pages.topic)
    assert asking is not None and asking.is_offer
    assert questions.draw_more(pages.topic, NOON) == 5
    again = pages.topic.questions.filter(state=State.OPEN).values_list("url_id", flat=True)
    assert not set(urls) & set(again)


def test_after_ten_questions_there_are_no_more(pages: Scene, ann: User) -> None:
    questions.take_answers(pages.topic, ann, dict.fromkeys(drawn(pages), True), NOON)
    questions.draw_more(pages.topic, NOON)
    opened = pages.topic.questions.filter(state=State.OPEN).values_list("url_id", flat=True)
    questions.take_answers(pages.topic, ann, dict.fromkeys(list(opened), True), NOON)

    assert questions.open_questions(pages.topic) is None
    assert questions.draw_more(pages.topic, NOON) == 0
    assert Thumb.objects.filter(answers=True).count() == 10


@pytest.mark.parametrize("how", ["dismiss", "no answer"])
def test_questions_that_are_skipped_as_a_whole_are_over(pages: Scene, ann: User, how: str) -> None:
    drawn(pages)
    if how == "dismiss":
        questions.dismiss(pages.topic)
    else:
        questions.take_answers(pages.topic, ann, {}, NOON)
    pages.topic.refresh_from_db()

    assert questions.open_questions(pages.topic) is None and questions.draw_due(NOON) == 0
    assert questions.draw_more(pages.topic, NOON) == 0 and not Thumb.objects.exists()


def test_pages_that_were_not_asked_about_cannot_be_answered(pages: Scene, ann: User) -> None:
    urls = drawn(pages)
    other = Harvest.objects.exclude(url__in=urls)[0]
    questions.take_answers(pages.topic, ann, {other.url_id: True}, NOON)
    assert not Thumb.objects.exists()


def test_answers_that_are_sent_twice_do_not_end_the_questions(pages: Scene, ann: User) -> None:
    answers = dict.fromkeys(drawn(pages), True)
    questions.take_answers(pages.topic, ann, answers, NOON)

    questions.take_answers(pages.topic, ann, answers, NOON)
    pages.topic.refresh_from_db()

    asking = questions.open_questions(pages.topic)
    assert asking is not None and asking.is_offer
    assert questions.draw_more(pages.topic, NOON) == 5


def test_an_answer_on_a_page_that_is_gone_does_not_end_the_questions(
    pages: Scene, ann: User, client: Client
) -> None:
    gone = Harvest.objects.get(url_id=drawn(pages)[0])
    Harvest.objects.filter(pk=gone.pk).delete()
    client.force_login(ann)

    answer = client.post(
        f"/topics/{pages.topic.slug}/questions", {"do": "answer", f"page-{gone.pk}": "yes"}
    )
    pages.topic.refresh_from_db()

    assert answer.status_code == 302
    asking = questions.open_questions(pages.topic)
    assert asking is not None and len(asking.questions) == 4


def test_an_old_form_leaves_the_next_questions_open(pages: Scene, ann: User) -> None:
    answers = dict.fromkeys(drawn(pages), True)
    questions.take_answers(pages.topic, ann, answers, NOON)
    questions.draw_more(pages.topic, NOON)

    questions.take_answers(pages.topic, ann, answers, NOON)
    pages.topic.refresh_from_db()

    asking = questions.open_questions(pages.topic)
    assert asking is not None and len(asking.questions) == 5


def test_five_more_are_offered_once_all_pages_asked_about_are_rated_elsewhere(
    pages: Scene, ann: User
) -> None:
    urls = drawn(pages)
    for url in urls:
        feedback.set_thumb(pages.topic, ann, Harvest.objects.get(url_id=url), 1, NOON)

    asking = questions.open_questions(pages.topic)
    assert asking is not None and asking.is_offer
    assert questions.draw_more(pages.topic, NOON) == 5
    asking = questions.open_questions(pages.topic)
    assert asking is not None
    assert not {one.harvest.url_id for one in asking.questions} & set(urls)
