"""Report what a simulation showed: numbers for files, lines for people, charts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from crawler.lab.simulation.experiment import OURS, SimulationResults, SimulationScope
from crawler.lab.simulation.measures import (
    Spread,
    as_numbers,
    discovery_over_seeds,
    over_seeds,
)
from crawler.lab.simulation.rates import Drift
from crawler.lab.simulation.watching import Verdicts
from focusweb.charts.line_chart import LineChart, LineSeries

#: The columns per policy on the screen, and how wide.
_COLUMNS: Final = ("delay_mean_h", "delay_median_h", "delay_p90_h", "share_24h", "recall")
#: Counts of a watched web, and of what they are a share.
_SHARES: Final = {
    "new_site_win_rate": ("n_wins", "n_duels"),
    "new_site_top10_24h": ("n_on_top", "n_duels"),
    "average_top10_24h": ("n_average_on_top", "n_duels"),
    "old_win_rate": ("n_old_wins", "n_old"),
    "old_listed_win_rate": ("n_old_listed_wins", "n_old_listed"),
    "spam_in_top10": ("n_spam", "n_places"),
    "share_304": ("n_unchanged", "n_conditional"),
    "trap_waste": ("n_traps", "n_requests"),
}
_SUMS: Final = (
    *("n_duels", "n_places", "n_early_spam", "n_spam_kept", "n_requests", "n_old_met"),
    *("n_old", "n_old_listed"),
    *("n_farm_sites", "n_farm_sites_found", "n_honest_sites", "n_honest_sites_taken"),
    *("n_moved_met", "n_moved_shown", "n_moved_unknowable", "n_moved_known_shown"),
)


def as_data(results: SimulationResults, scope: SimulationScope) -> dict[str, Any]:
    """Return everything as one object for a JSON file.

    `policies` are those of the revisit experiment with steady rates; the same under
    `drifting`, `jumping` and `whole_web`, there for one topic on a web with pages.
    """
    data: dict[str, Any] = {
        "seed": scope.seed,
        "n_seeds": scope.n_seeds,
        "pages": scope.extent.n_pages,
        "sites": scope.extent.n_sites,
        "days": scope.extent.n_days,
        "policies": _by_policy(results, Drift.STEADY),
        "drifting": _by_policy(results, Drift.DRIFTING),
        "jumping": _by_policy(results, Drift.JUMPING),
        "whole_web": {name: as_numbers(found) for name, found in _whole(results).items()},
    }
    return data | whole_figures(results.webs)


def _whole(results: SimulationResults) -> dict[str, dict[str, Spread]]:
    """The product's discovery on whole webs; nothing if none was watched."""
    found = [one.discovery for one in results.webs]
    return {OURS: discovery_over_seeds(found)} if found else {}


def _by_policy(results: SimulationResults, drift: Drift) -> dict[str, dict[str, float]]:
    return {
        policy: as_numbers(discovery_over_seeds(found))
        for (kind, policy), found in results.sources.items()
        if kind is drift
    }


def whole_figures(verdicts: Sequence[Verdicts]) -> dict[str, float]:
    """Figures of the product's own policy, over all webs together.

    A share is of the counts of all webs; its interval is of the webs' own shares.
    """
    if not verdicts:
        return {}
    figures: dict[str, float] = {}
    for name, (part, whole) in _SHARES.items():
        parts = [getattr(one, part) for one in verdicts]
        wholes = [getattr(one, whole) for one in verdicts]
        figures[name] = round(sum(parts) / max(sum(wholes), 1), 4)
        shares = [part / max(whole, 1) for part, whole in zip(parts, wholes, strict=True)]
        figures[f"{name}_ci95"] = round(over_seeds(shares).half_width, 4)
    figures |= {name.removeprefix("n_"): sum(getattr(v, name) for v in verdicts) for name in _SUMS}
    figures["old_as_new"] = sum(one.n_old_shown for one in verdicts)
    return figures


