"""How good a crawl was, from the order of its fetches and the true labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

#: Fetches, as multiples of the topic's size, at which recall is measured.
MARKS = (1, 2, 5)
N_RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Truth:
    """What a crawl of a topic could have found; known to the scorer only.

    Attributes
    ----------
    relevant : frozenset of str
        Every page of the topic.
    seeds : frozenset of str
        Pages the crawl was given. They count as fetches, never as found.
    size : int
        Pages of the topic, seeds included; the unit of budgets.
    reachable : int
        Pages of the topic that links from the seeds lead to, seeds included.
    """

    relevant: frozenset[str]
    seeds: frozenset[str]
    size: int
    reachable: int

    @property
    def wanted(self) -> frozenset[str]:
        """Pages to find."""
        return self.relevant - self.seeds

    @property
    def n_wanted(self) -> int:
        """How many pages can be found; the denominator of recall, at least 1."""
        return max(self.reachable - len(self.seeds & self.relevant), 1)


@dataclass(frozen=True, slots=True)
class Measured:
    """One crawl of one topic, as figures.

    Attributes
    ----------
    recall_1x, recall_2x, recall_5x : float
        Share of the reachable pages found within so many times the topic's size, in [0, 1].
    recall, harvest, auc : float
        Recall, harvest rate and area under the recall curve at the budget.
    harvest_2x : float
        Pages found per fetch at 2x, in [0, 1].
    domain_recall : float
        Share of the topic's hosts found at the budget.
    late_harvest : float
        Pages found per fetch in the second half of the budget.
    requests_per_relevant : float
        Fetches per page found at the budget.
    n_fetched : int
        Pages fetched by the crawl, to its end.
    """

    recall_1x: float
    recall_2x: float
    recall_5x: float
    recall: float
    harvest: float
    harvest_2x: float
    auc: float
    domain_recall: float
    late_harvest: float
    requests_per_relevant: float
    n_fetched: int


def measure(fetched: Sequence[str], truth: Truth, budget: int) -> Measured:
    """Score a crawl.

    Parameters
    ----------
    fetched : sequence of str
        Page keys in the order they were fetched, seeds too.
    budget : int
        Fetches that count for the figures at the budget, >= 1.
    """
    if budget < 1:
        raise ValueError(f"budget must be at least 1 fetch, got {budget}")
    found = found_curve(fetched, truth)
    recall_1x, recall_2x, recall_5x = (
        at(found, mark * truth.size) / truth.n_wanted for mark in MARKS
    )
    n_found, half = at(found, budget), budget // 2
    return Measured(
        recall_1x=recall_1x,
        recall_2x=recall_2x,
        recall_5x=recall_5x,
        recall=n_found / truth.n_wanted,
        harvest=n_found / budget,
        harvest_2x=at(found, 2 * truth.size) / (2 * truth.size),
        auc=area(found, truth, budget),
        domain_recall=domain_recall(fetched[:budget], truth),
        late_harvest=(n_found - at(found, half)) / max(budget - half, 1),
        requests_per_relevant=budget / max(n_found, 1),
        n_fetched=len(fetched),
    )


def found_curve(fetched: Sequence[str], truth: Truth) -> list[int]:
    """Return how many wanted pages had been found after each fetch."""
    wanted = truth.wanted
    return np.cumsum([key in wanted for key in fetched]).tolist() if fetched else []


def at(found: Sequence[int], n_fetches: int) -> int:
    """Pages found after each number of fetches; a crawl that ended finds no more."""
    return found[min(n_fetches, len(found)) - 1] if found and n_fetches > 0 else 0


def area(found: Sequence[int], truth: Truth, budget: int) -> float:
    """Area under the recall curve against that of a crawl that only finds, in [0, 1]."""
    recall = [at(found, n) for n in range(1, budget + 1)]
    n_seeds = len(truth.seeds)
    best = [min(max(n - n_seeds, 0), truth.n_wanted) for n in range(1, budget + 1)]
    return sum(recall) / max(sum(best), 1)


def domain_recall(fetched: Sequence[str], truth: Truth) -> float:
    """Share of the hosts of wanted pages from which one was fetched, in [0, 1]."""
    hosts = {host_of_key(key) for key in truth.wanted}
    found = {host_of_key(key) for key in fetched if key in truth.wanted}
    return len(found) / max(len(hosts), 1)


def host_of_key(key: str) -> str:
    """Return the host of a `snapshot_key`."""
    return key.partition("/")[0]


def normalised_recall(
    recall: Mapping[str, float], floor: Mapping[str, float], ceiling: Mapping[str, float]
) -> float:
    """(recall - floor) / (ceiling - floor), each the mean over the topics; 0 without room.

    Means are taken first: on a topic where both ends meet the ratio itself says nothing.
    """
    low = fmean(floor[topic] for topic in recall)
    room = fmean(ceiling[topic] for topic in recall) - low
    return (fmean(recall.values()) - low) / room if room > 0 else 0.0


def normalised_interval(
    recall: Mapping[str, float],
    floor: Mapping[str, float],
    ceiling: Mapping[str, float],
    *,
    seed: int,
) -> tuple[float, float]:
    """95 % bootstrap interval of `normalised`, topics drawn together with both ends."""
    topics = list(recall)
    values = np.array([[side[topic] for topic in topics] for side in (recall, floor, ceiling)])
    means = values[:, _draws(len(topics), seed)].mean(axis=2)
    room = means[2] - means[1]
    ratios = np.divide(means[0] - means[1], room, out=np.zeros_like(room), where=room > 0)
    return _middle(ratios)


def clustered_interval(
    found: Mapping[str, int], others: Mapping[str, int], wanted: Mapping[str, int], *, seed: int
) -> tuple[float, float]:
    """95 % bootstrap interval of the difference of two recalls on the same wanted pages.

    Hosts are drawn whole, since pages of one host are found together.

    Parameters
    ----------
    found, others : mapping of str to int
        Wanted pages that each crawl found, by host; a host without any may be missing.
    wanted : mapping of str to int
        Wanted pages by host; not empty.
    """
    counts = np.array(
        [[found.get(host, 0) - others.get(host, 0), wanted[host]] for host in sorted(wanted)]
    )
    drawn = counts[_draws(len(counts), seed)].sum(axis=1)
    return _middle(drawn[:, 0] / drawn[:, 1])


def paired_interval(
    values: Mapping[str, float], others: Mapping[str, float], *, seed: int
) -> tuple[float, float]:
    """95 % bootstrap interval of the mean difference, paired by topic."""
    differences = np.array([values[topic] - others[topic] for topic in values])
    return _middle(differences[_draws(len(differences), seed)].mean(axis=1))


def _draws(n_topics: int, seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.random.default_rng(seed).integers(n_topics, size=(N_RESAMPLES, n_topics))


def _middle(sample: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, float]:
    low, high = np.quantile(sample, [0.025, 0.975])
    return float(low), float(high)
