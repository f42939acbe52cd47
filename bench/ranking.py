"""How well orders of the kept pages agree with the labels of a web snapshot.

Each topic is crawled from its seeds as `evaluate_judge DIR --crawl PAGES` does it. The pages it
kept, seeds left out, are sorted by the product's score, by that of the second paper, by the
product's former one, and by the components. Labels serve for scoring only. The output has the means
over the topics that kept a page of theirs, and the difference of the average precision to the
product's score. That has its 95 % bootstrap interval, paired by topic. Pages of equal score stand
in 20 random orders, whose mean counts.

    python bench/ranking.py DIR [--pages 400] [--judge focus] [--seed 0] [--topics N] [--json F]
                            [--save F.npz]
    python bench/ranking.py --simulated SEED ... [--json F] [--save F.npz]

The second form takes simulated webs as `simulate --quick` makes them, each watched to its end by
the product. There the articles of the subject are right, and those of farms are not. NDCG counts
how much of an article is on the subject. Front pages and lists of links are left out: nothing says
how good they are. It prints two tables: of all kept articles, and of those that are left when farms
are taken out, as lists do first.

Printed first is how many of the pages with an independent in-link have a link value, by today's
rules and by the former one: a vote for each linking domain that the page's own domain does not
link to. An in-link is independent if it stands in an article of another domain.
"""

import argparse
import json
import multiprocessing
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from crawler.knowledge.profile import CrawlSettings  # noqa: E402
from crawler.lab.first_crawls import first_crawl  # noqa: E402
from crawler.lab.judge_evaluation import average_precision, by_relevance  # noqa: E402
from crawler.lab.simulation.monitor import Monitor  # noqa: E402
from crawler.lab.simulation.tables import open_tables  # noqa: E402
from crawler.lab.simulation.web import make_web  # noqa: E402
from crawler.management.commands.simulate import simulation_scope  # noqa: E402
from crawler.models import Harvest, Link  # noqa: E402
from crawler.page.parsed import ParsedPage  # noqa: E402
from crawler.page.url import domain_of  # noqa: E402
from crawler.ranking.score import typical_scale  # noqa: E402
from crawler.replay.memory_blackboard import MemoryBlackboard  # noqa: E402
from crawler.replay.metrics import paired_interval  # noqa: E402
from crawler.replay.parsed_snapshot import parse_snapshot  # noqa: E402
from crawler.replay.snapshot import Snapshot, SnapshotTopic, read_snapshot  # noqa: E402
from crawler.store.ranked_pages import kept_pages as stored_pages  # noqa: E402
from crawler.store.stuffed import stuffed_among  # noqa: E402

Vector = NDArray[np.float64]

#: A web as `simulate --quick` makes it.
SMALL = {"quick": True, "pages": 52_000, "weeks": 4, "seeds": 1, "policies": "ours"}
N_TIES = 20
MEASURES = ("P@10", "P@30", "AP", "NDCG@30")
TODAY = "the product's score"
#: Scores in one such step are near-equal.
NEAR = 0.02


@dataclass(frozen=True, slots=True)
class Kept:
    """The pages a crawl kept, seeds left out; arrays have the shape (n_pages,).

    Attributes
    ----------
    settings : CrawlSettings
    on_topic : ndarray of bool
        What the labels say.
    worth : ndarray of float64
        What NDCG counts: 1 for a page on topic; on simulated webs the share of the subject's words.
    relevance : ndarray of float64
        By the judge at the crawl's end.
    score : ndarray of float64
        What the product gave the page when the crawl ended.
    content : ndarray of float64
        CV by all that is known at the crawl's end.
    density : ndarray of float64
        Likewise.
    votes, n_domains, n_former : ndarray of float64
        LN as the product counts it; domains whose articles link to the page; and those of
        them that its own domain's articles do not link to.
    listed : ndarray of bool
        Lists do not take the page out as stuffed or as a farm's. Known of simulated webs only.
    """

    settings: CrawlSettings
    on_topic: NDArray[np.bool_]
    worth: Vector
    relevance: Vector
    score: Vector
    content: Vector
    density: Vector
    votes: Vector
    n_domains: Vector
    n_former: Vector
    listed: NDArray[np.bool_]

    def without_farms(self) -> "Kept":
        """The pages that lists leave."""
        columns = {name: getattr(self, name)[self.listed] for name in COLUMNS}
        return Kept(self.settings, **columns)

    @property
    def lv(self) -> Vector:
        """LV as the product has it."""
        return links(self.votes, self.settings.link_scale)

    @property
    def former(self) -> Vector:
        """LV as it was: each domain one vote, none of mutual ones, s the median."""
        return links(self.n_former, typical_scale(self.n_former.astype(int).tolist()))

    @property
    def standing(self) -> Vector:
        """The content part of the former score."""
        return (percentiles(self.relevance) + percentiles(self.density)) / 2