def as_lines(results: SimulationResults, scope: SimulationScope) -> Iterator[str]:
    """The same for people."""
    for drift in Drift:
        found = {
            policy: discovery_over_seeds(seeds)
            for (kind, policy), seeds in results.sources.items()
            if kind is drift
        }
        n_sources, visits = scope.revisit.n_sources, scope.revisit.visits_per_day
        yield f"\n{n_sources} sources, {visits:g} visits a day each, {drift} rates"
        yield from _table(found)
    figures = whole_figures(results.webs)
    if figures:
        yield f"\none topic on a web of {scope.extent.n_pages} pages, {scope.extent.n_days} days"
        yield from _table(_whole(results))
        yield ""
        yield from _sentences(figures)


def _table(found: Mapping[str, Mapping[str, Spread]]) -> Iterator[str]:
    names = ("mean h", "median h", "p90 h", "in 24 h", "recall")
    yield f"{'':20}" + "".join(f"{name:>16}" for name in names) + f"{'lost':>8}{'/100 new':>10}"
    for policy, figures in found.items():
        cells = [f"{figures[name].mean:.2f} ±{figures[name].half_width:.2f}" for name in _COLUMNS]
        lost, refreshes = figures["undiscovered"].mean, figures["refreshes_per_100"].mean
        row = "".join(f"{cell:>16}" for cell in cells)
        yield f"{policy:20}{row}{lost:8.0f}{refreshes:10.0f}"


def _sentences(figures: Mapping[str, float]) -> Iterator[str]:
    won, top = figures["new_site_win_rate"], figures["new_site_top10_24h"]
    yield f"a better page of a new site ranks above the most linked site's: {won:.1%}"
    yield f"and is among the topic's first ten within 24 hours: {top:.1%} of {figures['duels']:.0f}"
    yield f"(of the average pages on the most linked site: {figures['average_top10_24h']:.1%})"
    pairs, listed = figures["old"], figures["old_listed"]
    won, ahead = figures["old_win_rate"], figures["old_listed_win_rate"]
    yield f"it ranks above an average page there that is two weeks older: {won:.1%} of {pairs:.0f}"
    yield f"and so it does in the list of news: {ahead:.1%} of {listed:.0f}"
    spam, early = figures["spam_in_top10"], figures["early_spam"]
    yield f"spam in the first ten: {spam:.2%} of {figures['places']:.0f} places"
    yield f"of these in the first week, when there is little else: {early:.0f}"
    taken, honest = figures["honest_sites_taken"], figures["honest_sites"]
    yield f"honest sites ever taken for farms: {taken:.0f} of {honest:.0f} with a kept page"
    found, there = figures["farm_sites_found"], figures["farm_sites"]
    yield f"sites of farms found to be so: {found:.0f} of {there:.0f} with a kept page"
    yield f"304 for what has not changed: {figures['share_304']:.1%}"
    yield f"requests spent on traps: {figures['trap_waste']:.2%} of {figures['requests']:.0f}"
    yield f"old pages shown as new: {figures['old_as_new']:.0f} of {figures['old_met']:.0f} met"
    shown, met = figures["moved_shown"], figures["moved_met"]
    yield f"and of those under a new address with a new date: {shown:.0f} of {met:.0f}"
    known = met - figures["moved_unknowable"]
    shown = figures["moved_known_shown"]
    yield f"of these, where the original had been seen: {shown:.0f} of {known:.0f}"


def charts(results: SimulationResults) -> dict[str, LineChart]:
    """Per kind of drift the share of items found after so many hours."""
    found = {}
    for drift in Drift:
        series = tuple(
            LineSeries(policy, _curve(seeds))
            for (kind, policy), seeds in results.sources.items()
            if kind is drift
        )
        found[str(drift)] = LineChart(
            f"Items found in time, {drift} rates", "hours since published", "share", series
        )
    return found


def _curve(found: Sequence[Any]) -> tuple[tuple[float, float], ...]:
    """Points of the mean curve over seeds."""
    hours = [hour for hour, _ in found[0].curve]
    n_seeds = len(found)
    shares = [sum(one.curve[place][1] for one in found) / n_seeds for place in range(len(hours))]
    return tuple(zip(hours, shares, strict=True))
