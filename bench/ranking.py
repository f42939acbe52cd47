"""How well orders of the kept pages agree with the labels of a web snapshot.

Each topic is crawled from its seeds as `evaluate_judge DIR --crawl PAGES` does it. The pages
it kept, seeds left out, are put in order by the score the product gave them, and by others
made of four things: the link value LV, the content value CV, the judge's relevance, and the
density: how much of a page is about the topic.
Labels serve for scoring only.
Printed are the means over the topics that kept a page of theirs, and the difference of the
average precision to the product's score with its 95 % bootstrap interval, paired by topic.
Pages of equal score stand in 20 orders by chance, of which the mean counts.

    python bench/ranking.py DIR [--pages 400] [--judge focus] [--seed 0] [--json F]

"LV" counts sites as the product does. "LV all" counts every domain that links to a page,
also of two that link to each other, with s = 1 unless said. "LV pages" counts every linking
page, of its own site too, with s the median: a web without links between sites has only
these. Content is one of

    CV        share of the page's key terms that are the topic's
    p         relevance as the judge gives it
    pct p     share of the kept pages that are less relevant, those as relevant by half
    pct d     share of the kept pages that are less dense, likewise
    standing  the mean of both, which the product's score counts
    odds p    (2/pi) arctan of the log-odds over the threshold, 1/2 for the middle page
    bent p    logistic curve through the middle page and both quarters of the log-odds
"""

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")

import django  # noqa: E402

django.setup()

from django.conf import settings as site_settings  # noqa: E402

from crawler.judging.context import make_judge  # noqa: E402
from crawler.knowledge.content_value import content_value  # noqa: E402
from crawler.knowledge.density import density_weights  # noqa: E402
from crawler.knowledge.logistic import sigmoid  # noqa: E402
from crawler.lab.first_crawls import first_crawl  # noqa: E402
from crawler.lab.judge_evaluation import average_precision, by_relevance  # noqa: E402
from crawler.page.parsed import ParsedPage  # noqa: E402
from crawler.page.url import domain_of  # noqa: E402
from crawler.ranking.score import typical_scale  # noqa: E402
from crawler.replay.memory_blackboard import MemoryBlackboard  # noqa: E402
from crawler.replay.metrics import paired_interval  # noqa: E402
from crawler.replay.parsed_snapshot import parse_snapshot  # noqa: E402
from crawler.replay.replay import NOON  # noqa: E402
from crawler.replay.snapshot import Snapshot, SnapshotTopic, read_snapshot  # noqa: E402

Vector = NDArray[np.float64]

N_TIES = 20
MEASURES = ("P@10", "P@30", "AP", "NDCG@30")
TODAY = "the product's score"


@dataclass(frozen=True, slots=True)
class Kept:
    """The pages a crawl kept, seeds left out; arrays have the shape (n_pages,).

    Attributes
    ----------
    threshold : float
        Relevance from which a page is kept.
    on_topic : ndarray of bool
        What the labels say.
    relevance : ndarray of float64
        By the judge at the crawl's end.
    score : ndarray of float64
        What the product gave the page when the crawl ended.
    content : ndarray of float64
        CV by all that is known at the crawl's end.
    density : ndarray of float64
        Likewise.
    n_sites, n_domains, n_links : ndarray of float64
        Linking sites as the product counts them; all linking domains but the page's own;
        and linking pages of any site.
    """

    threshold: float
    on_topic: NDArray[np.bool_]
    relevance: Vector
    score: Vector
    content: Vector
    density: Vector
    n_sites: Vector
    n_domains: Vector
    n_links: Vector

    def links(self, counts: Vector, scale: float = 1.0) -> Vector:
        """LV of linking sites."""
        return 2 / np.pi * np.arctan(counts / scale)

    @property
    def scale(self) -> float:
        """The product's s."""
        return typical_scale(self.n_sites.astype(int).tolist())

    @property
    def lv(self) -> Vector:
        """LV as the product has it."""
        return self.links(self.n_sites, self.scale)

    @property
    def lv_all(self) -> Vector:
        """LV of all linking domains."""
        return self.links(self.n_domains)

    @property
    def percentile(self) -> Vector:
        """Share of the pages that are less relevant, those as relevant by half."""
        return percentiles(self.relevance)

    @property
    def standing(self) -> Vector:
        """What the product's score counts as content."""
        return (self.percentile + percentiles(self.density)) / 2

    @property
    def odds(self) -> Vector:
        """Log-odds over the threshold in the form of LV, 1/2 for the page in the middle."""
        over = np.maximum(log_odds(self.relevance) - log_odds(np.array(self.threshold)), 0.0)
        return self.links(over, max(float(np.median(over)), 1e-9))

    @property
    def bent(self) -> Vector:
        """Logistic curve of the log-odds: 1/2 in the middle, 1/4 and 3/4 at the quarters."""
        odds = log_odds(self.relevance)
        low, middle, high = np.quantile(odds, [0.25, 0.5, 0.75])
        width = max(float(high - low), 1e-9) / (2 * np.log(3))
        return sigmoid((odds - middle) / width)


