"""What linking sites count: by domain, by their articles' relevance, and groups for little."""

from collections.abc import Mapping, Set

import pytest

from crawler.ranking.score import link_value, votes_behind
from crawler.ranking.votes import DomainLink, count_votes, for_age

SEED = "seed.test"


def link(domain: str, relevance: float = 1.0, own: str = "own.test") -> DomainLink:
    """A linking domain of page 7."""
    return DomainLink(7, own, domain, f"www.{domain}", relevance)


def total(
    links: list[DomainLink], known: Mapping[str, Set[str]] | None = None, **more: list[str]
) -> float:
    """The votes of page 7."""
    votes = count_votes(links, known or {}, **more).get(7)
    return votes.total if votes else 0.0


def test_each_domain_counts_by_the_relevance_of_its_article() -> None:
    votes = count_votes([link("b.test", 0.4), link("a.test", 0.9)], {})[7]

    assert votes.total == pytest.approx(1.3)
    assert votes.sites == ("www.a.test", "www.b.test")


def test_an_article_off_topic_and_a_farm_have_no_vote() -> None:
    assert total([link("a.test", 0.0), link("farm.test")], farms=["farm.test"]) == 0.0


def test_a_page_without_links_has_no_votes() -> None:
    assert count_votes([], {}) == {}


def test_one_site_that_is_linked_back_keeps_half_a_vote() -> None:
    known = {"own.test": {"friend.test"}, "friend.test": {"own.test"}}

    assert total([link("friend.test")], known, seeds=[SEED]) == pytest.approx(0.5)


@pytest.mark.parametrize("n_hosts", [2, 5, 40])
def test_a_ring_of_sites_that_link_to_each_other_counts_less_than_one(n_hosts: int) -> None:
    hosts = [f"h{n}.test" for n in range(n_hosts)]
    known = {host: {other for other in hosts if other != host} for host in hosts}
    links = [link(host, own="h0.test") for host in hosts[1:]]

    assert 0 < total(links, known | {SEED: {"h0.test"}}, seeds=[SEED]) < 1


@pytest.mark.parametrize("shape", ["chain", "star", "all earlier ones"])
def test_sites_behind_one_other_count_less_than_it(shape: str) -> None:
    """They do not link back, yet whoever knows them knows them through one site."""
    hosts = [f"h{n}.test" for n in range(20)]
    known: dict[str, set[str]] = {host: {"own.test"} for host in hosts}
    for n, host in enumerate(hosts[1:], 1):
        for source in {"chain": [n - 1], "star": [0], "all earlier ones": range(n)}[shape]:
            known[hosts[source]].add(host)
    known[SEED] = {"forum.test"}
    known["forum.test"] = {"h0.test"}

    # Twenty hosts and the page's own site are behind the forum.
    assert total([link(host) for host in hosts], known, seeds=[SEED]) == pytest.approx(20 / 21**2)


def test_sites_that_link_back_and_are_behind_one_count_by_both() -> None:
    known = {SEED: {"gate.test"}, "gate.test": {"a.test"}, "a.test": {"own.test"}}
    known["own.test"] = {"a.test"}
    votes = count_votes([link("a.test", 0.8)], known, seeds=[SEED])[7]

    assert votes.total == pytest.approx(0.8 / 2**2 / 2)
    assert votes.share == pytest.approx(1 / 2**2)


def test_the_strongest_vote_is_named_first() -> None:
    known = {SEED: {"gate.test"}, "gate.test": {"a.test"}, "a.test": {"b.test"}}
    links = [link("a.test", 0.8), link("gate.test", 0.6), link("b.test", 0.4)]
    votes = count_votes(links, known, seeds=[SEED])[7]

    assert votes.total == pytest.approx(0.6 + (0.8 + 0.4) / 2**2)
    assert votes.share == pytest.approx(votes.total / (0.8 + 0.6 + 0.4))
    assert votes.sites == ("www.gate.test", "www.a.test", "www.b.test")


def test_sites_that_a_seed_or_several_sites_lead_to_count_each() -> None:
    known = {
        SEED: {"a.test", "b.test"},
        "a.test": {"c.test", "own.test"},
        "b.test": {"c.test", "own.test"},
        "c.test": {"own.test"},
    }

    assert total([link(f"{name}.test") for name in "abc"], known, seeds=[SEED]) == 3


@pytest.mark.parametrize(
    ("votes", "age_days", "expected"),
    [
        # The prior is one vote in thirty days.
        (0.0, 0.0, 1.0),
        (1.5, 0.0, 1.5 + 2.5),
        (1.5, -1.0, 1.5 + 2.5),
        (1.5, 10.0, 1.5 + 20 * 2.5 / 40),
        (0.0, 29.0, 1 / 59),
        (1.5, 30.0, 1.5),
        (1.5, 400.0, 1.5),
        (1.5, None, 1.5),
        (0.0, None, 0.0),
    ],
)
def test_a_young_page_counts_the_votes_it_is_expected_to_have(
    votes: float, age_days: float | None, expected: float
) -> None:
    assert for_age(votes, age_days) == pytest.approx(expected, abs=1e-6)


def test_a_young_page_whose_votes_count_little_is_expected_to_get_few() -> None:
    assert for_age(0.1, 0.0, 0.04) == pytest.approx(0.1 + 0.1 + 0.04)


def test_a_page_without_votes_loses_what_was_expected_as_it_gets_older() -> None:
    counted = [for_age(0.0, age_days) for age_days in range(31)]

    assert counted == sorted(counted, reverse=True) and counted[-1] == 0


@pytest.mark.parametrize("votes", [0.0, 0.123457, 1.0, 17.5, 12345.678901])
@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_votes_are_read_back_from_a_link_value(votes: float, scale: float) -> None:
    assert votes_behind(link_value(votes, scale), scale) == votes
