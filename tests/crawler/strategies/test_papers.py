"""The four papers' rules, each on a page small enough to work out by hand."""

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from crawler.knowledge.profile import TopicConcept, TopicProfile
from crawler.page.parsed import PageLink, ParsedPage
from crawler.strategies.adaptive import Adaptive
from crawler.strategies.base import FrontierView, Integration, LinkGraph, Rating, Waiting
from crawler.strategies.fish_search import FishSearch
from crawler.strategies.genetic import Genetic, metadata
from crawler.strategies.link_notes import LINKING, SOURCE, with_words
from crawler.strategies.ontology import OntologyStrategy
from crawler.strategies.viterbi import Viterbi
from tests.crawler.strategies.small_web import judged, page_of

PROFILE = TopicProfile(
    "heron", concepts=(TopicConcept("nest", concept="nest"), TopicConcept("brood", concept="nest"))
)
SEED = page_of("http://birds.test/", ["heron", "heron", "nest"], {})


def view_of(
    waiting: Sequence[Waiting],
    links: Sequence[tuple[int, int]] = (),
    in_frames: Sequence[tuple[int, int]] = (),
) -> FrontierView:
    """A frontier with these entries, links of articles, and links of frames."""
    ends = np.array([*links, *in_frames], dtype=np.int64).reshape(-1, 2)
    sources, targets = ends.T
    graph = LinkGraph.of_links(sources, targets, np.arange(len(ends)) >= len(links))
    return FrontierView(lambda n: list(waiting)[:n], lambda *, in_frame=False: graph, 1)


def entry(key: int, memo: Mapping[str, object] | None = None, parent: int | None = 1) -> Waiting:
    """A waiting URL."""
    return Waiting(key, f"http://x.test/{key}", "x.test", 1, 0.5, parent, memo or {})


def best_first_of(answer: Integration) -> list[int]:
    """Keys by their new priority."""
    return sorted(answer.ratings, key=lambda key: -answer.ratings[key].priority)


def ratings_of(
    strategy: OntologyStrategy, links: Mapping[str, Sequence[str]]
) -> list[Rating | None]:
    """How links are rated by a crawl that has read its seed."""
    page = page_of(SEED.url, [], links)
    start = strategy.start(PROFILE, seed=0)
    state = strategy.integrate([judged(SEED)], view_of([]), start).state
    return list(strategy.rate_links(judged(page), page, state))


def test_ontology_drops_keeps_and_downloads_by_the_share_of_topic_features() -> None:
    strategy = OntologyStrategy(drop_below=0.3, direct_from=0.9)

    dropped, waiting, direct = ratings_of(
        strategy,
        {
            "http://a.test/": ["diesel", "engine"],
            "http://b.test/": ["brood"],
            "http://c.test/": ["heron", "nest", "diesel"],
        },
    )

    assert dropped is None
    assert waiting is not None and not waiting.keep
    assert direct is not None and direct.keep
    assert direct.priority > waiting.priority


def test_ontology_follows_a_sample_of_the_links_it_drops() -> None:
    links = {f"http://a.test/{number}": ["diesel"] for number in range(600)}

    followed = [one for one in ratings_of(OntologyStrategy(sample=20), links) if one]
    [passed] = ratings_of(OntologyStrategy(), {"http://b.test/": ["heron", "nest"]})

    assert 15 <= len(followed) <= 45
    assert all(one.memo["sampled"] and not one.keep for one in followed)
    # A link of the same depth that passes comes first, and takes a sampled one's place.
    assert passed is not None and passed.priority > max(one.priority for one in followed)
    assert "sampled" not in passed.memo
    assert ratings_of(OntologyStrategy(sample=0), links) == [None] * len(links)


def test_ontology_drops_nothing_before_it_has_read_an_example() -> None:
    strategy = OntologyStrategy()
    page = page_of(SEED.url, [], {"http://a.test/": ["diesel"], "http://b.test/": ["nest"]})

    ratings = strategy.rate_links(judged(page), page, strategy.start(PROFILE, seed=0))

    assert None not in ratings


