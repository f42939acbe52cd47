"""Which sites' front pages are looked at again."""

import pytest

from crawler.revisit.places import LEAST_KEPT, MAX_FRONTS, sites_to_front


@pytest.mark.parametrize(
    ("kept", "fed", "expected"),
    [
        ({}, (), []),
        ({"a.test": LEAST_KEPT - 1}, (), []),
        ({"a.test": LEAST_KEPT}, (), ["a.test"]),
        ({"a.test": 9}, ("a.test",), []),
        ({"c.test": 2, "b.test": 2, "a.test": 2, "z.test": 5}, ("y.test",),
         ["z.test", "a.test", "b.test", "c.test"]),
    ],
)  # fmt: skip
def test_sites_without_a_feed_that_gave_pages_are_chosen_best_first(
    kept: dict[str, int], fed: tuple[str, ...], expected: list[str]
) -> None:
    assert sites_to_front(kept, fed) == expected


def test_they_are_bounded() -> None:
    kept = {f"{n}.test": n for n in range(2, MAX_FRONTS + 50)}
    chosen = sites_to_front(kept, ())

    assert len(chosen) == MAX_FRONTS
    assert chosen[0] == f"{MAX_FRONTS + 49}.test"
    assert sites_to_front(kept, (), n_most=1) == chosen[:1]
