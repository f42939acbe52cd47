"""A person who answers the questions after a first crawl, played by a snapshot's labels.

Only here do labels reach a judge's relevance: they stand for the person's answers.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from crawler.judging.context import make_judge
from crawler.knowledge.feedback import Feedback, RelevanceOf
from crawler.knowledge.judge import Example, TrainingSet, without_own_answer
from crawler.knowledge.page_matrix import PageMatrix, Vector, relevances
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.questions import N_QUESTIONS, choose_questions, ranks_to_compare
from crawler.knowledge.sections import Sections
from crawler.replay.memory_blackboard import MemoryBlackboard


def answer_questions(
    board: MemoryBlackboard, relevant: Collection[str], n_answers: int
) -> tuple[dict[str, float], frozenset[str]]:
    """Answer questions about pages of a finished crawl, five at a time, and correct all relevances.

    Parameters
    ----------
    relevant : collection of str
        Keys of the pages that carry the topic's label.
    n_answers : int
        >= 0; fewer are given where fewer pages are open.

    Returns
    -------
    relevances : dict of str to float
        Of every fetched page, by its key.
    answered : frozenset of str
        Keys of the pages with an answer.
    """
    training_set, rows = board.training_set(), board.judged_pages()
    keys = [row.url.partition("://")[2] for row in rows]
    good = [key in relevant for key in keys]
    judged = np.array([row.relevance for row in rows], np.float64)
    matrix = PageMatrix.of([row.terms for row in rows])
    is_kept_out = np.array([row.kept_out for row in rows], np.bool_)
    is_open = np.array(
        [row.url not in board.profile.seeds and len(row.terms) > 0 for row in rows], np.bool_
    )
    is_open &= ~is_kept_out & (judged > 0)
    answered_rows: list[int] = []
    found = judged
    while len(answered_rows) < n_answers:
        places = np.flatnonzero(is_open)
        answered = np.isin(places, answered_rows)
        compared = ranks_to_compare(found[places], answered, board.settings.threshold)
        chosen = choose_questions(
            [rows[place].terms for place in places[compared]],
            found[places[compared]],
            answered[compared],
            training_set.background[: training_set.n_fetched],
            training_set.frequencies,
            min(N_QUESTIONS, n_answers - len(answered_rows)),
        )
        if not chosen:
            break
        answered_rows += places[compared][chosen].tolist()
        rated = answer_examples(matrix, {one: good[one] for one in answered_rows})
        taught = replace(training_set, rated=rated)
        again = judged_with_answers(
            board.profile, board.settings, taught, matrix, [row.url for row in rows]
        )
        again = np.where(is_kept_out, judged, again)
        feedback = Feedback.of(board.profile, taught, _by_number(again))
        found = feedback.relevances(matrix, again)
    return dict(zip(keys, found.tolist(), strict=True)), frozenset(
        keys[one] for one in answered_rows
    )


def answer_examples(pages: PageMatrix, answers: Mapping[int, bool]) -> list[Example]:
    """Return answers, by the place of the page, as rated examples; pages are numbered from 1."""
    return [
        Example(pages.pages[place], good, page=place + 1, answers=True)
        for place, good in answers.items()
    ]


def judged_with_answers(
    profile: TopicProfile,
    settings: CrawlSettings,
    training_set: TrainingSet,
    pages: PageMatrix,
    urls: Sequence[str],
) -> Vector:
    """Relevance of each page by a judge that learns from `answer_examples`, shape (n_pages,).

    Of a page that the judge learnt from, as if it did not know that answer; with what the sections
    of the pages' URLs change.
    """
    judge = make_judge(profile, settings, training_set)
    judged = relevances(judge, pages)
    for number, relevance in without_own_answer(judge, training_set).items():
        judged[number - 1] = relevance
    sections = Sections.by(judge, urls, judged)
    return sections.relevances(urls, judged)


def _by_number(judged: Vector) -> RelevanceOf:
    """Return the relevance of rated pages, whose numbers count from 1."""
    return lambda example: float(judged[example.page - 1])
