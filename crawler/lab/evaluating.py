"""Crawl every topic of a snapshot under every strategy, on all cores."""

import gc
import multiprocessing
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace

from crawler.crawl.manager import BatchLimits
from crawler.errors import ConfigurationError
from crawler.knowledge.profile import CrawlSettings, TopicConcept, TopicProfile
from crawler.page.parsed import PageTerms, ParsedPage
from crawler.replay.memory_frontier import EarlierLinks
from crawler.replay.metrics import MARKS, Measured, Truth, measure
from crawler.replay.oracle import breadth_first_order, followable_links, link_label_order
from crawler.replay.replay import NOON, PRODUCT_PACE, replay
from crawler.replay.snapshot import Snapshot, SnapshotTopic

#: Names of the two ends of the scale among the crawls.
FLOOR, ORACLE = "breadth_first", "oracle"
#: Pages of any subject that a judge knows before a crawl.
N_KNOWN = 300


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a crawl of an evaluation starts from, and how its work is cut.

    Attributes
    ----------
    pace : BatchLimits
    n_known : int
        Pages of any subject that the judge knows before a crawl, >= 0; with 0 it learns
        from the crawl's own pages alone.
    max_depth_hops : int
        Links from a seed that are still followed.
    """

    name: str
    limits: BatchLimits
    n_known: int
    max_depth_hops: int


#: The first crawl of a new installation: no background, the product's own pace and depth.
PRODUCT = Conditions("product", PRODUCT_PACE, 0, CrawlSettings().max_depth_hops)
#: A background drawn from the very web that is crawled, a turn every five pages, no depth limit.
LAB = Conditions("lab", BatchLimits(n_collectors=1, slice_pages=5), N_KNOWN, 1_000_000)


#: The conditions by name.
CONDITIONS = {conditions.name: conditions for conditions in (PRODUCT, LAB)}


@dataclass(frozen=True, slots=True)
class Plan:
    """What an evaluation crawls with.

    Attributes
    ----------
    budget_times : float or None
        Budget in multiples of a topic's size.
    budget_pages : int or None
        Budget in fetches; exactly one of the two is given.
    seed : int
        Of everything random.
    stored_links : bool
        The links of the web count as stored before, so that strategies find back-links.
    """

    judge: str = "cosine"
    budget_times: float | None = 2.0
    budget_pages: int | None = None
    seed: int = 0
    conditions: Conditions = PRODUCT
    stored_links: bool = False

    def budget(self, topic: SnapshotTopic) -> int:
        """Fetches that count for a topic."""
        if self.budget_pages is not None:
            return self.budget_pages
        assert self.budget_times is not None
        return max(round(self.budget_times * topic.pages), 1)

    def length(self, topic: SnapshotTopic) -> int:
        """Fetches a crawl goes on for: to the last mark, even past the budget."""
        return max(self.budget(topic), MARKS[-1] * topic.pages)


@dataclass(frozen=True, slots=True)
class EvaluatedCrawl:
    """One finished crawl of an evaluation."""

    strategy: str
    topic: str
    measured: Measured
    fetched: tuple[str, ...]
    cpu_s: float
    #: Links on the fetched pages, one for each page and target.
    n_links: int = 0
    #: Pages it knew of and had not fetched at its end.
    waiting: frozenset[str] = frozenset()
    #: Fetched pages that it kept, and addresses in its frontier at its end, fetched or not.
    kept: frozenset[str] = frozenset()
    n_discovered: int = 0
    #: Fetched pages whose links could be followed, by the depth.
    expanded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Field:
    """What every crawl needs; shared with the child processes by forking."""

    pages: Mapping[str, ParsedPage]
    snapshot: Snapshot
    plan: Plan


_field: _Field | None = None


def topic_profile(topic: SnapshotTopic) -> TopicProfile:
    """What a person would say of a snapshot's topic: its name in words, and the seeds."""
    name = topic.name.replace("/", ".").rpartition(".")[2].replace("_", " ")
    return TopicProfile(name, seeds=tuple(f"http://{seed}" for seed in topic.seeds))


def variant(text: str) -> tuple[str, dict[str, float]]:
    """Read "focus" or "focus:site=0:interval=50": a strategy's name and parameters.

    Raises
    ------
    ConfigurationError
        If a parameter is not NAME=NUMBER.
    """
    name, *settings = text.split(":")
    parameters = {}
    for setting in settings:
        key, _, value = setting.partition("=")
        try:
            parameters[key] = float(value)
        except ValueError as error:
            raise ConfigurationError(
                f"{text}: a parameter is NAME=NUMBER, got {setting!r}"
            ) from error
    return name, parameters