def test_ontology_learns_features_from_examples_only() -> None:
    strategy = OntologyStrategy()
    state = strategy.start(PROFILE, seed=0)
    other = page_of("http://cars.test/", ["diesel"] * 5, {})
    pages = [judged(SEED), judged(other, key=2, depth_hops=1, parent=1)]

    state = strategy.integrate(pages, view_of([]), state).state

    page = page_of(SEED.url, [], {"http://a.test/": ["diesel"], "http://b.test/": ["heron"]})
    diesel, heron = strategy.rate_links(judged(page), page, state)
    assert diesel is None
    assert heron is not None


def test_viterbi_keeps_the_best_children_of_the_layer_before_all_others() -> None:
    strategy = Viterbi(layer_pages=2, saturation=1.0)
    state = strategy.start(PROFILE, seed=0)
    waiting = [entry(key, {"content": 0.5}) for key in (10, 11, 12)]
    links = [(1, 10), (1, 11), (2, 11), (1, 12), (2, 12), (3, 12)]

    answer = strategy.integrate(
        [judged(SEED, key=key) for key in (1, 2)], view_of(waiting, links), state
    )

    assert best_first_of(answer) == [12, 11, 10]
    kept = [key for key, rating in answer.ratings.items() if "layer" in rating.parts]
    assert sorted(kept) == [11, 12]
    weights = [answer.ratings[key].memo["weight"] for key in kept]
    assert sum(weights) == pytest.approx(1.0)


def test_viterbi_waits_until_its_layer_is_complete() -> None:
    strategy = Viterbi()
    seed = entry(2, parent=None)

    answer = strategy.integrate(
        [judged(SEED)], view_of([seed, entry(10)], [(1, 10)]), strategy.start(PROFILE, seed=0)
    )

    assert answer.ratings == {}


def test_viterbi_ends_a_run_when_a_ring_has_closed() -> None:
    """Pages 1 and 2 link to each other: the layers are {2}, {1}, {2}."""
    strategy = Viterbi(layer_pages=1, restarts=0)
    state = strategy.start(PROFILE, seed=0)
    links = [(1, 2), (2, 1), (1, 3)]
    poor = entry(3, {"content": 0.0})

    first = strategy.integrate([judged(SEED)], view_of([entry(2), poor], links[:1]), state)
    view = view_of([poor], links)
    closed = strategy.integrate(
        [judged(SEED, key=2, parent=1)], replace(view, n_fetched=2), first.state
    )
    other = view_of([entry(5)], [*links, (4, 5)])
    begun_again = strategy.integrate([judged(SEED, key=4)], other, closed.state)

    assert best_first_of(first) == [2]
    assert closed.ratings == {}
    assert not strategy.has_ended(first.state, 1)
    assert strategy.has_ended(closed.state, 2)
    assert not strategy.has_ended(closed.state, 0)  # a new run has begun
    assert not strategy.has_ended(begun_again.state, 1)
    assert not Viterbi(layer_pages=1).has_ended(
        Viterbi(layer_pages=1).integrate([judged(SEED, key=2)], view, first.state).state, 2
    )


def test_viterbi_fetches_its_layer_before_anything_else() -> None:
    strategy = Viterbi()
    kept, dropped = entry(10, {"weight": 0.5}), entry(11)

    chosen = strategy.choose(view_of([kept, dropped]), 2, b"", random.Random(0))
    without = strategy.choose(view_of([dropped]), 2, b"", random.Random(0))

    assert (chosen, without) == ([10], [11])


def test_adaptive_hands_on_the_whole_value_or_its_part() -> None:
    strategy = Adaptive(threshold=0.3, factor=0.5)
    page = page_of(SEED.url, [], {"http://a.test/": ["heron"], "http://b.test/": ["diesel"]})
    state = strategy.start(TopicProfile("heron"), seed=0)

    near, far = strategy.rate_links(judged(page, relevance=0.0), page, state)

    assert near is not None and near.memo["value"] == 100.0
    assert far is not None and far.memo["value"] == 50.0
    given_up = Adaptive(threshold=0.3, factor=0.0)
    assert given_up.rate_links(judged(page, relevance=0.0), page, state)[1] is None
    again = judged(page, relevance=0.0, memo=far.memo, parent=1)
    assert [r.memo["value"] for r in strategy.rate_links(again, page, state) if r] == [50.0, 25.0]


