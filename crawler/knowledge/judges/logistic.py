"""Logistic regression of few pages in many terms, solved in the pages' own space."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.errors import ConvergenceError

Vector = NDArray[np.float64]

#: Least curvature of a page, also of one that is separated perfectly.
_LEAST_CURVATURE = 1e-9
#: Newton's steps; it takes about eight, and seldom forty.
_MAX_STEPS = 200
_CLOSE = 1e-5
#: A step is halved until it gains this share of what its slope promises (Armijo's rule).
_LEAST_GAIN = 1e-4
_MAX_HALVINGS = 40


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """A fitted separation of pages.

    Attributes
    ----------
    dual : ndarray of float64, shape (n,)
        Weight of each page: the terms' weights are ``dual @ vectors``. At least 0
        for positive pages and at most 0 for negative ones.
    left_out : ndarray of float64, shape (n,)
        Logit each page would get from a fit without it (leave-one-out).
    """

    dual: Vector
    bias: float
    left_out: Vector


def fit_logistic(
    gram: Vector,
    positive: Vector,
    weights: Vector,
    *,
    strength: float,
    start: Vector | None = None,
) -> LogisticFit:
    """Fit weighted logistic regression with an L2 penalty, given pages' inner products.

    Parameters
    ----------
    gram : ndarray of float64, shape (n, n)
        Inner products of the pages' vectors.
    positive : ndarray of float64, shape (n,)
        1 for pages on topic, 0 for others; each occurs.
    weights : ndarray of float64, shape (n,)
        Trust in each page, > 0.
    strength : float
        C, the inverse of the penalty, > 0.
    start : ndarray of float64, shape (n,), optional
        Logits to begin from, 0 if not given; those of a fit nearby save half the steps.

    Returns
    -------
    LogisticFit

    Raises
    ------
    ValueError
        If shapes do not agree, or only one class is there.
    ConvergenceError
        If Newton's steps do not settle.

    Notes
    -----
    Newton's method on the dual: each step is one symmetric solve of n + 1 equations,
    so that a few hundred pages take milliseconds, however many terms they have.
    A step that does not lower the penalised loss is halved: whole steps alone may
    alternate between two points for ever.
    Leaving one out uses the last step's quadratic model, where it is exact.
    """
    n = len(positive)
    if gram.shape != (n, n) or weights.shape != (n,):
        raise ValueError(f"need {n} rows and columns, got {gram.shape} and {weights.shape}")
    if not 0 < positive.sum() < n:
        raise ValueError("need pages of both classes")
    problem = _Problem(gram, positive, weights, strength)
    point = _Point(np.zeros(n), 0.0, np.zeros(n))
    if start is not None:
        # Logits alone have no penalised loss; the first fit from there has.
        near = problem.step_from(start)
        if problem.loss(near) < problem.loss(point):
            point = near
    for _ in range(_MAX_STEPS):
        solved = problem.step_from(point.logits)
        farthest = np.abs(solved.logits - point.logits).max()
        point = problem.search(point, solved)
        if farthest <= _CLOSE:
            break
    else:
        raise ConvergenceError(f"no logistic fit of {n} pages within {_MAX_STEPS} steps")
    return LogisticFit(point.dual, point.bias, problem.left_out(point))


@dataclass(frozen=True, slots=True)
class _Point:
    """A trial solution; its logits are ``gram @ dual + bias``."""

    dual: Vector
    bias: float
    logits: Vector

    def toward(self, other: "_Point", share: float) -> "_Point":
        """Return the point at such a share of the way to `other`."""
        return _Point(
            self.dual + share * (other.dual - self.dual),
            self.bias + share * (other.bias - self.bias),
            self.logits + share * (other.logits - self.logits),
        )


class _Problem:
    """The penalised loss of one fit, and Newton's steps down it."""

    def __init__(self, gram: Vector, positive: Vector, weights: Vector, strength: float) -> None:
        n = len(positive)
        self._gram = gram
        self._positive = positive
        self._weights = weights
        self._strength = strength
        self._system = np.zeros((n + 1, n + 1))
        self._system[n, :n] = self._system[:n, n] = 1.0

    def loss(self, point: _Point) -> float:
        """Half the squared norm of the terms' weights, plus the weighted log loss."""
        signed = np.where(self._positive > 0, -point.logits, point.logits)
        errors = self._weights @ np.logaddexp(0.0, signed)
        penalty = point.dual @ (point.logits - point.bias) / 2
        return float(penalty + self._strength * errors)

    def step_from(self, logits: Vector) -> _Point:
        """Solve the weighted least squares problem of Newton's step at such logits."""
        solved = np.linalg.solve(self._system, np.append(self._linearise(logits), 0.0))
        dual, bias = solved[:-1], float(solved[-1])
        return _Point(dual, bias, self._gram @ dual + bias)

    def search(self, point: _Point, solved: _Point) -> _Point:
        """Go towards `solved`, half as far until the loss falls enough."""
        errors = self._weights * (sigmoid(point.logits) - self._positive)
        slope = (point.dual + self._strength * errors) @ (solved.logits - point.logits)
        loss = self.loss(point)
        share = 1.0
        for _ in range(_MAX_HALVINGS):
            reached = point.toward(solved, share)
            if self.loss(reached) <= loss + _LEAST_GAIN * share * slope:
                return reached
            share /= 2
        return solved  # the loss is flat to the last digit: they are the same point

    def left_out(self, point: _Point) -> Vector:
        """Logit of each page by a fit without it, by the quadratic model at `point`."""
        targets = self._linearise(point.logits)
        inverse = np.linalg.inv(self._system)
        left_out: Vector = targets - point.dual / np.diag(inverse)[:-1]
        return left_out

    def _linearise(self, logits: Vector) -> Vector:
        """Write the equations of a Newton step; return their targets."""
        n = len(logits)
        chances = sigmoid(logits)
        variance = chances * (1 - chances)
        curvature = np.maximum(self._weights * variance, _LEAST_CURVATURE)
        self._system[:n, :n] = self._gram
        diagonal = np.arange(n)
        self._system[diagonal, diagonal] += 1 / (self._strength * curvature)
        errors = self._weights * (chances - self._positive)
        targets: Vector = logits - errors / curvature
        return targets


def sigmoid(logits: Vector) -> Vector:
    """1 / (1 + exp(-x)), without overflow."""
    chances: Vector = 1 / (1 + np.exp(-np.clip(logits, -40, 40)))
    return chances
