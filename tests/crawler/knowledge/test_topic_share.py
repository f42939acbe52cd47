"""The share of topic pages among unlabelled pages."""

import numpy as np
import pytest

from crawler.knowledge.topic_share import share_by_chances, share_on_topic


def drawn(n_on: int, n_off: int, *, chance: int = 1) -> np.ndarray:
    """Scores of topic pages around 0.5, and of others around 0.1."""
    rng = np.random.default_rng(chance)
    return np.append(rng.normal(0.5, 0.05, n_on), rng.normal(0.1, 0.05, n_off))


@pytest.mark.parametrize("n_on", [0, 20, 100, 190, 200])
def test_the_share_is_found_whatever_it_is(n_on: int) -> None:
    known, fetched = drawn(20, 0, chance=2), drawn(n_on, 200 - n_on)

    share = share_on_topic(known, ["en"] * 20, fetched, ["en"] * 200)

    assert share == pytest.approx(n_on / 200, abs=0.1)


def test_pages_are_held_against_known_ones_of_their_own_language() -> None:
    """Likeness is greater in one language than in the other; all are on topic."""
    known = np.array([0.48, 0.49, 0.51, 0.52, 0.19, 0.21])
    fetched = np.array([0.49, 0.5, 0.51, 0.52] + 2 * [0.19, 0.2, 0.21, 0.22])
    of_fetched = ["zh"] * 4 + ["en"] * 8

    separation = share_on_topic(known, ["zh"] * 4 + ["en"] * 2, fetched, of_fetched)
    together = share_on_topic(known, ["en"] * 6, fetched, ["en"] * 12)

    assert separation == 1
    assert together < 0.9


def test_a_language_without_two_known_pages_is_held_against_all() -> None:
    known = np.array([0.2, 0.4, 0.6])

    assert share_on_topic(known, ["en", "en", "zh"], np.array([0.5]), ["zh"]) == 1
    assert share_on_topic(known, ["en", "en", "zh"], np.array([0.1]), ["zh"]) == 0


@pytest.mark.parametrize(("known", "fetched"), [([], [0.5]), ([0.5], [0.5]), ([0.5, 0.6], [])])
def test_too_little_is_no_measure(known: list[float], fetched: list[float]) -> None:
    share = share_on_topic(
        np.array(known), ["en"] * len(known), np.array(fetched), ["en"] * len(fetched)
    )

    assert share == 0


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5])
def test_the_verdicts_give_the_share_where_the_topic_lies_apart(share: float) -> None:
    """Scores of topic pages lie at 6, of others at 0; p is the true chance to be a known one."""
    rng = np.random.default_rng(4)
    n, n_known = 20_000, 2_000
    n_on = int(share * n)
    scores = np.append(rng.normal(6, 1, n_on), rng.normal(0, 1, n - n_on))
    known = rng.normal(6, 1, n_known)

    def chance(score: np.ndarray) -> np.ndarray:
        on, off = np.exp(-((score - 6) ** 2) / 2), np.exp(-(score**2) / 2)
        is_known, is_not = n_known * on, n_on * on + (n - n_on) * off
        shares: np.ndarray = is_known / (is_known + is_not)
        return shares

    assert share_by_chances(chance(known), chance(scores)) == pytest.approx(share, rel=0.05)


def test_no_page_is_surer_than_certain() -> None:
    assert share_by_chances(np.array([0.01, 0.01]), np.array([0.99, 0.99])) == 1
    assert share_by_chances(np.array([0.5]), np.array([0.0001])) < 0.001