@pytest.mark.parametrize("factor", [0.05, 0.7])
def test_adaptive_sorts_by_inherited_value_before_the_links_own(factor: float) -> None:
    strategy = Adaptive(factor=factor)
    page = page_of(SEED.url, [], {"http://a.test/": ["heron"], "http://b.test/": ["diesel"]})
    state = strategy.start(TopicProfile("heron"), seed=0)

    def rated(n_blocked: int) -> list[Rating]:
        memo = {"blocked": n_blocked}
        found = strategy.rate_links(judged(page, relevance=0.0, memo=memo), page, state)
        return [rating for rating in found if rating is not None]

    for n_blocked in (2, 13, 40):
        (same, lower), (best_of_lower, _) = rated(n_blocked), rated(n_blocked + 1)
        assert same.memo["value"] > lower.memo["value"] == best_of_lower.memo["value"]
        assert same.priority > best_of_lower.priority > lower.priority


def test_adaptive_ranks_authorities_when_the_buffer_is_full() -> None:
    strategy = Adaptive(buffer=2)
    state = strategy.start(PROFILE, seed=0)
    waiting = [entry(key, {"parent_blocked": 0, "text": 0.5}) for key in (10, 11)]
    view = view_of(waiting, [(1, 10), (1, 11), (2, 11)])

    first = strategy.integrate([judged(SEED)], view, state)
    second = strategy.integrate([judged(SEED, key=2)], view, first.state)

    assert first.ratings == {}
    assert best_first_of(second) == [11, 10]


def test_metadata_is_the_anchor_and_the_words_of_the_url() -> None:
    link = PageLink("http://www.semantic.test/retrieval/index.html", "query", ["queri"])

    assert metadata(link) == {"queri", "semant", "retriev"}


def words(key: int, *found: str) -> Waiting:
    """A waiting URL that these words announce."""
    return entry(key, {"words": list(found)})


def graph(links: Sequence[tuple[int, int]]) -> LinkGraph:
    """The links between these keys."""
    return view_of([], links).graph()


def test_genetic_begins_with_the_best_authorities_around_the_seeds() -> None:
    """The results are 1 and 2; 8 and 9 link to them, and to 20 and 21."""
    strategy = Genetic(population=3)
    state = strategy.start(PROFILE, seed=0)
    stored = graph([(8, 1), (9, 1), (9, 2), (8, 20), (9, 20), (9, 21), (8, 20)])
    calls: list[set[int]] = []

    def back_links(keys: Collection[int]) -> LinkGraph:
        calls.append(set(keys))
        return stored

    view = view_of([words(10, "heron")], [(1, 10), (2, 10)])
    answer = strategy.integrate(
        [judged(SEED, key=1), judged(SEED, key=2)],
        replace(view, back_links=back_links),
        state,
    )

    # 1 and 20 have two hubs each, 2 and 21 one: P(0) is 1, 20, 2; of these 20 was not fetched.
    assert calls == [{1, 2}]
    assert [(new.key, new.parent) for new in answer.new_urls] == [(20, 9)]
    assert answer.new_urls[0].rating.parts["authority"] > 4
    assert answer.ratings == {}


def test_genetic_takes_no_page_that_links_to_the_seeds_for_a_result() -> None:
    """A search provider named 8, which was fetched with the seeds 1 and 2."""
    strategy = Genetic(population=3)
    calls: list[set[int]] = []

    def back_links(keys: Collection[int]) -> LinkGraph:
        calls.append(set(keys))
        return graph([(9, 2), (9, 21)])

    view = view_of([words(10, "heron"), words(20)], [(1, 10), (8, 1), (8, 2), (8, 20)])
    pages = [judged(SEED, key=1), judged(SEED, key=8, memo={SOURCE: LINKING}), judged(SEED, key=2)]
    answer = strategy.integrate(
        pages, replace(view, back_links=back_links), strategy.start(PROFILE, seed=0)
    )

    # S'' is 8, fetched, and 9, stored. 2 has two hubs; 1 and 20 have the better one of them.
    assert calls == [{1, 2}]
    assert "authority" in answer.ratings[20].parts
    assert 10 not in answer.ratings


