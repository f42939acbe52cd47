"""The sites of a topic, the links between them, and the user's decision on each.

As in Hyphe, a site is in, out or undecided; what two sites of the topic link to is offered for a
decision, too. Decisions are stored as site rules, so they also steer the crawl.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Avg, Count, F

from crawler.api.tables import Harvest, Link, Site, chunks
from topics.models import SiteControl, Topic
from topics.sources.site_rules import rules_by_site

#: Best pages whose links are followed.
MAX_PAGES: Final = 2000
IN, OUT, UNDECIDED = "in", "out", "undecided"
#: What a decision is stored as, so that it also steers the crawl.
RULES: Final = {IN: SiteControl.Rule.PIN, OUT: SiteControl.Rule.BLOCK, UNDECIDED: ""}


@dataclass(frozen=True, slots=True)
class SiteNode:
    """One site.

    Attributes
    ----------
    n_kept : int
        Its kept pages; 0 for a site that was only linked to.
    score : float or None
        Mean of their scores.
    n_linking : int
        Sites of kept pages that link to it.
    decision : str
        `IN`, `OUT` or `UNDECIDED`.
    rule : str
        The site's rule, "" for none.
    """

    pk: int
    name: str
    n_kept: int
    score: float | None
    n_linking: int
    decision: str
    rule: str


@dataclass(frozen=True, slots=True)
class SiteGraph:
    """Sites, most important first, and the links between them with their numbers."""

    nodes: tuple[SiteNode, ...]
    edges: Mapping[tuple[int, int], int]

    def first(self, n_sites: int) -> "SiteGraph":
        """Return the graph of the most important sites."""
        nodes = self.nodes[:n_sites]
        shown = {node.pk for node in nodes}
        return SiteGraph(nodes, {p: n for p, n in self.edges.items() if shown.issuperset(p)})

    def with_decision(self, decision: str) -> tuple[SiteNode, ...]:
        """Return the sites with one decision."""
        return tuple(node for node in self.nodes if node.decision == decision)


def site_graph(topic: Topic) -> SiteGraph:
    """Return the sites of a topic's kept pages, and those that two of them or more link to."""
    if topic.crawl is None:
        return SiteGraph((), {})
    kept = Harvest.objects.filter(crawl=topic.crawl).kept()
    pages = {
        pk: (n, score)
        for pk, n, score in kept.values_list("url__site")
        .annotate(n=Count("pk"), mean=Avg("score"))
        .order_by()
    }
    best = kept.order_by("-score").values("url_id")[:MAX_PAGES]
    links = Link.objects.votes().filter(source__in=best)
    edges = {
        (source, target): n
        for source, target, n in links.values_list("source__site", "target__site")
        .exclude(source__site=F("target__site"))
        .annotate(n=Count("target_id"))
        .order_by()
    }
    linking = Counter(target for _source, target in edges)
    rules = rules_by_site(topic)
    wanted = {*pages, *rules, *(pk for pk, n in linking.items() if n > 1)}
    ranked = sorted(wanted, key=lambda pk: (-pages.get(pk, (0, 0))[0], -linking[pk], pk))
    names = {
        pk: name
        for part in chunks(ranked)
        for pk, name in Site.objects.filter(pk__in=part).values_list("pk", "name")
    }
    nodes = tuple(
        SiteNode(
            pk,
            names[pk],
            *pages.get(pk, (0, None)),
            linking[pk],
            decision_of(rules.get(pk, "")),
            rules.get(pk, ""),
        )
        for pk in ranked
        if pk in names
    )
    inside = {pair: n for pair, n in edges.items() if wanted.issuperset(pair)}
    return SiteGraph(nodes, inside)


def decision_of(rule: str) -> str:
    """Return what a site rule means as a decision; lowered sites are still undecided."""
    if rule in SiteControl.TRUSTING:
        return IN
    return OUT if rule == SiteControl.Rule.BLOCK else UNDECIDED
