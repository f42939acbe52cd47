"""Generations of links: crossover, hub mutation, and the fittest by their words [P4]."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf

import msgspec

from crawler.knowledge.parameters import Parameter, ParameterRule, gettext_noop, require
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.terms import profile_vector
from crawler.page.parsed import PageLink, ParsedPage
from crawler.ranking.hits import hubs_and_authorities
from crawler.strategies.base import FrontierView, Integration, JudgedPage, LinkGraph, Rating
from crawler.strategies.order import ByPriority
from crawler.text.tokens import url_tokens

#: Q is fetched before P(t+1), and both before the tail of the pool, whose fitness is at most 1.
SELECTED, CROSSED = 2.0, 4.0


class _Memory(msgspec.Struct):
    """The query's terms, and the keys that are being fetched: P(t), or Q."""

    query: list[str]
    crossing: bool = True
    members: list[int] = []


class Genetic(ByPriority):
    """The crawl as a genetic algorithm.

    Crossover: links of the population P(t), those first that most individuals point at.
    Mutation: hubs. Both make Q, which is fetched; of the links found there the fittest are
    P(t+1), the others go to the tail of the pool. *Resolved*: a URL found under several
    links is as fit as the best of them; an unfetched page's own links are unknown, so it
    is as good a hub as the best hub that links to it.

    Parameters
    ----------
    population : int, default 20
        alpha, individuals of a generation.
    crossover, mutation : float, default 0.8 and 0.2
        p_c and p_m; they sum to 1.

    Raises
    ------
    ValueError
        If the shares do not sum to 1, or a parameter is out of range.
    """

    name = "genetic"
    parameters = (
        Parameter(
            "population", 20, gettext_noop("individuals per generation"), 1, inf, is_whole=True
        ),
        Parameter("crossover", 0.8, gettext_noop("share of a generation produced by crossover")),
        Parameter("mutation", 0.2, gettext_noop("share of a generation produced by hubs")),
    )
    rules = (
        ParameterRule(
            ("crossover", "mutation"),
            lambda crossover, mutation: abs(crossover + mutation - 1) <= 1e-9,
            gettext_noop(
                "crossover and mutation must sum to 1, got %(crossover)s and %(mutation)s"
            ),
        ),
    )

    def __init__(self, population: int = 20, crossover: float = 0.8, mutation: float = 0.2) -> None:
        require(self, population=population, crossover=crossover, mutation=mutation)
        self._population, self._mutation = int(population), mutation

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Remember the query; the seeds will be P(0)."""
        return msgspec.msgpack.encode(_Memory(sorted(profile_vector(profile))))

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        query = frozenset(_load(state).query)
        ratings: list[Rating | None] = []
        for link in page.links:
            fit = fitness(query, metadata(link))
            ratings.append(Rating(fit, {"fitness": fit}, {"fitness": fit}))
        return ratings

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """When a step has been fetched, choose who is fetched in the next."""
        memory = _load(state)
        members = list(dict.fromkeys([*memory.members, *(page.key for page in pages)]))
        waiting = {entry.key: entry for entry in view.waiting(None)}
        if any(key in waiting for key in members) or any(
            entry.parent is None for entry in waiting.values()
        ):
            return Integration(_dump(memory.query, memory.crossing, members))
        fit = {key: float(entry.memo.get("fitness", 0.0)) for key, entry in waiting.items()}
        graph = view.graph()
        pointed = Counter(_targets(graph, members, fit))
        if memory.crossing:
            chosen = self._crossed(pointed, graph, fit)
        else:
            best = sorted(pointed, key=lambda key: (-fit[key], key))[: self._population]
            chosen = {key: {"selected": SELECTED} for key in best}
        ratings = {}
        for key, extra in chosen.items():
            parts = {"fitness": fit[key], **extra}
            ratings[key] = Rating(sum(parts.values()), parts, {"fitness": fit[key]})
        return Integration(_dump(memory.query, not memory.crossing, list(chosen)), ratings)

    def _crossed(
        self, pointed: Mapping[int, int], graph: LinkGraph, fit: Mapping[int, float]
    ) -> dict[int, dict[str, float]]:
        """Q: n of the links most individuals point at, and m hubs."""
        n_hubs = int(self._mutation * self._population)
        n_links = self._population - n_hubs
        order = sorted(pointed, key=lambda key: (-pointed[key], -fit[key], key))[:n_links]
        chosen = {key: {"crossover": CROSSED + pointed[key] / 1000} for key in order}
        hubs = hub_values(graph)
        strangers = [key for key in fit if key not in chosen and hubs.get(key, 0.0) > 0]
        for key in sorted(strangers, key=lambda key: (-hubs[key], key))[:n_hubs]:
            chosen[key] = {"hub": CROSSED + hubs[key]}
        return chosen


def metadata(link: PageLink) -> frozenset[str]:
    """The words that announce a link: its anchor's, and those of the URL [P4]."""
    return frozenset(link.tokens).union(url_tokens(link.url))


def fitness(query: frozenset[str], words: frozenset[str]) -> float:
    """Fit = |q & d| / |q | d| on token sets, in [0, 1]; 0 for two empty sets [P4 eq. 3, 4]."""
    union = len(query | words)
    return len(query & words) / union if union else 0.0


def hub_values(graph: LinkGraph) -> dict[int, float]:
    """The largest hub score among the pages that link to each URL, by key."""
    hubs, _ = hubs_and_authorities(
        len(graph.keys), graph.sources, graph.targets, tol=1e-4, max_iter=5000
    )
    best: dict[int, float] = {}
    targets = graph.keys[graph.targets].tolist()
    for target, hub in zip(targets, hubs[graph.sources].tolist(), strict=True):
        best[target] = max(best.get(target, 0.0), hub)
    return best


def _targets(graph: LinkGraph, sources: Sequence[int], known: Mapping[int, float]) -> list[int]:
    """The other end of each link from one of the sources, if it is known."""
    wanted = set(sources)
    pairs = zip(graph.keys[graph.sources].tolist(), graph.keys[graph.targets].tolist(), strict=True)
    return [target for source, target in set(pairs) if source in wanted and target in known]


def _load(state: bytes) -> _Memory:
    return msgspec.msgpack.decode(state, type=_Memory)


def _dump(query: list[str], crossing: bool, members: list[int]) -> bytes:
    return msgspec.msgpack.encode(_Memory(query, crossing, members))