def test_genetic_takes_hubs_that_were_not_fetched_for_mutation() -> None:
    strategy = Genetic(population=2, crossover=0.5, mutation=0.5)
    state = strategy.start(PROFILE, seed=0)
    stored = graph([(8, 1), (9, 1), (9, 2)])
    view = view_of([words(10, "heron"), words(11, "nest")], [(1, 10), (2, 10), (1, 11)])

    answer = strategy.integrate(
        [judged(SEED, key=1), judged(SEED, key=2)],
        replace(view, back_links=lambda keys: stored),
        state,
    )

    # Most of P(0) points at 10; 9 is the better hub, and links to both seeds.
    assert list(answer.ratings) == [10]
    assert "crossover" in answer.ratings[10].parts
    assert [(new.key, new.parent) for new in answer.new_urls] == [(9, None)]
    assert "hub" in answer.new_urls[0].rating.parts


def test_genetic_crosses_then_selects_the_fittest() -> None:
    strategy = Genetic(population=2, crossover=0.5, mutation=0.5)
    state = strategy.start(PROFILE, seed=0)
    waiting = [words(10, "a"), words(11, "heron"), words(12, "heron", "nest")]
    links = [(1, 10), (2, 10), (1, 11), (3, 12)]

    crossed = strategy.integrate(
        [judged(SEED, key=1), judged(SEED, key=2)], view_of(waiting, links), state
    )
    selected = strategy.integrate(
        [judged(SEED, key=10), judged(SEED, key=11)],
        view_of(
            [words(20, "diesel"), words(21, "heron", "gear"), words(22, "heron", "nest", "brood")],
            [*links, (10, 20), (10, 21), (11, 22)],
        ),
        crossed.state,
    )

    # Most individuals point at 10; the hub's place goes to a link of a good hub.
    assert "crossover" in crossed.ratings[10].parts
    assert [key for key, r in crossed.ratings.items() if "hub" in r.parts] == [11]
    assert best_first_of(selected) == [22, 21]


def test_genetic_merges_the_words_of_links_to_one_url() -> None:
    """Two anchors, "information" and "retrieval", to one URL: merged they are the query."""
    strategy = Genetic()
    state = strategy.start(TopicProfile("information retrieval"), seed=0)
    said = {"http://a.test/": ["inform"], "http://b.test/": ["retriev"]}
    links = [PageLink("http://x.test/", "", anchor) for anchor in said.values()]
    page = ParsedPage(SEED.url, SEED.url, terms=SEED.terms, links=links)

    on_one_page = strategy.rate_links(judged(page), page, state)
    first, second = (
        strategy.rate_links(judged(one), one, state)[0]
        for one in (page_of(url, [], {"http://x.test/": anchor}) for url, anchor in said.items())
    )

    merged = sorted({"inform", "retriev", *metadata(PageLink("http://x.test/", "", []))})
    assert first is not None and second is not None
    assert [rating.memo["words"] for rating in on_one_page if rating] == [merged] * 2
    assert with_words(first, second.memo).memo["words"] == merged
    assert first.priority == second.priority
    assert [rating.priority > first.priority for rating in on_one_page if rating] == [True] * 2


def test_genetic_ends_a_run_after_its_generations() -> None:
    strategy = Genetic(population=2, generations=1)
    state = strategy.start(PROFILE, seed=0)

    def after(n_fetched: int, state: bytes, *pages: int) -> bytes:
        key = 10 + n_fetched
        view = view_of([words(key, "nest")], [(1, key), *((page, key) for page in pages)])
        view = replace(view, n_fetched=n_fetched)
        return strategy.integrate([judged(SEED, key=k) for k in pages or [1]], view, state).state

    crossed = after(1, state)
    done = after(2, crossed, 11)
    begun_again = after(1, done)

    assert [strategy.has_ended(one, 1) for one in (state, crossed)] == [False, False]
    assert strategy.has_ended(done, 2)
    assert not strategy.has_ended(done, 0)  # a new run has begun
    assert not strategy.has_ended(begun_again, 1)
    assert not Genetic().has_ended(done, 2)


def test_fish_die_out_after_too_many_pages_without_food() -> None:
    strategy = FishSearch(width=1, depth=2)
    page = page_of(SEED.url, [], {"http://a.test/": [], "http://b.test/": []})

    fed = strategy.rate_links(judged(page), page, b"")
    hungry = strategy.rate_links(judged(page, relevance=0.0, memo={"depth": 2}), page, b"")
    dead = strategy.rate_links(judged(page, relevance=0.0, memo={"depth": 1}), page, b"")

    assert [rating.priority for rating in fed if rating] == [1.0, 0.0]
    assert [rating.memo["depth"] for rating in hungry if rating] == [1, 1]
    assert list(dead) == [None, None]
