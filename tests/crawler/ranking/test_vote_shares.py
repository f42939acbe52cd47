"""What sites count that are known through few others."""

import pytest

from crawler.ranking.vote_shares import VoteShares

SEED = "seed.test"
FRIENDS = ["a", "b", "c", "d"]


def shares(
    known: dict[str, set[str]], domains: list[str], counted: list[str] | None = None
) -> dict[str, float]:
    """What some domains count, the only ones if others are not given."""
    return VoteShares(known, [SEED], counted or domains).of(domains)


def test_seeds_and_what_they_link_to_and_what_no_other_links_to_count_fully() -> None:
    known = {SEED: {"a"}, "found": {"b", SEED}}

    assert shares(known, [SEED, "a", "found"]) == {SEED: 1, "a": 1, "found": 1}


def test_sites_behind_one_count_less_the_more_they_are() -> None:
    known = {SEED: {"gate"}, "gate": {*FRIENDS}}

    assert shares(known, ["a", "b"]) == {"a": 1 / 4, "b": 1 / 4}
    assert shares(known, ["a"], FRIENDS) == {"a": 1 / 16}
    assert shares(known, ["a"]) == {"a": 1}


@pytest.mark.parametrize(("n_gates", "share"), [(2, 4 / 16), (3, 9 / 16), (4, 1), (5, 1)])
def test_sites_that_link_to_a_page_count_less_if_they_are_known_through_fewer(
    n_gates: int, share: float
) -> None:
    gates = [f"gate{n}" for n in range(n_gates)]
    known = {SEED: {*gates}} | {gate: {*FRIENDS} for gate in gates}

    assert shares(known, FRIENDS) == pytest.approx(dict.fromkeys(FRIENDS, share))


def test_links_among_each_other_are_no_further_paths() -> None:
    known = {SEED: {"gate0", "gate1"}, "gate0": {"a"}, "gate1": {"b"}}
    known |= {friend: {*FRIENDS} - {friend} for friend in FRIENDS}

    assert shares(known, FRIENDS) == dict.fromkeys(FRIENDS, 4 / 16)


def test_two_sites_with_two_paths_count_fully() -> None:
    known = {SEED: {"gate0", "gate1"}, "gate0": {"a", "b"}, "gate1": {"a", "b"}}

    assert shares(known, ["a", "b"]) == {"a": 1, "b": 1}
