"""A comparison says which strategy is better, or that the difference may be chance."""

from tests.topics.factories import NOON
from topics.runs.comparison import Comparison, Curve
from topics.runs.comparison_verdict import intervals_against_best, verdict

HOSTS = {f"site{number}.test": 10 for number in range(12)}


def comparison(n_pages: int = 1000, **found: dict[str, int]) -> Comparison:
    """Strategies with what each found of ten pages on each of twelve sites."""
    curves = {
        name: Curve([], 0.0, sum(by_host.values()) / 120, 0.0, 0.0, 240, found_by_host=by_host)
        for name, by_host in found.items()
    }
    return Comparison(
        *("t", "done", list(found), NOON, NOON),
        n_pages=n_pages,
        n_wanted=120,
        curves=curves,
        wanted_by_host=HOSTS,
    )


def each(count: int) -> dict[str, int]:
    return dict.fromkeys(HOSTS, count)


def test_what_is_better_on_every_site_is_better() -> None:
    found = comparison(focus=each(8), random=each(3))
    assert verdict(found, ["focus", "random"]) == "focus found more than every other strategy."
    assert intervals_against_best(found, "focus")["random"].is_clear


def test_a_lead_on_one_site_is_no_proof() -> None:
    lead = each(5) | {"site0.test": 9}
    found = comparison(focus=lead, random=each(5))
    assert "cannot tell whether focus is better than random" in verdict(found, ["focus", "random"])
    assert not intervals_against_best(found, "focus")["random"].is_clear


def test_only_the_doubtful_ones_are_named() -> None:
    found = comparison(focus=each(8), close=each(8), random=each(2))
    sentence = verdict(found, ["focus", "close", "random"])
    assert "better than close." in sentence


def test_where_most_pages_are_relevant_nothing_can_be_reported() -> None:
    found = comparison(n_pages=130, focus=each(8), random=each(3))
    assert "120 of 130 stored pages are relevant" in verdict(found, ["focus", "random"])


def test_few_sites_are_few_observations() -> None:
    found = comparison(focus=each(8), random=each(3))
    found.wanted_by_host = {"site0.test": 60, "site1.test": 60}
    assert "on 2 sites only" in verdict(found, ["focus", "random"])


def test_a_comparison_from_before_it_was_counted_asks_for_another() -> None:
    found = comparison(focus=each(8), random=each(3))
    found.wanted_by_host = {}
    assert intervals_against_best(found, "focus") == {}
    assert "Compare again" in verdict(found, ["focus", "random"])


def test_one_strategy_is_compared_with_nothing() -> None:
    assert verdict(comparison(focus=each(8)), ["focus"]) == ""