#: Names of the arrays.
COLUMNS = tuple(name for name in Kept.__slots__ if name != "settings")
Order = Callable[[Kept], Vector]


def links(counts: Vector, scale: float = 1.0) -> Vector:
    """LV of linking sites."""
    return 2 / np.pi * np.arctan(counts / scale)


def percentiles(values: Vector) -> Vector:
    """Share of the values below each, equal ones by half."""
    sorted_ = np.sort(values)
    below = np.searchsorted(sorted_, values, side="left")
    upto = np.searchsorted(sorted_, values, side="right")
    return (below + upto) / (2 * len(sorted_))


ORDERS: Mapping[str, Order] = {
    TODAY: lambda kept: kept.score,
    "the paper's: .7 LV (s = 1) + .3 CV": lambda kept: 0.7 * links(kept.votes) + 0.3 * kept.content,
    "the paper's, each domain a vote": lambda kept: (
        0.7 * links(kept.n_domains) + 0.3 * kept.content
    ),
    "the former: .4 LV + .6 percentiles": lambda kept: 0.4 * kept.former + 0.6 * kept.standing,
    "near-equal ones by percentiles": lambda kept: (
        np.floor(kept.score / NEAR) + 0.999 * kept.standing
    ),
    "chance": lambda kept: np.zeros(len(kept.on_topic)),
    "LV": lambda kept: kept.lv,
    "CV of the paper": lambda kept: kept.content,
    "relevance": lambda kept: kept.relevance,
    "density": lambda kept: kept.density,
    "both percentiles": lambda kept: kept.standing,
}


def kept_pages(
    snapshot: Snapshot,
    pages: Mapping[str, ParsedPage],
    topic: SnapshotTopic,
    board: MemoryBlackboard,
) -> Kept:
    """What a crawl kept, as the orders see it."""
    training_set, (profile, settings) = board.training_set(), board.topic()
    judge = make_judge(profile, settings, training_set)
    weights = density_weights(judge, board.shared_terms())
    relevant, known = snapshot.pages_with(topic.name), board.known_domains
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
        own = domain_of(url)
        linking = map(board.url_of, board.linking_pages(scored.key))
        domains = {domain_of(url) for url in linking} - {own}
        rows.append(
            (
                key in relevant,
                key in relevant,
                verdict.relevance,
                scored.score,
                content.value,
                content.density,
                scored.votes.total,
                len(domains),
                len(domains - known[own]),
                True,
            )
        )
    return kept_of(settings, rows)


def kept_of(settings: CrawlSettings, rows: Sequence[tuple[float, ...]]) -> Kept:
    """Kept pages of rows of numbers, in the order of `COLUMNS`."""
    numbers = np.array(rows, np.float64).reshape(-1, len(COLUMNS)).T
    columns: dict[str, Any] = dict(zip(COLUMNS, numbers, strict=True))
    columns |= {name: columns[name] > 0 for name in ("on_topic", "listed")}
    return Kept(settings, **columns)


def measured(kept: Kept, scores: Vector, seed: int) -> Vector:
    """The four measures of an order, means over orders of what is equal; shape (4,)."""
    rng, n_pages = np.random.default_rng(seed), len(scores)
    discounts = 1 / np.log2(np.arange(2, n_pages + 2))
    n_right = int(kept.on_topic.sum())
    best = (np.sort(kept.worth)[::-1][:30] * discounts[:30]).sum()
    sums = np.zeros(len(MEASURES))
    for _ in range(N_TIES):
        # Rounded, so that sums that differ in the last digit only are equal.
        order = by_relevance(scores.round(12), rng.permutation(n_pages))
        hits, worth = kept.on_topic[order], kept.worth[order]
        gain = (worth[:30] * discounts[:30]).sum() / best
        sums += hits[:10].mean(), hits[:30].mean(), average_precision(hits, n_right), gain
    return sums / N_TIES


