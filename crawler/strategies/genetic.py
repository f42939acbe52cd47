"""Generations of links: HITS at first, crossover, hub mutation, the fittest by words [P4]."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import inf

import msgspec

from crawler.knowledge.judges.overlap_judge import overlap
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.terms import profile_vector
from crawler.page.parsed import PageLink, ParsedPage
from crawler.strategies.base import (
    WORDS,
    FrontierView,
    Integration,
    JudgedPage,
    LinkGraph,
    NewUrl,
    Rating,
    Waiting,
)
from crawler.strategies.link_notes import BACK_LINKS, LINKING, SOURCE
from crawler.strategies.neighbourhood import (
    around,
    best_first,
    best_hub_behind,
    link_ends,
    merged_graphs,
)
from crawler.strategies.order import ByPriority, Memory
from crawler.text.tokens import url_tokens
from focusweb.parameters import Parameter, ParameterRule, gettext_noop, require

#: Q is fetched before P(t+1), and both before the tail of the pool, whose fitness is at most 1.
SELECTED, CROSSED = 2.0, 4.0


class _Memory(Memory, frozen=True):
    """What the algorithm has come to.

    Attributes
    ----------
    query : list of str
        The query's terms.
    results : list of int
        S', the pages of the seeds.
    members : list of int
        What is being fetched: S', then P(t) or Q by turns.
    step : str
        "start" while S' is fetched, "crossover" while P(t) is, "selection" while Q is.
    n_generations : int
        Of this run.
    n_fetched : int
        Pages of the run at the last interval; fewer at the next one mean a new run.
    """

    query: list[str]
    results: list[int] = []
    members: list[int] = []
    step: str = "start"
    n_generations: int = 0
    n_fetched: int = 0


class Genetic(ByPriority):
    """The crawl as a genetic algorithm.

    The seeds are S'. S'' are the pages that link to them: stored ones, and those that a search
    provider of the topic names, which are fetched with the seeds. S''' is what those link to.
    P(0) are the best authorities of these three, H their hubs, both by HITS. Crossover: links of
    the population P(t), those first that most individuals point at. Mutation: the best hubs of H
    that were not fetched. Both make Q, which is fetched; of the links found there the fittest are
    P(t+1), the others go to the tail of the pool. Words of several links to one URL are merged.

    *Resolved*: seeds fill what authorities leave free in P(0). H is made anew for every
    generation. Where its pages are used up, a URL found in the crawl is as good a hub as the best
    hub that links to it.

    Parameters
    ----------
    population : int, default 20
        alpha, individuals of a generation.
    crossover, mutation : float, default 0.8 and 0.2
        p_c and p_m; they sum to 1.
    generations : int, default 0
        T, after which a run ends; 0 for no such end.

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
        Parameter(
            "generations",
            0,
            gettext_noop("generations after which a run ends; 0 for no such end"),
            0,
            inf,
            is_whole=True,
        ),
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

    def __init__(
        self,
        population: int = 20,
        crossover: float = 0.8,
        mutation: float = 0.2,
        generations: int = 0,
    ) -> None:
        require(
            self,
            population=population,
            crossover=crossover,
            mutation=mutation,
            generations=generations,
        )
        self._population, self._mutation = int(population), mutation
        self._generations = int(generations)

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Remember the query."""
        return _Memory(sorted(profile_vector(profile))).dump()

    def has_ended(self, state: bytes, n_fetched: int) -> bool:
        """True once a run has had T generations."""
        memory = _Memory.load(state)
        is_last = 0 < self._generations <= memory.n_generations
        return is_last and n_fetched >= memory.n_fetched

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        query = frozenset(_Memory.load(state).query)
        words: dict[str, frozenset[str]] = {}
        for link in page.links:
            words[link.url] = metadata(link) | words.get(link.url, frozenset())
        return [_rating(query, words[link.url]) for link in page.links]

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """When a step has been fetched, choose who is fetched in the next."""
        memory = _Memory.load(state)
        if view.n_fetched < memory.n_fetched:
            memory = msgspec.structs.replace(memory, n_generations=0)
        members = list(dict.fromkeys([*memory.members, *_members(memory, pages)]))
        memory = msgspec.structs.replace(memory, members=members, n_fetched=view.n_fetched)
        waiting = {entry.key: entry for entry in view.waiting(None)}
        is_fetching = set(members).intersection(waiting)
        if is_fetching or any(map(_is_seed, waiting.values())):
            return Integration(memory.dump())
        answer = Integration(memory.dump())
        for _ in _STEPS:
            memory = _Memory.load(answer.state)
            answer = _STEPS[memory.step](self, memory, view, waiting)
            # A step of which all is fetched already is followed by the next one at once.
            if answer.ratings or answer.new_urls:
                break
        return answer

    def _first(
        self, memory: _Memory, view: FrontierView, waiting: Mapping[int, Waiting]
    ) -> Integration:
        """P(0): the best authorities of S."""
        memory = msgspec.structs.replace(memory, results=memory.members)
        near = around(_graph(view, memory), memory.results)
        hubs, authorities = best_first(near)
        chosen = dict.fromkeys([*list(authorities)[: self._population], *memory.results])
        parts = {
            key: {"authority": CROSSED + authorities.get(key, 0.0)}
            for key in list(chosen)[: self._population]
        }
        memory = msgspec.structs.replace(memory, members=list(parts), step="crossover")
        return _answer(memory, parts, waiting, best_hub_behind(near, hubs))

    def _crossed(
        self, memory: _Memory, view: FrontierView, waiting: Mapping[int, Waiting]
    ) -> Integration:
        """Q: n of the links most individuals point at, and m hubs."""
        found, fit = view.graph(), _fitness(memory, waiting)
        n_hubs = int(self._mutation * self._population)
        pointed = _pointed(found, memory.members, waiting)
        order = sorted(pointed, key=lambda key: (-pointed[key], -fit[key], key))
        parts = {
            key: {"crossover": CROSSED + pointed[key] / 1000}
            for key in order[: self._population - n_hubs]
        }
        graph = _graph(view, memory)
        hubs, _ = best_first(graph)
        behind = best_hub_behind(graph, hubs)
        fetched = set(found.keys[found.sources].tolist())
        unfetched = {key: hub for key, hub in hubs.items() if key not in fetched}
        by_hub = sorted(
            (key for key in behind if key in waiting), key=lambda key: (-behind[key][0], key)
        )
        unfetched |= {key: behind[key][0] for key in by_hub if key not in unfetched}
        for key in [key for key in unfetched if key not in parts][:n_hubs]:
            parts[key] = {"hub": CROSSED + unfetched[key]}
        memory = msgspec.structs.replace(memory, members=list(parts), step="selection")
        return _answer(memory, parts, waiting, behind)

    def _selected(
        self, memory: _Memory, view: FrontierView, waiting: Mapping[int, Waiting]
    ) -> Integration:
        """P(t+1): the fittest of the links found on Q."""
        fit = _fitness(memory, waiting)
        pointed = _pointed(view.graph(), memory.members, waiting)
        best = sorted(pointed, key=lambda key: (-fit[key], key))[: self._population]
        n_generations = memory.n_generations + 1
        memory = msgspec.structs.replace(
            memory, members=best, step="crossover", n_generations=n_generations
        )
        return _answer(memory, {key: {"selected": SELECTED} for key in best}, waiting, {})


_STEPS = {
    "start": Genetic._first,
    "crossover": Genetic._crossed,
    "selection": Genetic._selected,
}


def metadata(link: PageLink) -> frozenset[str]:
    """Return the words that announce a link: its anchor's, and those of the URL [P4]."""
    return frozenset(link.tokens).union(url_tokens(link.url))


def _rating(query: frozenset[str], words: frozenset[str]) -> Rating:
    fit = overlap(query, words)  # [P4 eq. 3, 4]
    return Rating(fit, {"fitness": fit}, {WORDS: sorted(words)})


def _fitness(memory: _Memory, waiting: Mapping[int, Waiting]) -> dict[int, float]:
    """Of each waiting URL, by the words of all links to it."""
    query = frozenset(memory.query)
    return {
        key: overlap(query, frozenset(entry.memo.get(WORDS, ()))) for key, entry in waiting.items()
    }


def _graph(view: FrontierView, memory: _Memory) -> LinkGraph:
    """The links found in the crawl, and those stored around S'."""
    return merged_graphs(view.graph(), view.back_links(memory.results))


def _members(memory: _Memory, pages: Sequence[JudgedPage]) -> list[int]:
    """The pages that belong to the present step: S' is without the pages that link to it."""
    is_start = memory.step == "start"
    return [page.key for page in pages if not (is_start and page.memo.get(SOURCE) == LINKING)]


def _is_seed(entry: Waiting) -> bool:
    return entry.parent is None and "hub" not in entry.memo


def _pointed(graph: LinkGraph, members: Collection[int], waiting: Collection[int]) -> Counter[int]:
    """How many of the members link to each waiting URL."""
    pairs = link_ends(graph.distinct()).tolist()
    wanted = set(members)
    return Counter(target for source, target in pairs if source in wanted and target in waiting)


def _answer(
    memory: _Memory,
    parts: Mapping[int, Mapping[str, float]],
    waiting: Mapping[int, Waiting],
    behind: Mapping[int, tuple[float, int]],
) -> Integration:
    """Rate those that are fetched next; enter those of them that the crawl did not find."""
    fit = _fitness(memory, waiting)
    ratings, new_urls = {}, []
    for key, extra in parts.items():
        shares = {"fitness": fit.get(key, 0.0), **extra}
        if key in waiting:
            words = {WORDS: list(waiting[key].memo.get(WORDS, ()))}
            ratings[key] = Rating(sum(shares.values()), shares, words)
        elif "hub" in extra:
            memo = {"hub": True, SOURCE: BACK_LINKS, WORDS: []}
            new_urls.append(NewUrl(key, Rating(sum(shares.values()), shares, memo), None, 1))
        elif key in behind and key not in memory.results:
            rating = Rating(sum(shares.values()), shares, {WORDS: []})
            new_urls.append(NewUrl(key, rating, behind[key][1], 2))
    return Integration(memory.dump(), ratings, new_urls)
