"""Which front pages and hubs are visited again, and which sites are explored."""

import pytest

from crawler.revisit.hubs import (
    HEARING,
    LEAST_KEPT,
    MAX_FRONTS,
    leads_elsewhere,
    may_bring_news,
    n_exploration_visits,
    sites_to_explore,
    sites_to_front,
)


@pytest.mark.parametrize(
    ("kept", "fed", "expected"),
    [
        ({}, (), []),
        ({"a.test": LEAST_KEPT - 1}, (), []),
        ({"a.test": LEAST_KEPT}, (), ["a.test"]),
        ({"a.test": 9}, ("a.test",), []),
        (
            {"c.test": 2, "b.test": 2, "a.test": 2, "z.test": 5},
            ("y.test",),
            ["z.test", "a.test", "b.test", "c.test"],
        ),
    ],
)
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


def test_sites_are_tried_that_several_domains_praise_and_nobody_looked_at() -> None:
    praise = {"b.test": 3, "a.test": 3, "once.test": 1, "known.test": 9, "most.test": 5}

    assert sites_to_explore(praise, {"known.test"}, n_most=9) == ["most.test", "a.test", "b.test"]
    assert sites_to_explore(praise, (), n_most=1) == ["known.test"]
    assert sites_to_explore(praise, {"known.test"}, n_most=9, least=1)[-1] == "once.test"


@pytest.mark.parametrize(
    ("n_fetched", "n_kept", "expected"),
    [(1, 0, True), (HEARING - 1, 0, True), (HEARING, 0, False), (HEARING, 1, True), (99, 1, True)],
)
def test_a_new_site_is_watched_until_it_was_heard_in_vain(
    n_fetched: int, n_kept: int, expected: bool
) -> None:
    assert may_bring_news(n_fetched, n_kept) is expected


@pytest.mark.parametrize(("n_pages", "expected"), [(1, 2), (20, 2), (200, 20), (9_999, 40)])
def test_a_run_tries_a_small_share(n_pages: int, expected: int) -> None:
    assert n_exploration_visits(n_pages) == expected


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ((), False),
        (("http://a.test/x",), False),
        (("http://a.test/x", "http://b.test/", "http://c.test/"), True),
        (("http://a.test/x", "http://a.test/y", "http://b.test/", "http://c.test/"), False),
    ],
)
def test_a_list_of_links_leads_elsewhere(targets: tuple[str, ...], expected: bool) -> None:
    assert leads_elsewhere("http://a.test/", targets) is expected
