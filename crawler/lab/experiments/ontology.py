"""The first paper's experiment: breadth-first with ontology and link filter, and without."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

from crawler.knowledge.profile import TopicConcept
from crawler.lab.evaluating import Crawled, crawl_topic, truth_of
from crawler.lab.experiments.alike import truths_by_text
from crawler.lab.experiments.claim import (
    Claim,
    Findings,
    Progress,
    outcome_of,
    together,
    told_both,
)
from crawler.lab.experiments.on_webs import Field
from crawler.replay.metrics import Truth, measure
from crawler.replay.oracle import Graph, followable_links
from crawler.replay.snapshot import Snapshot, SnapshotTopic

FILTERED, PLAIN = "ontology", "breadth_first"
#: Thresholds that are tried beside the paper's: nothing dropped, and twice as much required.
SWEEP = ("ontology:drop_below=0", "ontology:drop_below=0.2")
STRATEGIES = (FILTERED, PLAIN, *SWEEP)
#: Points of precision, and share of pages, from which a gain counts as the paper's.
GAIN, MORE_PAGES = 0.06, 0.15


@dataclass(frozen=True, slots=True)
class Kept:
    """What an order kept and lost, means over the topics.

    Attributes
    ----------
    precision, recall : float
        At the budget, in [0, 1].
    wrongly_dropped : float
        Share of the relevant pages linked from those fetched to the crawl's end, of which
        every link was dropped.
    """

    precision: float
    recall: float
    wrongly_dropped: float


def run_ontology(web: Field, *, progress: Progress) -> Findings:
    """Crawl every topic with the filter, its concepts from the snapshot's tree, and without."""
    graph = followable_links(web.pages)
    crawls: dict[str, list[Crawled]] = {name: [] for name in STRATEGIES}
    for topic in web.topics:
        concepts = concepts_of(web.snapshot, topic)
        for name, done in crawls.items():
            done.append(
                crawl_topic(web.pages, web.snapshot, name, topic, web.plan, concepts=concepts)
            )
            progress()
    labels = {topic.name: truth_of(web.snapshot, topic) for topic in web.topics}
    kept = [
        {name: _kept(web, graph, done, truths) for name, done in crawls.items()}
        for truths in (labels, truths_by_text(web.pages, web.topics))
    ]
    rates = {name: _pages_per_cpu_s(done) for name, done in crawls.items()}
    by_labels, by_text = ({n: asdict(v) for n, v in found.items()} for found in kept)
    figures = {"strategies": by_labels, "by_text": by_text, "pages_per_cpu_s": rates}
    return Findings(tuple(_claims(kept, rates)), figures, {})


def _claims(kept: Sequence[Mapping[str, Kept]], rates: Mapping[str, float]) -> Iterable[Claim]:
    gains = [k[FILTERED].precision - k[PLAIN].precision for k in kept]
    yield Claim(
        "Precision is higher with ontology and link prediction",
        "8 to 10 points higher",
        told_both(
            f"{k[FILTERED].precision:.1%} against {k[PLAIN].precision:.1%} ({100 * gain:+.1f})"
            for k, gain in zip(kept, gains, strict=True)
        ),
        together(outcome_of(gain >= GAIN, partly=gain > 0) for gain in gains),
        "found pages per fetch at the same budget",
    )
    lost = [k[FILTERED].wrongly_dropped for k in kept]
    yield Claim(
        "About 5 % of relevant pages are wrongly dropped",
        "5 %",
        told_both(
            f"{k[FILTERED].wrongly_dropped:.1%}"
            f" (theta' 0: {k[SWEEP[0]].wrongly_dropped:.1%} at precision"
            f" {k[SWEEP[0]].precision:.1%}, 0.2: {k[SWEEP[1]].wrongly_dropped:.1%} at"
            f" {k[SWEEP[1]].precision:.1%})"
            for k in kept
        ),
        together(outcome_of(share <= 0.05, partly=share <= 0.15) for share in lost),
        "relevant pages linked from fetched ones, of which every link was dropped",
    )
    more = rates[FILTERED] / rates[PLAIN] - 1
    yield Claim(
        "20 to 30 % more pages are downloaded in the same time",
        "20 to 30 %",
        f"{more:+.0%}: {rates[FILTERED]:.0f} pages per CPU second against {rates[PLAIN]:.0f}",
        outcome_of(more >= MORE_PAGES, partly=more > 0),
        "CPU time of the whole crawl loop; a replay has no network time, which is the same"
        " for every page, and parses nothing anew",
    )


def concepts_of(snapshot: Snapshot, topic: SnapshotTopic) -> tuple[TopicConcept, ...]:
    """The topic's own label and those below it, as a person's ontology would name them."""
    below = {topic.name: 1.0}
    for row in snapshot.ontology:  # parents come before their children
        if row.parent in below:
            below[row.label] = below[row.parent] * 0.8
    return tuple(
        TopicConcept(row.name.replace("_", " "), degree=below[row.label], concept=row.label)
        for row in sorted(snapshot.ontology, key=lambda row: -below.get(row.label, 0.0))
        if row.label in below
    )


def _kept(web: Field, graph: Graph, crawls: Iterable[Crawled], truths: Mapping[str, Truth]) -> Kept:
    budgets = {topic.name: web.plan.budget(topic) for topic in web.topics}
    measured, dropped = [], []
    for done in crawls:
        truth = truths[done.topic]
        measured.append(measure(done.fetched, truth, budgets[done.topic]))
        dropped.append(_dropped_share(graph, done, truth))
    return Kept(
        fmean(m.harvest for m in measured), fmean(m.recall for m in measured), fmean(dropped)
    )


def _dropped_share(graph: Graph, done: Crawled, truth: Truth) -> float:
    """Share of the wanted pages linked from fetched ones that the crawl does not know."""
    linked = {target for key in done.fetched for target in graph[key]} & truth.wanted
    return len(linked.difference(done.fetched, done.waiting)) / max(len(linked), 1)


def _pages_per_cpu_s(crawls: Iterable[Crawled]) -> float:
    found = list(crawls)
    return sum(done.measured.n_fetched for done in found) / sum(done.cpu_s for done in found)
