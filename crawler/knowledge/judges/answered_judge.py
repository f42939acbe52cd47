"""The mean of two judges: one knows only what was given, the other answers to questions, too."""

from dataclasses import replace

import numpy as np

from crawler.knowledge.answers import clipped_log_odds
from crawler.knowledge.judge import Example, Verdict
from crawler.knowledge.judges.focus_judge import FocusJudge
from crawler.knowledge.judges.logistic import sigmoid
from crawler.knowledge.page_matrix import PageMatrix, Vector
from crawler.page.parsed import PageTerms


class AnsweredJudge:
    """The mean log-odds of a judge without and a judge with answers as examples.

    More examples change which pages stand for what is off topic, the share of topic pages and
    the calibration. Any of them may come out worse than before: the mean of both judges is
    better than either (docs/research/questions.md). Terms, and with them the content value, are
    those of the judge without answers.

    Parameters
    ----------
    judge, taught : FocusJudge
        Built without the answers, and with them.
    """

    gives_probability = True

    def __init__(self, judge: FocusJudge, taught: FocusJudge) -> None:
        self._judge, self._taught = judge, taught
        self.topic_terms, self.term_weights = judge.topic_terms, judge.term_weights

    def judge(self, page: PageTerms) -> Verdict:
        """Return the first judge's verdict with the mean relevance; 0 stays 0."""
        verdict = self._judge.judge(page)
        return _with_mean(verdict, self._taught.judge(page).relevance)

    def relevances(self, pages: PageMatrix) -> Vector:
        """Relevance of each page, as `judge` gives it, shape (n_pages,)."""
        return _mean(self._judge.relevances(pages), self._taught.relevances(pages))

    def left_out(self, example: Example) -> float | None:
        """Relevance of a page answered with yes, as if that was not known; None of other pages."""
        taught = self._taught.left_out(example)
        if taught is None:
            return None
        return _with_mean(self._judge.judge(example.terms), taught).relevance


def _with_mean(verdict: Verdict, taught: float) -> Verdict:
    mean = _mean(np.array([verdict.relevance]), np.array([taught]))
    return replace(verdict, relevance=float(mean[0]))


def _mean(one: Vector, other: Vector) -> Vector:
    """Probabilities of the mean log-odds; 0 where a rule of the topic makes the first 0."""
    both = (clipped_log_odds(one) + clipped_log_odds(other)) / 2
    found: Vector = np.where(one > 0, sigmoid(both), 0.0)
    return found
