"""A person who answers the questions after a first crawl, played by a snapshot's labels.

Only here do labels reach a judge's relevance: they stand for the person's answers.
"""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from crawler.knowledge.feedback import Feedback
from crawler.knowledge.judge import Example
from crawler.knowledge.page_matrix import PageMatrix
from crawler.knowledge.questions import N_QUESTIONS, choose_questions, ranks_to_compare
from crawler.replay.memory_blackboard import MemoryBlackboard


def answer_questions(
    board: MemoryBlackboard, relevant: Collection[str], n_answers: int
) -> tuple[dict[str, float], frozenset[str]]:
    """Answer questions about pages of a finished crawl, five at a time, and correct all relevances.

    Parameters
    ----------
    board : MemoryBlackboard
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
    is_open = np.array(
        [
            not row.kept_out and row.url not in board.profile.seeds and len(row.terms) > 0
            for row in rows
        ],
        np.bool_,
    )
    is_open &= judged > 0
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
        rated = [
            Example(rows[one].terms, good[one], page=one, answers=True) for one in answered_rows
        ]
        feedback = Feedback.of(
            board.profile, replace(training_set, rated=rated), lambda one: float(judged[one.page])
        )
        found = feedback.relevances(matrix, judged)
    return dict(zip(keys, found.tolist(), strict=True)), frozenset(
        keys[one] for one in answered_rows
    )
