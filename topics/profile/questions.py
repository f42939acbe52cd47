"""Questions to a topic's owner after the first run: is this page about the topic?"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import F, Max, Q

from crawler.api.judging import (
    MOST_QUESTIONS,
    N_QUESTIONS,
    ChangedPages,
    choose_questions,
    load_training_set,
    ranks_to_compare,
    seed_pages,
)
from crawler.api.pages import is_listing
from crawler.api.tables import FrontierEntry, Harvest, unpack_terms
from focusweb.database import write_transaction
from topics.models import Question, Topic
from topics.pages.extracts import quotes_of, words_of
from topics.profile import feedback
from topics.search.snippet import Fragment

#: Of more stored pages, this many of the most relevant are considered.
MAX_CONSIDERED = 10_000


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question as a person sees it."""

    harvest: Harvest
    title: str
    extract: Fragment


@dataclass(frozen=True, slots=True)
class OpenQuestions:
    """The open questions of a topic.

    Attributes
    ----------
    is_offer : bool
        No question is open, and the user may request more.
    """

    questions: list[ShownQuestion]
    is_offer: bool


def draw_due(now: datetime) -> int:
    """Draw the first questions of a topic whose first run has ended. Return 1, or 0 if none is due.

    The next topic's turn comes with the next call.
    """
    ended = Topic.objects.annotate(last_end=Max("crawl__runs__ended"))
    due = ended.filter(
        Q(questions_sought=None) | Q(questions_sought__lt=F("last_end")),
        questions_over=False,
        questions=None,
        last_end__isnull=False,
    )
    found = [topic for topic in due.select_related("crawl") if topic.crawl and _has_ended(topic)]
    return sum(draw(topic, now) > 0 for topic in found[:1])


def _has_ended(topic: Topic) -> bool:
    """True if a run saw pages, and none goes on."""
    assert topic.crawl is not None
    first = topic.crawl.first_run()
    return first is not None and first.ended is not None and not topic.crawl.runs.open().exists()


def draw(topic: Topic, now: datetime) -> int:
    """Choose the next questions of a topic and open them. Return how many.

    None are drawn where too few pages are left, or after `MOST_QUESTIONS`.
    """
    Topic.objects.filter(pk=topic.pk).update(questions_sought=now)
    n_questions = min(N_QUESTIONS, MOST_QUESTIONS - topic.questions.count())
    urls = _chosen(topic, n_questions) if n_questions > 0 else []
    if len(urls) < n_questions:
        return 0
    Question.objects.bulk_create(
        [Question(topic=topic, url_id=url, created=now) for url in urls], ignore_conflicts=True
    )
    return len(urls)


def _chosen(topic: Topic, n_questions: int) -> list[int]:
    """Numbers of the URLs for questions, the most useful first."""
    crawl = topic.crawl
    assert crawl is not None
    training_set, answers = load_training_set(crawl), _answers(topic)
    rows = _stored(topic)
    relevances = np.array([row["relevance"] for row in rows], np.float64)
    answered = np.array([row["url_id"] in answers for row in rows], np.bool_)
    places = ranks_to_compare(relevances, answered, crawl.settings.threshold)
    numbers = [rows[place]["url_id"] for place in places]
    packed = dict(
        Harvest.objects.filter(crawl=crawl, url__in=numbers).values_list(
            "url_id", "url__page__packed_terms"
        )
    )
    chosen = choose_questions(
        [unpack_terms(packed[number]) for number in numbers],
        relevances[places],
        answered[places],
        training_set.background[: training_set.n_fetched],
        training_set.frequencies,
        n_questions,
    )
    return [numbers[place] for place in chosen]


def _answers(topic: Topic) -> frozenset[int]:
    return frozenset(topic.thumbs.filter(answers=True).values_list("url_id", flat=True))


def _stored(topic: Topic) -> list[dict[str, Any]]:
    """Stored pages that may become questions, and those already answered."""
    crawl, answers = topic.crawl, _answers(topic)
    assert crawl is not None
    settled = Q(url__in=topic.questions.values("url")) | Q(url__in=topic.thumbs.values("url"))
    settled |= Q(url__url__in=topic.examples.exclude(url="").values("url"))
    settled |= Q(url__in=[page.pk for page in seed_pages(crawl)])
    copies = FrontierEntry.objects.filter(crawl=crawl).copies()
    pages = Harvest.objects.filter(crawl=crawl, url__page__noindex=False, relevance__gt=0)
    pages = pages.exclude(url__page__packed_terms=b"").exclude(url__in=copies.values("url"))
    free = pages.exclude(url__site__name__in=crawl.settings.blocked_sites).exclude(settled)
    both = pages.filter(Q(pk__in=free.values("pk")) | Q(url__in=answers))
    rows = list(
        both.order_by("-relevance", "pk").values("url_id", "relevance", "url__page__flags")[
            :MAX_CONSIDERED
        ]
    )
    return [
        dict(row)
        for row in rows
        if row["url_id"] in answers or not is_listing(row["url__page__flags"].split(","))
    ]


def open_questions(topic: Topic) -> OpenQuestions | None:
    """Return the open questions of a topic; None if there are none."""
    if topic.questions_over or topic.crawl is None:
        return None
    found = _open_pages(topic)
    if not found:
        may_offer = 0 < topic.questions.count() < MOST_QUESTIONS
        return OpenQuestions([], is_offer=True) if may_offer else None
    words = words_of(topic.crawl)
    shown = [ShownQuestion(page, page.title, quotes_of(page, words).extract) for page in found]
    return OpenQuestions(shown, is_offer=False)


def _open_pages(topic: Topic) -> list[Harvest]:
    """Pages of open questions, in the order of the questions, without those rated elsewhere."""
    opened = topic.questions.filter(state=Question.State.OPEN)
    urls = list(opened.values_list("url_id", flat=True))
    pages = Harvest.objects.filter(crawl=topic.crawl_id, url__in=urls, url__page__isnull=False)
    pages = pages.exclude(url__in=topic.thumbs.values("url"))
    found = {page.url_id: page for page in pages.select_related("url__site", "url__page")}
    return [found[url] for url in urls if url in found]


def take_answers(
    topic: Topic, user: Any, answers: Mapping[int, bool], now: datetime
) -> ChangedPages | None:
    """Take answers to open questions, by number of the URL; the other questions are skipped.

    Without any answer the questions are over. Answers to no open question change nothing: a form
    may be sent twice.
    """
    with write_transaction():
        opened = topic.questions.filter(state=Question.State.OPEN)
        known = {
            url: answers[url] for url in opened.values_list("url_id", flat=True) if url in answers
        }
        if answers and not known:
            return ChangedPages()
        opened.filter(url__in=known).update(state=Question.State.ANSWERED)
        opened.filter(state=Question.State.OPEN).update(state=Question.State.SKIPPED)
        if not known:
            dismiss(topic)
            return ChangedPages()
        return feedback.give_answers(topic, user, known, now)


def draw_more(topic: Topic, now: datetime) -> int:
    """Open the next questions, if the person wants them. Return how many."""
    if topic.questions_over or _open_pages(topic):
        return 0
    topic.questions.filter(state=Question.State.OPEN).update(state=Question.State.SKIPPED)
    n_drawn = draw(topic, now)
    if not n_drawn:
        dismiss(topic)
    return n_drawn


def dismiss(topic: Topic) -> None:
    """End the questions of a topic."""
    topic.questions.filter(state=Question.State.OPEN).update(state=Question.State.SKIPPED)
    Topic.objects.filter(pk=topic.pk).update(questions_over=True)
