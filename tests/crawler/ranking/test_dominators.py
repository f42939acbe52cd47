"""Where paths of links begin, and the site that all paths to another have in common."""

import pytest

from crawler.ranking.dominators import depths_of, first_dominators, roots_of

SEED = "seed.test"


@pytest.mark.parametrize(
    ("known", "roots"),
    [
        ({}, {SEED}),
        ({SEED: {"a"}, "a": {"b"}}, {SEED, "a"}),
        ({"alone": {"a"}, "a": {"b"}}, {SEED, "alone"}),
        ({"x": {"y"}, "y": {"x", "z"}}, {SEED, "x"}),
        ({"x": {"y"}, "y": {"x"}, "v": {"w"}, "w": {"v"}}, {SEED, "v", "x"}),
        ({SEED: {"x"}, "x": {"y"}, "y": {"x"}}, {SEED, "x"}),
        ({"self": {"self"}}, {SEED, "self"}),
    ],
)
def test_paths_begin_at_seeds_and_where_no_other_path_leads(
    known: dict[str, set[str]], roots: set[str]
) -> None:
    assert roots_of(known, [SEED]) == roots


@pytest.mark.parametrize(
    ("known", "found"),
    [
        ({}, {}),
        ({SEED: {"a"}, "a": {"b"}, "b": {"c"}}, {"a": "a", "b": "a", "c": "a"}),
        ({SEED: {"a", "b"}, "a": {"c"}, "b": {"c"}, "c": {"d"}}, {"c": "c", "d": "c"}),
        ({SEED: {"a", "b"}, "a": {"x"}, "x": {"y"}, "b": {"y"}}, {"x": "a", "y": "y"}),
        ({"alone": {"a"}, "a": {"alone2"}}, {"alone": "alone", "a": "alone"}),
        ({SEED: set(), "x": {"y"}, "y": {"x"}}, {"x": "x", "y": "x"}),
        ({SEED: {"a"}, "a": {"a", SEED}}, {"a": "a"}),
    ],
)
def test_a_dominator_is_on_every_path_from_the_seeds(
    known: dict[str, set[str]], found: dict[str, str]
) -> None:
    named = first_dominators(known, roots_of(known, [SEED] if SEED in known else []))

    assert {name: named[name] for name in found} == found


def test_dominators_are_those_that_cut_a_site_off() -> None:
    """Against the slow way: take each domain away and find what is no longer reached."""
    known = {f"n{n}": {f"n{n * n % 31}", f"n{(3 * n + 1) % 31}"} for n in range(31)}
    known[SEED] = {"n1", "n2"}

    def reached(without: str) -> set[str]:
        seen, waiting = {SEED}, [SEED]
        while waiting:
            for target in known[waiting.pop()] - seen - {without}:
                seen.add(target)
                waiting.append(target)
        return seen

    everything = reached("")
    for domain, dominator in first_dominators(known, roots_of(known, [SEED])).items():
        if domain in everything and domain not in {SEED, *known[SEED]}:
            cuts = {one for one in everything - {SEED} if domain not in reached(one)}
            tops = {one for one in cuts if not any(one not in reached(two) for two in cuts - {one})}
            assert {dominator} == tops


def test_depths_are_those_from_the_nearest_root() -> None:
    known = {"a": {"x"}, "x": {"y", "a"}, "b": {"y"}, "y": {"z"}, "far": {"a"}}

    assert depths_of(known, ["a", "b"]) == {"a": 0, "b": 0, "x": 1, "y": 1, "z": 2}
