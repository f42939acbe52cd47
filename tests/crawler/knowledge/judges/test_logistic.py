"""Logistic regression, checked against a slow descent and refits."""

import numpy as np
import pytest

from crawler.knowledge.judges.logistic import fit_logistic, sigmoid

RNG = np.random.default_rng(4)
VECTORS = RNG.normal(size=(24, 60))
POSITIVE = (VECTORS[:, 0] + 0.5 * RNG.normal(size=24) > 0).astype(float)
WEIGHTS = RNG.uniform(0.2, 3, size=24)


def slow_fit(strength: float) -> tuple[np.ndarray, float]:
    """Plain gradient descent over the terms' own weights."""
    terms, bias = np.zeros(60), 0.0
    for _ in range(40_000):
        error = WEIGHTS * (sigmoid(VECTORS @ terms + bias) - POSITIVE)
        terms -= 0.004 * (VECTORS.T @ error + terms / strength)
        bias -= 0.004 * error.sum()
    return terms, bias


def test_the_dual_solution_is_that_of_gradient_descent() -> None:
    fit = fit_logistic(VECTORS @ VECTORS.T, POSITIVE, WEIGHTS, strength=0.1)
    terms, bias = slow_fit(0.1)

    assert fit.dual @ VECTORS == pytest.approx(terms, abs=1e-4)
    assert fit.bias == pytest.approx(bias, abs=1e-4)


def test_positive_pages_pull_up_and_others_down() -> None:
    fit = fit_logistic(VECTORS @ VECTORS.T, POSITIVE, WEIGHTS, strength=1.0)

    assert (fit.dual[POSITIVE == 1] >= 0).all()
    assert (fit.dual[POSITIVE == 0] <= 0).all()


def test_left_out_logits_are_near_those_of_a_fit_without_the_page() -> None:
    gram = VECTORS @ VECTORS.T
    fit = fit_logistic(gram, POSITIVE, WEIGHTS, strength=0.01)
    for page in range(0, 24, 5):
        rest = np.arange(24) != page
        without = fit_logistic(
            gram[np.ix_(rest, rest)], POSITIVE[rest], WEIGHTS[rest], strength=0.01
        )
        logit = gram[page, rest] @ without.dual + without.bias

        assert fit.left_out[page] == pytest.approx(logit, abs=0.15)
        inside = gram[page] @ fit.dual + fit.bias
        assert abs(fit.left_out[page] - logit) < 0.5 * abs(inside - logit)


@pytest.mark.parametrize("positive", [np.zeros(3), np.ones(3)])
def test_one_class_alone_is_refused(positive: np.ndarray) -> None:
    with pytest.raises(ValueError, match="both classes"):
        fit_logistic(np.eye(3), positive, np.ones(3), strength=1.0)


def test_shapes_that_do_not_agree_are_refused() -> None:
    with pytest.raises(ValueError, match="rows and columns"):
        fit_logistic(np.eye(4), np.array([1.0, 0, 0]), np.ones(3), strength=1.0)


def test_identical_pages_of_both_classes_do_not_break_it() -> None:
    fit = fit_logistic(np.ones((4, 4)), np.array([1.0, 0, 1, 0]), np.ones(4), strength=1.0)

    assert np.isfinite(fit.dual).all()
    assert fit.bias == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("scale", [0.5, 1.0, 1.5])
def test_where_it_begins_changes_nothing(scale: float) -> None:
    gram = VECTORS @ VECTORS.T
    fit = fit_logistic(gram, POSITIVE, WEIGHTS, strength=0.1)

    refit = fit_logistic(
        gram, POSITIVE, WEIGHTS, strength=0.1, start=scale * (gram @ fit.dual + fit.bias)
    )

    assert refit.dual == pytest.approx(fit.dual, abs=1e-6)
    assert refit.left_out == pytest.approx(fit.left_out, abs=1e-4)


@pytest.mark.parametrize("seed", range(200))
def test_it_settles_from_any_start_where_whole_newton_steps_alternate(seed: int) -> None:
    """Whole steps alone fail on 126 of these 200 problems; every fit reaches the minimum."""
    rng = np.random.default_rng(seed)
    n, n_terms = rng.integers(4, 40), rng.integers(1, 60)
    vectors = rng.choice([0.1, 1, 3]) * rng.normal(size=(n, n_terms))
    positive = np.zeros(n)
    positive[: rng.integers(1, n)] = 1.0
    weights = 10 ** rng.uniform(-3, 1.5, size=n)
    strength = 10 ** rng.uniform(-2, 3)
    start = rng.normal(size=n) * 10 ** rng.uniform(0, 1.5)

    fit = fit_logistic(vectors @ vectors.T, positive, weights, strength=strength, start=start)

    logits = vectors @ vectors.T @ fit.dual + fit.bias
    pull = strength * weights * (positive - sigmoid(logits))
    assert fit.dual == pytest.approx(pull, abs=1e-3 * strength * weights.max())
    assert fit.dual.sum() == pytest.approx(0, abs=1e-6 * strength * weights.max())
