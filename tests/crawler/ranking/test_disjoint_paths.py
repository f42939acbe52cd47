"""How many paths without a common site lead to a group, against the slow way to count them."""

import random
from collections.abc import Mapping
from itertools import combinations

import pytest

from crawler.ranking.disjoint_paths import n_disjoint_paths
from crawler.ranking.dominators import depths_of


def n_paths(group: set[str], linked_by: Mapping[str, list[str]], roots: set[str]) -> int:
    """What is tested, with the depths below the roots; sites that no path leads to are far away."""
    known: dict[str, set[str]] = {}
    for target, sources in linked_by.items():
        for source in sources:
            known.setdefault(source, set()).add(target)
    depths = dict.fromkeys({*linked_by, *known}, 99) | depths_of(known, roots)
    return n_disjoint_paths(group, linked_by, depths)


def least_cut(group: set[str], linked_by: Mapping[str, list[str]], roots: set[str]) -> int:
    """The least number of sites outside a group without which no path leads to it."""
    others = sorted({*linked_by} - group)
    return next(
        size
        for size in range(len(others) + 1)
        for gone in combinations(others, size)
        if not is_reached(group, linked_by, roots - {*gone}, {*gone})
    )


def is_reached(
    group: set[str], linked_by: Mapping[str, list[str]], roots: set[str], gone: set[str]
) -> bool:
    """True if a path leads from a root to a group, without some sites."""
    seen, waiting = {*group}, [*group]
    while waiting:
        for source in {*linked_by[waiting.pop()]} - seen - gone:
            if source in roots:
                return True
            seen.add(source)
            waiting.append(source)
    return False


@pytest.mark.parametrize("n_links", [1, 2, 4])
def test_they_are_as_many_as_sites_that_cut_the_group_off(n_links: int) -> None:
    rng = random.Random(n_links)
    seen = set()
    for _ in range(300):
        sites = [f"s{n}" for n in range(rng.randint(4, 9))]
        linked_by = {site: rng.choices(sites, k=rng.randint(0, n_links)) for site in sites}
        roots = set(rng.sample(sites, rng.randint(1, 3)))
        rest = sorted({*sites} - roots)
        group = set(rng.sample(rest, rng.randint(1, len(rest))))
        found = n_paths(group, linked_by, roots)

        assert found == min(least_cut(group, linked_by, roots), len(group))
        seen.add(found)
    assert seen >= {0, 1, 2}


def test_a_path_is_led_elsewhere_to_make_room() -> None:
    """The first path found, over a and c, takes the only path of both ends."""
    linked_by = {"x": ["c", "d"], "y": ["d"], "c": ["a"], "d": ["a", "b"], "a": [], "b": []}

    assert n_paths({"x", "y"}, linked_by, {"a", "b"}) == 2


def test_a_group_that_nothing_leads_to_has_no_path() -> None:
    assert n_paths({"x", "y"}, {"x": ["y"]}, {"a"}) == 0