def main() -> None:
    """Crawl every topic; print a line for each order."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--simulated", type=int, nargs="+", default=[], metavar="SEED")
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--judge", default="focus")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--topics", type=int, help="only the first so many")
    parser.add_argument("--save", type=Path, help="write the arrays here, as .npz")
    parser.add_argument("--json", type=Path, dest="json_file", help="write the means here")
    options = parser.parse_args()
    if (options.folder is None) is not bool(options.simulated):
        parser.error("name a folder, or seeds of simulated webs")
    webs = {f"web {seed}": simulated(seed) for seed in options.simulated}
    if options.folder:
        webs = crawled(options)
    if options.save:
        columns = {
            f"{name}/{column}": getattr(kept, column)
            for name, kept in webs.items()
            for column in COLUMNS
        }
        np.savez(options.save, **columns)
    means = {"all": tell(webs, options.seed)}
    if options.simulated:
        print("without farms:")
        left = {name: kept.without_farms() for name, kept in webs.items()}
        means["without farms"] = tell(left, options.seed)
    if options.json_file:
        options.json_file.write_text(json.dumps(means, indent=1), encoding="utf-8")


def crawled(options: argparse.Namespace) -> dict[str, Kept]:
    """What first crawls of a snapshot kept, by topic."""
    snapshot = read_snapshot(options.folder)
    pages = parse_snapshot(snapshot, cache=site_settings.DATA_DIR / "cache")
    crawl = {"judge": options.judge, "n_pages": options.pages, "seed": options.seed}
    found = {
        topic.name: kept_pages(snapshot, pages, topic, first_crawl(pages, topic, **crawl).board)
        for topic in snapshot.topics[: options.topics]
    }
    return {name: kept for name, kept in found.items() if kept.on_topic.any()}


def simulated(seed: int) -> Kept:
    """What the product kept of a small simulated web, at its end."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as process:
        return process.submit(_simulated, seed).result()


def _simulated(seed: int) -> Kept:
    # In a process of its own: the web's tables take the place of the installation's.
    open_tables()
    scope = simulation_scope({**SMALL, "seed": seed})
    monitor = Monitor(make_web(seed, scope.extent), seed, scope.watch)
    monitor.watch(lambda day: None)
    crawl, web = monitor.crawl, monitor.web
    harvests = Harvest.objects.filter(crawl=crawl).kept()
    listed = harvests.exclude(pk__in=stuffed_among(harvests, harvests))
    left = set(listed.values_list("url_id", flat=True))
    urls = dict(harvests.values_list("url_id", "url__url"))
    articles = {web.url_of(article): article for article in web.articles}
    known: dict[str, set[str]] = defaultdict(set)
    into: dict[int, set[str]] = defaultdict(set)
    read = Harvest.objects.filter(crawl=crawl).values("url_id")
    links = (
        Link.objects.votes()
        .filter(source_id__in=read)
        .values_list("target_id", "source__site__domain", "target__site__domain")
    )
    for target, source, own in links:
        if source != own:
            into[target].add(source)
            known[source].add(own)
    rows = []
    for page in stored_pages(crawl, monitor.now):
        url = urls[page.key]
        if url not in articles:
            continue
        article, neighbours = articles[url], known[domain_of(url)]
        rows.append(
            (
                web.is_on_subject(article),
                web.is_on_subject(article) * article.density,
                page.relevance,
                page.score,
                page.content.value,
                page.content.density,
                page.votes.total,
                len(into[page.key]),
                len(into[page.key] - neighbours),
                page.key in left,
            )
        )
    return kept_of(crawl.settings, rows)


def tell(webs: Mapping[str, Kept], seed: int) -> dict[str, dict[str, float]]:
    """Print a line for each order; their means."""
    n_pages = sum(len(kept.on_topic) for kept in webs.values())
    linked = [kept.n_domains > 0 for kept in webs.values()]
    for name, counts in (
        ("LV > 0", [kept.votes for kept in webs.values()]),
        ("votes of .1 or more", [np.floor(10 * kept.votes) for kept in webs.values()]),
        ("LV > 0 by the former rule", [kept.n_former for kept in webs.values()]),
    ):
        n = sum(int((row[of] > 0).sum()) for row, of in zip(counts, linked, strict=True))
        n_linked = sum(int(of.sum()) for of in linked)
        print(f"{name}: {n} of {n_linked} pages with an independent in-link")
    print(f"{len(webs)} topics, {n_pages} kept pages")
    print(f"{'order':36} {' '.join(f'{name:>7}' for name in MEASURES)}  AP beside the product's")
    text: dict[str, dict[str, float]] = {}
    today: dict[str, float] = {}
    for name, order in ORDERS.items():
        rows = {topic: measured(kept, order(kept), seed) for topic, kept in webs.items()}
        means = np.mean(list(rows.values()), axis=0).tolist()
        ap = {topic: float(row[MEASURES.index("AP")]) for topic, row in rows.items()}
        today = today or ap
        low, high = paired_interval(ap, today, seed=seed)
        text[name] = dict(zip(MEASURES, means, strict=True))
        gain = np.mean(list(ap.values())) - np.mean(list(today.values()))
        figures = " ".join(f"{value:7.3f}" for value in means)
        print(f"{name:36} {figures}  {gain:+.3f} [{low:+.3f}, {high:+.3f}]", flush=True)
    return text


if __name__ == "__main__":
    main()
