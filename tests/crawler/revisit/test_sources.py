import math
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from crawler.revisit.listed import Growth
from crawler.revisit.rate import FEED, Rate
from crawler.revisit.sources import (
    MAX_FAILURES,
    MAX_SILENCE,
    TOMBSTONE,
    SourceState,
    visit_index,
    visit_order,
)

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def seen(per_day: float, days: float = 1.0) -> SourceState:
    """A source of a known rate that was visited so many days before noon."""
    visited = NOON - timedelta(days=days)
    return SourceState(visited, Rate.expected(per_day, 1.0), visited=visited, last_new=visited)


@pytest.mark.parametrize(
    ("per_day", "days", "cost", "index"),
    [
        (3.0, 2.0, 1.0, 12.0),
        (3.0, 2.0, 0.2, 60.0),
        (0.5, 0.0, 1.0, 0.0),
        # Under the floor of 0.02 a day.
        (0.0001, 10.0, 1.0, 2.0),
    ],
)
def test_the_index_is_rate_times_waiting_squared_over_cost(
    per_day: float, days: float, cost: float, index: float
) -> None:
    assert visit_index(seen(per_day, days), NOON, cost=cost) == pytest.approx(index)


@pytest.mark.parametrize("cost", [0.0, -1.0])
def test_a_look_must_cost_something(cost: float) -> None:
    with pytest.raises(ValueError, match=f"got {cost}"):
        visit_index(seen(1.0), NOON, cost=cost)


def test_a_source_never_seen_comes_first() -> None:
    states = {"busy": seen(100.0, 5.0), "new": SourceState(NOON)}

    assert visit_order(states, NOON) == ["new", "busy"]


def test_what_the_first_look_finds_says_nothing_about_the_rate() -> None:
    first = SourceState(NOON, FEED).after_visit(NOON + DAY, n_new=40, n_listed=40)
    second = first.after_visit(NOON + 2 * DAY, n_new=3, n_listed=40)

    assert (first.rate, first.overflowed) == (FEED, False)
    assert second.rate == FEED.after(1.0, 3)


def test_dates_in_a_list_tell_how_it_grew_before_the_first_look_only() -> None:
    grew = Growth(1.0, (3.0, 2.0))
    first = SourceState(NOON, FEED).after_visit(NOON + DAY, 0, 40, grew)
    second = first.after_visit(NOON + 2 * DAY, 1, 40, grew)

    assert first.rate == FEED.after_growth(grew)
    assert second.rate == first.rate.after(1.0, 1)


@pytest.mark.parametrize(
    ("n_new", "n_listed", "overflowed"),
    [(8, 10, True), (7, 10, False), (4, 4, False), (0, 0, False)],
)
def test_a_list_that_is_nearly_all_new_is_wanted_after_half_the_time(
    n_new: int, n_listed: int, overflowed: bool
) -> None:
    state = seen(1.0).after_visit(NOON, n_new, n_listed)

    assert state.overflowed is overflowed
    later, half = NOON + 4 * DAY, NOON + 2 * DAY
    usual = visit_index(replace(state, overflowed=False), later)
    assert visit_index(state, half if overflowed else later) == pytest.approx(usual)


def test_failures_rest_twice_as_long_each_time_and_end_it() -> None:
    state = seen(1.0)
    rests = []
    now = NOON
    for _ in range(MAX_FAILURES):
        assert not state.is_given_up(now)
        state = state.after_failure(now)
        while not state.may_be_tried(now):
            now += timedelta(hours=1)
        rests.append((now - state.failed) / timedelta(hours=1) if state.failed else 0)

    # After the fifth it is given up, but for a visit now and then.
    assert rests == [1, 2, 4, 8, TOMBSTONE / timedelta(hours=1)]
    assert state.is_given_up(now)
    assert state.failing_since == NOON


def test_a_source_that_answers_again_is_revived() -> None:
    state = seen(1.0)
    for _ in range(MAX_FAILURES):
        state = state.after_failure(NOON)
    revived = state.after_visit(NOON + DAY, 0, 10)

    assert not revived.is_given_up(NOON + DAY)
    assert (revived.failures, revived.failing_since) == (0, None)


def test_a_long_silence_ends_it_too() -> None:
    state = replace(seen(1.0), last_new=NOON)

    assert not state.is_given_up(NOON + MAX_SILENCE)
    assert state.is_given_up(NOON + MAX_SILENCE + timedelta(seconds=1))


def test_silence_is_no_reason_to_give_up_what_a_person_named() -> None:
    silent = replace(seen(1.0), last_new=NOON, named=True)
    dead = replace(silent, failures=MAX_FAILURES, failed=NOON)

    assert not silent.is_given_up(NOON + 2 * MAX_SILENCE)
    assert dead.is_given_up(NOON)


def test_no_source_is_served_while_it_rests_or_when_given_up() -> None:
    states = {
        "fine": seen(1.0),
        "failing": seen(9.0).after_failure(NOON),
        "dead": replace(seen(9.0), failures=MAX_FAILURES, failed=NOON - 10 * DAY),
    }

    assert visit_order(states, NOON) == ["fine"]


def test_a_source_of_a_young_site_is_visited_after_a_fifth_of_the_time() -> None:
    states = {"old": seen(1.0, 5.0), "young": seen(1.0, 1.1), "younger": seen(1.0, 0.9)}
    young = {"young", "younger"}

    assert visit_order(states, NOON) == ["old", "young", "younger"]
    assert visit_order(states, NOON, of_young_sites=young) == ["young", "old", "younger"]


def test_the_index_serves_sources_by_the_root_of_their_rates() -> None:
    """The optimum: as many visits as in proportion to the square root of the rate."""
    rates = [0.25, 1.0, 16.0] * 20
    states = [seen(rate) for rate in rates]
    visits = dict.fromkeys(rates, 0)
    for step in range(6000):
        now = NOON + step * DAY / 100
        best = max(range(len(states)), key=lambda i: visit_index(states[i], now))
        visits[rates[best]] += 1
        states[best] = replace(states[best], visited=now)

    roots = {rate: math.sqrt(rate) for rate in visits}
    for rate, n in visits.items():
        assert n / 6000 == pytest.approx(roots[rate] / sum(roots.values()), rel=0.15)


def test_the_index_finds_items_sooner_than_taking_turns() -> None:
    rng = random.Random(7)
    rates = [rng.lognormvariate(0.0, 1.5) for _ in range(100)]

    def mean_delay(order: str) -> float:
        """Waiting of all items over 200 days at 50 visits a day, in days."""
        states = [seen(rate) for rate in rates]
        waiting = items = 0.0
        for step in range(200 * 50):
            now = NOON + step * DAY / 50
            if order == "turns":
                chosen = step % len(states)
            else:
                chosen = max(range(len(states)), key=lambda i: visit_index(states[i], now))
            days = states[chosen].days_waited(now)
            items += rates[chosen] * days
            waiting += rates[chosen] * days**2 / 2
            states[chosen] = replace(states[chosen], visited=now)
        return waiting / items

    assert mean_delay("index") < 0.8 * mean_delay("turns")
