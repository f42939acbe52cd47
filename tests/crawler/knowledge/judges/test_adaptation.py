"""Threshold and vector after an interval, by the rules of P3."""

from dataclasses import replace
from typing import Any

import pytest

from crawler.knowledge.judges.adaptation import Adaptation, AdaptationConstants, adapt, revise

PACE = AdaptationConstants(wanted=10, tighten=1.05, tighten_more=1.3, loosen=0.95, poor=0.3)
START = Adaptation(threshold=0.2)


@pytest.mark.parametrize(
    ("fetched", "relevant", "before", "threshold"),
    [
        (20, 15, START, 0.2 * 1.05),  # rule 1
        (20, 5, START, 0.2 * 1.3),  # rule 2 in its place
        (20, 6, START, 0.2 * 1.05),  # r = mu f is not below it
        (5, 5, START, 0.2 * 0.95),  # rule 3
        (5, 0, START, 0.2 * 0.95),
        (0, 0, START, 0.2 * 0.95),
        (10, 0, START, 0.2),  # neither more nor less
        (20, 15, replace(START, n_intervals=9, n_fetched=80), 0.2),  # behind in all
        (5, 5, replace(START, n_intervals=1, n_fetched=90), 0.2),  # ahead in all
        (20, 5, replace(START, threshold=0.59), 0.6),
        (5, 5, replace(START, threshold=0.0501), 0.05),
    ],
)
def test_the_threshold_follows_the_rules(
    fetched: int, relevant: int, before: Adaptation, threshold: float
) -> None:
    after = adapt(before, fetched, relevant, PACE)

    assert after.threshold == pytest.approx(threshold)
    assert after.n_intervals == before.n_intervals + 1
    assert after.n_fetched == before.n_fetched + fetched
    assert after.n_relevant == before.n_relevant + relevant


@pytest.mark.parametrize(("fetched", "relevant"), [(5, 6), (5, -1), (-1, 0)])
def test_impossible_intervals_are_refused(fetched: int, relevant: int) -> None:
    with pytest.raises(ValueError, match="relevant <= fetched"):
        adapt(START, fetched, relevant, PACE)


@pytest.mark.parametrize(
    "wrong",
    [
        {"wanted": 0},
        {"tighten": 1.0},
        {"tighten": 1.2},
        {"tighten_more": 1.05},
        {"loosen": 1.0},
        {"poor": 0.5},
        {"tighten": float("nan")},
        {"lowest": 0.0},
        {"lowest": 0.7},
    ],
)
def test_constants_outside_the_papers_ranges_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must be|need"):
        replace(PACE, **wrong)


def test_revising_moves_towards_relevant_and_away_from_irrelevant_pages() -> None:
    topic = {"grid": 0.8, "power": 0.6}

    revised = revise(
        topic, [({"relay": 1.0}, 1.0)], [({"power": 0.6, "film": 0.8}, 1.0)], pinned=()
    )

    assert revised["relay"] > 0
    assert revised["power"] / revised["grid"] < 0.6 / 0.8
    assert "film" not in revised
    assert sum(weight**2 for weight in revised.values()) == pytest.approx(1)


def test_manual_terms_stay_whatever_the_pages_say() -> None:
    topic = {"grid": 0.8, "power": 0.6}

    revised = revise(topic, [], [({"grid": 1.0}, 100.0)] * 50, pinned=("power",), loss=5.0)

    assert list(revised) == ["power"]


def test_what_pages_bring_never_outweighs_what_was_there() -> None:
    revised = revise({"grid": 1.0}, [({"film": 1.0}, 9.0)] * 99, [], pinned=("grid",), gain=1000.0)

    assert revised["film"] <= revised["grid"] + 1e-9


def test_at_most_200_terms_are_kept_besides_the_manual_ones() -> None:
    many = {f"t{number}": 0.05 for number in range(400)}

    assert len(revise({"grid": 1.0}, [(many, 1.0)], [], pinned=("grid",))) == 200


def test_nothing_to_learn_from_changes_nothing() -> None:
    assert revise({"grid": 1.0}, [], [], pinned=("grid",)) == {"grid": 1.0}
