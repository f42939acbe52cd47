"""Logistic regression of few pages in many terms, solved in the pages' own space."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.errors import ConvergenceError

Vector = NDArray[np.float64]

#: A page that is told apart for certain still keeps this much curvature.
_LEAST_CURVATURE = 1e-9
#: Newton's steps; it takes about eight.
_MAX_STEPS = 120
#: Steps of Newton's method before they are halved.
_WHOLE_STEPS = 30
_CLOSE = 1e-5


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted separation of pages.

    Attributes
    ----------
    dual : ndarray of float64, shape (n,)
        Weight of each page: the terms' weights are ``dual @ vectors``. At least 0
        for positive pages and at most 0 for negative ones.
    bias : float
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
) -> Fit:
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
    Fit

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
    Leaving one out uses the last step's quadratic model, where it is exact.
    """
    n = len(positive)
    if gram.shape != (n, n) or weights.shape != (n,):
        raise ValueError(f"need {n} rows and columns, got {gram.shape} and {weights.shape}")
    if not 0 < positive.sum() < n:
        raise ValueError("need pages of both classes")
    logits = np.zeros(n) if start is None else start
    system = np.zeros((n + 1, n + 1))
    system[n, :n] = system[:n, n] = 1.0
    for number in range(_MAX_STEPS):
        targets = _linearise(system, gram, logits, positive, weights, strength)
        solved = np.linalg.solve(system, np.append(targets, 0.0))
        dual, bias = solved[:n], float(solved[n])
        step = gram @ dual + bias - logits
        # Whole steps may go to and fro between two points for ever; half ones do not.
        logits = logits + (step if number < _WHOLE_STEPS else step / 2)
        if np.abs(step).max() <= _CLOSE:
            break
    else:
        raise ConvergenceError(f"no logistic fit of {n} pages within {_MAX_STEPS} steps")
    targets = _linearise(system, gram, logits, positive, weights, strength)
    left_out = targets - dual / np.diag(np.linalg.inv(system))[:n]
    return Fit(dual, bias, left_out)


def _linearise(
    system: Vector,
    gram: Vector,
    logits: Vector,
    positive: Vector,
    weights: Vector,
    strength: float,
) -> Vector:
    """Write the weighted least squares problem of a Newton step; return its targets."""
    n = len(positive)
    chances = sigmoid(logits)
    curvature = np.maximum(weights * chances * (1 - chances), _LEAST_CURVATURE)
    system[:n, :n] = gram
    system[np.arange(n), np.arange(n)] += 1 / (strength * curvature)
    targets: Vector = logits - weights * (chances - positive) / curvature
    return targets


def sigmoid(logits: Vector) -> Vector:
    """1 / (1 + exp(-x)), without overflow."""
    chances: Vector = 1 / (1 + np.exp(-np.clip(logits, -40, 40)))
    return chances
