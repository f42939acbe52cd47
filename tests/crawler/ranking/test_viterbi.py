"""One step of the layer-by-layer process, by hand [P2 eq. 8-13]."""

import pytest

from crawler.ranking.viterbi import dynamic_values, next_layer

WEIGHTS = {1: 0.75, 2: 0.25}


@pytest.mark.parametrize(
    ("links", "values", "expected"),
    [
        ([], {}, {}),
        ([(1, 10)], {10: 0.4}, {10: 0.3}),
        ([(1, 10), (2, 10)], {10: 0.4}, {10: 0.4}),
        ([(1, 10), (1, 10)], {10: 0.4}, {10: 0.3}),
        ([(3, 10), (1, 11)], {10: 0.4}, {}),
        ([(1, 10), (2, 11)], {10: 0.1, 11: 1.0}, {10: 0.075, 11: 0.25}),
    ],
)
def test_a_child_is_worth_its_value_times_its_parents_weights(
    links: list[tuple[int, int]], values: dict[int, float], expected: dict[int, float]
) -> None:
    assert dynamic_values(WEIGHTS, links, values) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("dynamic", "expected"),
    [
        ({}, {}),
        ({7: 0.2}, {7: 1.0}),
        ({7: 0.1, 8: 0.3, 9: 0.1}, {8: 0.75, 7: 0.25}),
        ({7: 0.0, 8: 0.0}, {7: 0.5, 8: 0.5}),
    ],
)
def test_the_best_children_share_a_weight_of_one(
    dynamic: dict[int, float], expected: dict[int, float]
) -> None:
    assert next_layer(dynamic, 2) == pytest.approx(expected)


def test_a_layer_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 page"):
        next_layer({1: 1.0}, 0)
