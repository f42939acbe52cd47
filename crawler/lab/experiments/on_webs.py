"""What the experiments on real webs share: crawls of all topics, and means of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from types import MappingProxyType

from crawler.knowledge.judges.overlap_judge import overlap
from crawler.lab.evaluating import EvaluatedCrawl, Plan, evaluate, truth_of
from crawler.lab.evaluation_report import Results, recall_chart
from crawler.lab.experiments.claim import Margin, Progress, margin
from crawler.lab.experiments.text_similarity import truths_by_text
from crawler.page.parsed import ParsedPage
from crawler.replay.metrics import MARKS, Measured, Truth, measure
from crawler.replay.snapshot import Snapshot, SnapshotTopic
from focusweb.charts.line_chart import LineChart


@dataclass(frozen=True, slots=True)
class ExperimentSetup:
    """A parsed snapshot, the topics to crawl, and how."""

    snapshot: Snapshot
    pages: Mapping[str, ParsedPage]
    topics: Sequence[SnapshotTopic]
    plan: Plan
    n_processes: int = 2

    @property
    def name(self) -> str:
        """As charts call it."""
        return self.snapshot.folder.name

    def with_stored_links(self) -> "ExperimentSetup":
        """Return the same, where the links of the web count as stored before."""
        return replace(self, plan=replace(self.plan, stored_links=True))


@dataclass(frozen=True, slots=True)
class KeptPages:
    """What a judge made of the pages of a crawl, its seeds left out.

    Attributes
    ----------
    precision, recall : float
        Of the kept pages, in [0, 1]; recall among the relevant ones that were fetched.
    """

    n_kept: int
    n_discarded: int
    precision: float
    recall: float

    @staticmethod
    def of(done: EvaluatedCrawl, truth: Truth) -> "KeptPages":
        """Compare what a crawl kept with the truth."""
        fetched = set(done.fetched) - truth.seeds
        kept = done.kept - truth.seeds
        n_right = len(kept & truth.wanted)
        n_met = len(fetched & truth.wanted)
        return KeptPages(
            len(kept),
            len(fetched - kept),
            n_right / max(len(kept), 1),
            n_right / max(n_met, 1),
        )


@dataclass(frozen=True, slots=True)
class Crawls:
    """Every crawl of an experiment on one web, and what counts as relevant."""

    web: ExperimentSetup
    results: Results
    truths: Mapping[str, Truth]

    def by_text(self) -> "Crawls":
        """The same crawls, where pages whose text is like the topic are the relevant ones."""
        truths = truths_by_text(self.web.pages, self.web.topics)
        budgets = {topic.name: self.web.plan.budget(topic) for topic in self.web.topics}
        crawls = {
            name: {
                topic: replace(done, measured=measure(done.fetched, truths[topic], budgets[topic]))
                for topic, done in found.items()
            }
            for name, found in self.results.crawls.items()
        }
        return Crawls(self.web, Results(crawls), truths)

    def of_topics(self, strategy: str, figure: str) -> dict[str, float]:
        """Return a figure by topic."""
        crawls = self.results.crawls[strategy]
        return {topic: float(getattr(done.measured, figure)) for topic, done in crawls.items()}

    def mean(self, strategy: str, figure: str) -> float:
        """Return a figure's mean over the topics."""
        return fmean(self.of_topics(strategy, figure).values())

    def margin(self, strategy: str, other: str, figure: str) -> Margin:
        """Return how far a strategy is ahead of another one in a figure."""
        what = f"{figure}, {strategy} - {other}"
        return margin(what, self.of_topics(strategy, figure), self.of_topics(other, figure))

    def early_harvest(self, strategy: str) -> dict[str, float]:
        """Pages found per fetch in the first half of the budget, by topic."""
        late = self.of_topics(strategy, "late_harvest")
        harvest = self.of_topics(strategy, "harvest")
        return {topic: 2 * harvest[topic] - late[topic] for topic in late}

    def discovered(self, strategy: str) -> dict[str, float]:
        """Addresses in the frontier at the end, by topic."""
        crawls = self.results.crawls[strategy]
        return {topic: float(done.n_discovered) for topic, done in crawls.items()}

    def kept(self, strategy: str) -> "dict[str, KeptPages]":
        """Return what the judge made of the fetched pages, by topic."""
        crawls = self.results.crawls[strategy]
        return {topic: KeptPages.of(done, self.truths[topic]) for topic, done in crawls.items()}

    def overlap(self, name: str, other: str) -> dict[str, float]:
        """Overlap of the relevant pages that two strategies found within the budget, by topic."""
        return {
            topic: overlap(self._found(name, topic), self._found(other, topic))
            for topic in self.results.crawls[name]
        }

    def _found(self, name: str, topic: str) -> set[str]:
        [size] = [one for one in self.web.topics if one.name == topic]
        fetched = self.results.crawls[name][topic].fetched[: self.web.plan.budget(size)]
        return set(fetched) & self.truths[topic].wanted

    def overlaps(self) -> dict[str, float]:
        """Mean overlap of what two strategies found, by "one & other" in either order."""
        budgets = {topic.name: self.web.plan.budget(topic) for topic in self.web.topics}
        found = self.results.overlaps(self.truths, budgets)
        turned = {" & ".join(reversed(key.split(" & "))): value for key, value in found.items()}
        return found | turned

    def figures(self) -> dict[str, dict[str, float]]:
        """Return every mean, by strategy."""
        return {
            name: {figure: self.mean(name, figure) for figure in Measured.__dataclass_fields__}
            for name in self.results.strategies()
        }

    def chart(self) -> LineChart:
        """Return the recall curves."""
        return recall_chart(self.results, self.truths, times=MARKS[-1])


def crawl_all(
    web: ExperimentSetup,
    strategies: Sequence[str],
    progress: Progress,
    *,
    judges: Mapping[str, str] = MappingProxyType({}),
) -> Crawls:
    """Crawl every topic under every strategy, each with the judge of the plan or its own.

    `judges` names the latter, by strategy.
    """
    results = Results()
    by_judge: dict[str, list[str]] = {}
    for strategy in strategies:
        by_judge.setdefault(judges.get(strategy, web.plan.judge), []).append(strategy)
    for judge, some in by_judge.items():
        plan = replace(web.plan, judge=judge)
        found = evaluate(
            web.snapshot, web.pages, some, web.topics, plan, n_processes=web.n_processes
        )
        for crawled in found:
            results.add(crawled)
            progress()
    truths = {topic.name: truth_of(web.snapshot, topic) for topic in web.topics}
    return Crawls(web, results, truths)