Order = Callable[[Kept], Vector]


def log_odds(chances: Vector) -> Vector:
    """ln(p / (1 - p)); finite also where p is 0 or 1."""
    inside = np.clip(chances, 1e-9, 1 - 1e-9)
    return np.log(inside / (1 - inside))


def percentiles(values: Vector) -> Vector:
    """Share of the values below each, equal ones by half."""
    sorted_ = np.sort(values)
    below = np.searchsorted(sorted_, values, side="left")
    upto = np.searchsorted(sorted_, values, side="right")
    return (below + upto) / (2 * len(sorted_))


CONTENTS: Mapping[str, Order] = {
    "CV": lambda kept: kept.content,
    "p": lambda kept: kept.relevance,
    "pct p": lambda kept: kept.percentile,
    "pct d": lambda kept: percentiles(kept.density),
    "standing": lambda kept: kept.standing,
    "odds p": lambda kept: kept.odds,
    "bent p": lambda kept: kept.bent,
    "(CV + p) / 2": lambda kept: (kept.content + kept.relevance) / 2,
}
LINKS: Mapping[str, Order] = {
    "LV": lambda kept: kept.lv,
    "LV all": lambda kept: kept.lv_all,
    "LV all (s = 2)": lambda kept: kept.links(kept.n_domains, 2),
    "LV all (s = 3)": lambda kept: kept.links(kept.n_domains, 3),
    "LV all (n + 1)": lambda kept: kept.links(kept.n_domains + 1),
    "LV pages": lambda kept: kept.links(kept.n_links, max(float(np.median(kept.n_links)), 1.0)),
}


def orders() -> dict[str, Order]:
    """Every order by its name; the product's first."""
    found: dict[str, Order] = {TODAY: lambda kept: kept.score}
    found[".7 LV + .3 CV (the paper's f)"] = mixed(0.7, LINKS["LV"], CONTENTS["CV"])
    found["chance"] = lambda kept: np.zeros(len(kept.on_topic))
    found |= CONTENTS
    found |= {name: LINKS[name] for name in ("LV", "LV all", "LV pages")}
    for content in ("p", "pct p", "standing"):
        found[f".7 LV + .3 {content}"] = mixed(0.7, LINKS["LV"], CONTENTS[content])
    for link in [name for name in LINKS if name != "LV"]:
        for content in (
            CONTENTS if link in {"LV all", "LV pages"} else ("CV", "p", "pct p", "standing")
        ):
            for weight in (0.7, 0.5, 0.3):
                name = f"{weight:.1f} {link} + {1 - weight:.1f} {content}".replace("0.", ".")
                found[name] = mixed(weight, LINKS[link], CONTENTS[content])
    for content in ("p", "pct p"):
        # (1 + LV) / 2, as by LV itself a page without links would be worth nothing.
        found[f"sqrt((1 + LV all) / 2 * {content})"] = product(LINKS["LV all"], CONTENTS[content])
    return found


def mixed(weight: float, link: Order, content: Order) -> Order:
    """The weighted sum."""
    return lambda kept: weight * link(kept) + (1 - weight) * content(kept)


def product(link: Order, content: Order) -> Order:
    """The geometric mean, of a link part that is never 0."""
    return lambda kept: np.sqrt((1 + link(kept)) / 2 * content(kept))


