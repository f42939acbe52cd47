"""What the experiments on real webs share: crawls of all topics, and means of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from crawler.lab.evaluating import Plan, evaluate, truth_of
from crawler.lab.evaluation_report import Results, recall_chart
from crawler.lab.experiments.alike import truths_by_text
from crawler.lab.experiments.claim import Progress
from crawler.page.parsed import ParsedPage
from crawler.replay.metrics import MARKS, Measured, Truth, measure
from crawler.replay.snapshot import Snapshot, SnapshotTopic
from focusweb.line_chart import LineChart


@dataclass(frozen=True, slots=True)
class Field:
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


@dataclass(frozen=True, slots=True)
class Crawls:
    """Every crawl of an experiment on one web, and what counts as relevant."""

    web: Field
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

    def mean(self, strategy: str, figure: str) -> float:
        """A figure's mean over the topics."""
        crawls = self.results.crawls[strategy].values()
        return fmean(float(getattr(done.measured, figure)) for done in crawls)

    def early_harvest(self, strategy: str) -> float:
        """Pages found per fetch in the first half of the budget."""
        return 2 * self.mean(strategy, "harvest") - self.mean(strategy, "late_harvest")

    def overlaps(self) -> dict[str, float]:
        """Mean overlap of what two strategies found, by "one & other" in either order."""
        budgets = {topic.name: self.web.plan.budget(topic) for topic in self.web.topics}
        found = self.results.overlaps(self.truths, budgets)
        turned = {" & ".join(reversed(key.split(" & "))): value for key, value in found.items()}
        return found | turned

    def figures(self) -> dict[str, dict[str, float]]:
        """Every mean, by strategy."""
        return {
            name: {figure: self.mean(name, figure) for figure in Measured.__dataclass_fields__}
            for name in self.results.strategies()
        }

    def chart(self) -> LineChart:
        """The recall curves."""
        return recall_chart(self.results, self.truths, times=MARKS[-1])


def crawl_all(web: Field, strategies: Sequence[str], progress: Progress) -> Crawls:
    """Crawl every topic under every strategy."""
    results = Results()
    found = evaluate(
        web.snapshot, web.pages, strategies, web.topics, web.plan, n_processes=web.n_processes
    )
    for crawled in found:
        results.add(crawled)
        progress()
    truths = {topic.name: truth_of(web.snapshot, topic) for topic in web.topics}
    return Crawls(web, results, truths)
