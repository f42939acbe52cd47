"""An evaluation's figures: as plain data, as a table, as curves."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from statistics import fmean
from typing import Any

from crawler.knowledge.judges.overlap_judge import overlap
from crawler.lab.evaluating import FLOOR, ORACLE, EvaluatedCrawl
from crawler.replay.metrics import (
    Measured,
    Truth,
    found_curve,
    normalised_interval,
    normalised_recall,
    paired_interval,
)
from focusweb.charts.line_chart import LineChart, LineSeries

#: Points of a drawn curve, from no fetch to the last mark's.
N_POINTS = 60
_FIGURES = [field.name for field in fields(Measured) if field.name != "n_fetched"]


@dataclass(slots=True)
class Results:
    """Crawls of an evaluation, by strategy and topic."""

    crawls: dict[str, dict[str, EvaluatedCrawl]] = field(default_factory=dict)

    def add(self, crawled: EvaluatedCrawl) -> None:
        """Take up a finished crawl."""
        self.crawls.setdefault(crawled.strategy, {})[crawled.topic] = crawled

    def recall_2x(self, name: str) -> dict[str, float]:
        """Recall at twice each topic's size."""
        return {topic: done.measured.recall_2x for topic, done in self.crawls[name].items()}

    def strategies(self) -> list[str]:
        """Names without the oracle's, best first."""
        names = [name for name in self.crawls if name != ORACLE]
        return sorted(names, key=lambda name: (-fmean(self.recall_2x(name).values()), name))

    def summary(self, name: str, *, seed: int) -> dict[str, Any]:
        """Return a strategy's figures: means over the topics, and each topic's own."""
        crawls = self.crawls[name]
        cpu_s = sum(done.cpu_s for done in crawls.values())
        n_links = sum(done.n_links for done in crawls.values())
        ends = self.recall_2x(name), self.recall_2x(FLOOR), self.recall_2x(ORACLE)
        means = {
            figure: fmean(getattr(done.measured, figure) for done in crawls.values())
            for figure in _FIGURES
        }
        return {
            **means,
            "normalised_2x": normalised_recall(*ends),
            "normalised_2x_interval": list(normalised_interval(*ends, seed=seed)),
            "cpu_s": cpu_s,
            "n_links": n_links,
            "cpu_ms_per_link": 1000 * cpu_s / max(n_links, 1),
            "n_fetched": sum(done.measured.n_fetched for done in crawls.values()),
            "topics": {
                topic: asdict(done.measured) | {"cpu_s": done.cpu_s, "n_links": done.n_links}
                for topic, done in sorted(crawls.items())
            },
        }

    def duel(self, name: str, other: str, *, seed: int) -> dict[str, Any]:
        """Recall at 2x against another strategy's, paired by topic; equal ones count half."""
        mine, theirs = self.recall_2x(name), self.recall_2x(other)
        won = fmean((mine[t] > theirs[t]) + 0.5 * (mine[t] == theirs[t]) for t in mine)
        return {
            "difference": fmean(mine[topic] - theirs[topic] for topic in mine),
            "interval": list(paired_interval(mine, theirs, seed=seed)),
            "won": won,
        }

    def overlaps(self, truths: Mapping[str, Truth], budgets: Mapping[str, int]) -> dict[str, float]:
        """Mean overlap of the relevant pages that two strategies found, by "one & other"."""
        found = {
            name: {
                topic: set(done.fetched[: budgets[topic]]) & truths[topic].wanted
                for topic, done in crawls.items()
            }
            for name, crawls in self.crawls.items()
        }
        names = self.strategies()
        return {
            f"{name} & {other}": fmean(
                overlap(found[name][topic], found[other][topic]) for topic in found[name]
            )
            for place, name in enumerate(names)
            for other in names[place + 1 :]
        }


def as_data(results: Results, *, seed: int) -> dict[str, Any]:
    """Everything, as `evaluate --json` writes it."""
    names = results.strategies()
    best = names[0]
    return {
        "strategies": {name: results.summary(name, seed=seed) for name in names},
        "oracle": results.summary(ORACLE, seed=seed),
        "best": best,
        "against_best": {name: results.duel(best, name, seed=seed) for name in names[1:]},
    }


def as_table(data: Mapping[str, Any]) -> Iterable[str]:
    """Return the lines of the table that `evaluate` prints."""
    yield (
        f"{'strategy':<16}{'recall 1x':>10}{'2x':>7}{'5x':>7}{'harvest':>9}{'AUC':>7}"
        f"{'hosts':>7}{'per page':>9}{'score 2x':>10}{'95 % interval':>17}"
        f"{'CPU s':>8}{'ms/link':>8}"
    )
    rows = {**data["strategies"], ORACLE: data["oracle"]}
    for name, row in rows.items():
        low, high = row["normalised_2x_interval"]
        yield (
            f"{name:<16}{row['recall_1x']:>10.3f}{row['recall_2x']:>7.3f}{row['recall_5x']:>7.3f}"
            f"{row['harvest_2x']:>9.3f}{row['auc']:>7.3f}{row['domain_recall']:>7.2f}"
            f"{row['requests_per_relevant']:>9.1f}"
            f"{row['normalised_2x']:>10.3f}{f'{low:.3f} to {high:.3f}':>17}{row['cpu_s']:>8.1f}"
            f"{row['cpu_ms_per_link']:>8.2f}"
        )
    for name, duel in data["against_best"].items():
        low, high = duel["interval"]
        yield (
            f"{data['best']} against {name}: recall 2x {duel['difference']:+.3f} "
            f"({low:+.3f} to {high:+.3f}), ahead on {duel['won']:.0%} of the topics"
        )


def mean_curve(
    crawls: Iterable[EvaluatedCrawl], truths: Mapping[str, Truth], times: int
) -> LineSeries:
    """Mean recall over the topics, by fetches in multiples of the topic's size."""
    places = [times * step / N_POINTS for step in range(N_POINTS + 1)]
    rows = []
    for done in crawls:
        truth = truths[done.topic]
        found = [0, *found_curve(done.fetched, truth)]
        rows.append(
            [
                found[min(round(place * truth.size), len(found) - 1)] / truth.n_wanted
                for place in places
            ]
        )
        name = done.strategy
    return LineSeries(
        name, tuple(zip(places, (fmean(column) for column in zip(*rows, strict=True)), strict=True))
    )


def recall_chart(results: Results, truths: Mapping[str, Truth], *, times: int) -> LineChart:
    """Return the recall curves of every strategy and the oracle, over all topics."""
    crawls = [results.crawls[name].values() for name in (ORACLE, *results.strategies())]
    return LineChart(
        title=f"Recall, mean of {len(crawls[0])} topics",
        x_label="fetches / pages of the topic",
        y_label="recall",
        series=tuple(mean_curve(some, truths, times) for some in crawls),
    )
