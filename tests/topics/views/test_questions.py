"""The topic page shows questions, takes answers, and stops."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.translation import override

from crawler.models import Harvest
from tests.topics.factories import NOON, Scene
from tests.topics.views.test_knowledge_pages import said
from topics.models import Question, Thumb

ADDRESS = "/topics/chips/questions"


@pytest.fixture
def with_questions(pages: Scene) -> list[Harvest]:
    """Ann's topic has questions about its three stored pages."""
    found = list(Harvest.objects.order_by("pk"))
    for harvest in found:
        Question.objects.create(topic=pages.topic, url=harvest.url, created=NOON)
    return found


def answers(with_questions: list[Harvest], *values: str) -> dict[str, str]:
    given = {f"page-{one.pk}": value for one, value in zip(with_questions, values, strict=True)}
    return given | {"do": "answer"}


def test_the_topic_page_asks_with_title_site_and_extract(
    as_ann: Client, with_questions: list[Harvest]
) -> None:
    html = said(as_ann.get("/topics/chips/"))

    # It names no number: each rating makes the questions fewer.
    assert "Is this about your topic? Answer the questions below." in html
    part = html.split('class="questions"')[1].split("</section>")[0]
    assert "Cache &lt;lines&gt; &amp; pipelines" in part and "notes.test" in part
    assert part.count('value="yes"') == part.count('value="no"') == 3
    assert part.count('value="skip" checked') == 3 and 'class="snippet"' in part


def test_it_asks_in_chinese(as_ann: Client, with_questions: list[Harvest]) -> None:
    with override("zh-hans"):
        html = said(as_ann.get("/topics/chips/", headers={"accept-language": "zh-hans"}))
    assert "这些网页与你的主题相关吗？" in html and "全部跳过，不再询问" in html


def test_answers_become_thumbs_and_the_page_says_what_moved(
    as_ann: Client, with_questions: list[Harvest]
) -> None:
    html = said(as_ann.post(ADDRESS, answers(with_questions, "yes", "no", "skip"), follow=True))

    assert "moved" in html and "Five more questions?" in html
    given = dict(Thumb.objects.values_list("url_id", "value"))
    assert given == {with_questions[0].url_id: 1, with_questions[1].url_id: -1}
    assert Harvest.objects.get(pk=with_questions[1].pk).kept is False
    listed = said(as_ann.get("/topics/chips/examples/"))
    assert "Undo: Cache &lt;lines&gt;" in listed


@pytest.mark.parametrize("do", ["dismiss", "answer"])
def test_skipped_as_a_whole_they_never_come_again(
    as_ann: Client, with_questions: list[Harvest], do: str
) -> None:
    as_ann.post(ADDRESS, answers(with_questions, "skip", "skip", "skip") | {"do": do})

    assert 'class="questions"' not in said(as_ann.get("/topics/chips/"))
    assert not Thumb.objects.exists()


def test_where_nothing_is_left_to_ask_the_page_says_so(
    as_ann: Client, with_questions: list[Harvest]
) -> None:
    as_ann.post(ADDRESS, answers(with_questions, "yes", "yes", "yes"))
    html = said(as_ann.post(ADDRESS, {"do": "more"}, follow=True))
    assert "There are no more pages to ask about." in html
    assert 'class="questions"' not in html


def test_a_person_cannot_answer_for_somebody_else(
    client: Client, bob: User, with_questions: list[Harvest]
) -> None:
    client.force_login(bob)
    assert client.post(ADDRESS, answers(with_questions, "yes", "yes", "yes")).status_code == 404
    assert not Thumb.objects.exists()


@pytest.mark.parametrize("fields", [{}, {"do": "sing"}])
def test_an_unknown_wish_is_refused(
    as_ann: Client, with_questions: list[Harvest], fields: dict[str, str]
) -> None:
    assert as_ann.post(ADDRESS, fields).status_code == 400


def test_a_strange_answer_counts_as_skipped(as_ann: Client, with_questions: list[Harvest]) -> None:
    as_ann.post(
        ADDRESS, {"do": "answer", "page-x": "yes", f"page-{with_questions[0].pk}": "perhaps"}
    )
    assert not Thumb.objects.exists()


def test_looking_at_the_page_changes_nothing(as_ann: Client, with_questions: list[Harvest]) -> None:
    as_ann.get("/topics/chips/")
    assert as_ann.get(ADDRESS).status_code == 405
    assert set(Question.objects.values_list("state", flat=True)) == {"open"}