def kept_pages(
    snapshot: Snapshot,
    pages: Mapping[str, ParsedPage],
    topic: SnapshotTopic,
    board: MemoryBlackboard,
) -> Kept:
    """What a crawl kept, as the orders see it."""
    training_set, (profile, settings, _) = board.training_set(), board.topic()
    judge = make_judge(profile, settings, training_set)
    weights = density_weights(judge)
    relevant, links = snapshot.pages_with(topic.name), linking_pages(board)
    rows = []
    for scored in board.kept_pages():
        url = board.url_of(scored.key)
        key, verdict = url.partition("://")[2], board.harvests[scored.key].verdict
        assert verdict is not None
        if key in topic.seeds:
            continue
        content = content_value(
            pages[key].terms, judge.topic_terms, training_set.frequencies, weights
        )
        domains = {domain_of(board.url_of(source)) for source in links[scored.key]}
        rows.append(
            (
                key in relevant,
                verdict.relevance,
                scored.score,
                content.value,
                content.density,
                len(scored.linking_sites),
                len(domains - {domain_of(url)}),
                len(links[scored.key]),
            )
        )
    columns = np.array(rows, np.float64).reshape(-1, 8).T
    return Kept(settings.threshold, columns[0] > 0, *columns[1:])


def linking_pages(board: MemoryBlackboard) -> dict[int, set[int]]:
    """The fetched pages that link to each page, without itself."""
    graph = board.view(NOON, n_per_site=1).graph()
    found: dict[int, set[int]] = defaultdict(set)
    ends = graph.keys[graph.sources].tolist(), graph.keys[graph.targets].tolist()
    for source, target in zip(*ends, strict=True):
        if source != target:
            found[target].add(source)
    return found


def measured(kept: Kept, scores: Vector, seed: int) -> Vector:
    """The four measures of an order, means over orders of what is equal; shape (4,)."""
    rng, n_pages = np.random.default_rng(seed), len(scores)
    discounts = 1 / np.log2(np.arange(2, n_pages + 2))
    n_right = int(kept.on_topic.sum())
    best = discounts[: min(30, n_right)].sum()
    sums = np.zeros(len(MEASURES))
    for _ in range(N_TIES):
        # Rounded, so that sums that differ in the last digit only are equal.
        hits = kept.on_topic[by_relevance(scores.round(12), rng.permutation(n_pages))]
        gain = (hits[:30] * discounts[:30]).sum() / best
        sums += hits[:10].mean(), hits[:30].mean(), average_precision(hits, n_right), gain
    return sums / N_TIES


def main() -> None:
    """Crawl every topic; print a line for each order."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--judge", default="focus")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, dest="json_file", help="write the means here")
    options = parser.parse_args()
    snapshot = read_snapshot(options.folder)
    pages = parse_snapshot(snapshot, cache=site_settings.DATA_DIR / "cache")
    webs = {}
    crawl = {"judge": options.judge, "n_pages": options.pages, "seed": options.seed}
    for topic in snapshot.topics:
        kept = kept_pages(snapshot, pages, topic, first_crawl(pages, topic, **crawl).board)
        if kept.on_topic.any():
            webs[topic.name] = kept
    means = tell(webs, options.seed)
    if options.json_file:
        options.json_file.write_text(json.dumps(means, indent=1), encoding="utf-8")


def tell(webs: Mapping[str, Kept], seed: int) -> dict[str, dict[str, float]]:
    """Print a line for each order; their means."""
    n_pages = sum(len(kept.on_topic) for kept in webs.values())
    with_sites = sum(int((kept.n_sites > 0).sum()) for kept in webs.values())
    with_domains = sum(int((kept.n_domains > 0).sum()) for kept in webs.values())
    print(
        f"{len(webs)} topics, {n_pages} kept pages; LV above 0 on {with_sites}, "
        f"LV all on {with_domains}"
    )
    print(f"{'order':32} {' '.join(f'{name:>7}' for name in MEASURES)}  AP beside the product's")
    told: dict[str, dict[str, float]] = {}
    today: dict[str, float] = {}
    for name, order in orders().items():
        rows = {topic: measured(kept, order(kept), seed) for topic, kept in webs.items()}
        means = np.mean(list(rows.values()), axis=0).tolist()
        ap = {topic: float(row[MEASURES.index("AP")]) for topic, row in rows.items()}
        today = today or ap
        low, high = paired_interval(ap, today, seed=seed)
        told[name] = dict(zip(MEASURES, means, strict=True))
        gain = np.mean(list(ap.values())) - np.mean(list(today.values()))
        figures = " ".join(f"{value:7.3f}" for value in means)
        print(f"{name:32} {figures}  {gain:+.3f} [{low:+.3f}, {high:+.3f}]", flush=True)
    return told


if __name__ == "__main__":
    main()