def known_pages(
    pages: Mapping[str, ParsedPage], *, exclude: Sequence[str], seed: int, most: int = N_KNOWN
) -> list[PageTerms]:
    """Draw pages of any subject, without their labels or links, as a judge's background.

    They stand for what an installation has seen before, for other topics.
    """
    keys = sorted(pages.keys() - set(exclude))
    drawn = random.Random(seed).sample(keys, min(most, len(keys)))
    return [pages[key].terms for key in drawn]


def truth_of(snapshot: Snapshot, topic: SnapshotTopic) -> Truth:
    """Return the labels, for scoring."""
    return Truth(
        snapshot.pages_with(topic.name), frozenset(topic.seeds), topic.pages, topic.reachable
    )


def evaluate(
    snapshot: Snapshot,
    pages: Mapping[str, ParsedPage],
    strategies: Sequence[str],
    topics: Sequence[SnapshotTopic],
    plan: Plan,
    *,
    n_processes: int = 2,
) -> Iterator[EvaluatedCrawl]:
    """Crawl each topic under each strategy; results come as they are ready.

    The link-label oracle of each topic comes first, under the name "oracle", and
    "breadth_first" is always among the crawls.
    """
    graph = followable_links(pages)
    for topic in topics:
        truth = truth_of(snapshot, topic)
        orders = {ORACLE: link_label_order(graph, topic.seeds, truth.relevant)}
        if FLOOR not in strategies:
            orders[FLOOR] = breadth_first_order(graph, topic.seeds)
        for name, order in orders.items():
            fetched = tuple(order[: plan.length(topic)])
            yield EvaluatedCrawl(
                name, topic.name, measure(fetched, truth, plan.budget(topic)), fetched, 0.0
            )
    yield from _crawl_all(_Field(pages, snapshot, plan), strategies, topics, n_processes)


def _crawl_all(
    field: _Field, strategies: Sequence[str], topics: Sequence[SnapshotTopic], n_processes: int
) -> Iterator[EvaluatedCrawl]:
    global _field
    # The largest first, so that no core waits for a last long one.
    jobs = [
        (strategy, topic)
        for topic in sorted(topics, key=lambda topic: -topic.pages)
        for strategy in strategies
    ]
    _field = field
    gc.collect()
    gc.freeze()  # children then leave the pages' memory shared
    try:
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(n_processes, mp_context=context) as processes:
            running = [processes.submit(_crawl, *job) for job in jobs]
            for done in as_completed(running):
                yield done.result()
    finally:
        gc.unfreeze()
        _field = None


def _crawl(strategy: str, topic: SnapshotTopic) -> EvaluatedCrawl:
    assert _field is not None
    done = crawl_topic(_field.pages, _field.snapshot, strategy, topic, _field.plan)
    # Hundreds of crawls together would fill the parent's memory with what they left.
    return replace(done, waiting=frozenset())


def crawl_topic(
    pages: Mapping[str, ParsedPage],
    snapshot: Snapshot,
    strategy: str,
    topic: SnapshotTopic,
    plan: Plan,
    *,
    concepts: tuple[TopicConcept, ...] = (),
) -> EvaluatedCrawl:
    """Crawl one topic under one strategy, named as `variant` reads it."""
    profile = replace(topic_profile(topic), concepts=concepts)
    name, parameters = variant(strategy)
    settings = CrawlSettings(
        strategy=name,
        strategy_parameters=parameters,
        judge=plan.judge,
        n_pages=plan.length(topic),
        max_depth_hops=plan.conditions.max_depth_hops,
    )
    background = known_pages(
        pages, exclude=topic.seeds, seed=plan.seed, most=plan.conditions.n_known
    )
    stored_links = EarlierLinks.of(pages.values()) if plan.stored_links else None
    begun = time.process_time()
    done = replay(
        pages,
        profile,
        settings,
        profile.seeds,
        limits=plan.conditions.limits,
        chance=plan.seed,
        background=background,
        stored_links=stored_links,
    )
    cpu_s = time.process_time() - begun
    fetched = tuple(url.partition("://")[2] for url in done.urls)
    kept = frozenset(
        posting.claim.url.partition("://")[2]
        for posting in done.board.harvests.values()
        if posting.kept
    )
    measured = measure(fetched, truth_of(snapshot, topic), plan.budget(topic))
    view = done.board.view(NOON, n_per_site=1)
    waiting = frozenset(entry.url.partition("://")[2] for entry in view.waiting(None))
    n_links = len(view.graph().sources)
    expanded = frozenset(
        posting.claim.url.partition("://")[2]
        for posting in done.board.harvests.values()
        if posting.claim.depth_hops < settings.max_depth_hops
    )
    return EvaluatedCrawl(
        strategy,
        topic.name,
        measured,
        fetched,
        cpu_s,
        n_links,
        waiting,
        kept,
        done.board.n_discovered,
        expanded,
    )
