"""What the focus strategy learns, and how it weighs it."""

import dataclasses
import random

import msgspec
import numpy as np
import pytest

from crawler.strategies.base import FrontierView, Waiting
from crawler.strategies.focus import MOST_RATED, Focus
from crawler.strategies.focus_memory import (
    FocusMemory,
    FocusState,
    SeenPage,
    known,
    new_page,
    shift_of,
    worth_of,
)
from crawler.strategies.link_features import Tally, WordLists, folders, lifts_of, packed_words
from tests.crawler.strategies.small_web import BIRDS, CARS, PROFILE, judged, page_of
from tests.crawler.strategies.test_papers import view_of

BIRD_PAGE = page_of("http://birds.test/1", BIRDS * 3, {})
CAR_PAGE = page_of("http://cars.test/1", CARS * 3, {})


def learnt(focus: Focus) -> bytes:
    """A state after one good page about birds and one bad about cars, besides a seed."""
    pages = [
        judged(BIRD_PAGE, key=1),
        judged(BIRD_PAGE, key=2, relevance=0.9, parent=1, memo={"block": 0}),
        judged(CAR_PAGE, key=3, relevance=0.01, parent=1, memo={"block": 1}),
    ]
    return focus.integrate(pages, view_of([]), focus.start(PROFILE, seed=0)).state


def test_links_like_the_good_pages_go_first() -> None:
    focus = Focus(interval=1)
    page = page_of(
        "http://x.test/",
        [],
        {"http://y.test/1": ["engine", "brake"], "http://y.test/2": ["eagle", "owl"]},
    )

    cars, birds = focus.rate_links(judged(page), page, learnt(focus))

    assert cars is not None and birds is not None
    assert birds.priority > cars.priority
    assert birds.parts["anchor_words"] > 0 > cars.parts["anchor_words"]


def test_links_that_name_the_kind_of_thing_of_good_pages_go_first() -> None:
    focus = Focus(interval=1)
    seed = dataclasses.replace(judged(BIRD_PAGE, key=1), title="Owl")
    state = focus.integrate([seed], view_of([]), focus.start(PROFILE, seed=0)).state
    page = page_of("http://x.test/", [], {"http://y.test/1": ["lorry"], "http://y.test/2": ["emu"]})

    lorry, emu = focus.rate_links(judged(page), page, state)

    assert lorry is not None and emu is not None
    assert emu.parts["hypernyms"] > lorry.parts["hypernyms"]
    assert emu.memo["phrase"] == "emu"


def test_a_site_with_good_pages_lifts_its_links() -> None:
    focus = Focus(interval=1)
    page = page_of(
        "http://x.test/", [], {"http://cars.test/9": ["a"], "http://birds.test/9": ["a"]}
    )

    cars, birds = focus.rate_links(judged(page), page, learnt(focus))

    assert cars is not None and birds is not None
    assert birds.parts["site"] > 0 > cars.parts["site"]


def test_the_frontier_is_rated_anew_by_parents_hubs_and_blocks() -> None:
    focus = Focus(interval=1)
    memo = {"anchor": b"", "context": b"", "block": 0}
    waiting = [
        Waiting(10, "http://y.test/10", "y.test", 2, 0.0, 1, memo),
        Waiting(11, "http://y.test/11", "y.test", 2, 0.0, 3, memo | {"block": 5}),
    ]
    links = [(1, 2), (1, 3), (1, 10), (2, 10), (3, 11)]

    answer = focus.integrate(
        [judged(BIRD_PAGE, key=4, parent=2)], view_of(waiting, links), learnt(focus)
    )

    good, poor = answer.ratings[10], answer.ratings[11]
    assert good.parts["parents"] > poor.parts["parents"]
    assert good.parts["block"] > 0 == poor.parts["block"]
    assert good.memo == memo
    assert good.priority == pytest.approx(sum(good.parts.values()))


def test_a_link_among_many_poor_pages_is_worth_less_than_one_among_good_ones() -> None:
    memo = {"anchor": b"", "context": b"", "block": 0}
    waiting = [Waiting(key, f"http://y.test/{key}", "y.test", 2, 0.0, 1, memo) for key in (10, 11)]
    links = [(1, 10), (2, 10), (1, 11), (2, 11), (3, 11)]  # 3 is the page about cars

    ratings = Focus(interval=1).integrate([], view_of(waiting, links), learnt(Focus())).ratings

    assert ratings[10].parts["parents"] == pytest.approx(ratings[11].parts["parents"], abs=0.02)
    assert ratings[10].parts["parents_mean"] > ratings[11].parts["parents_mean"]


def test_a_link_in_the_frame_has_less_from_its_page_than_one_in_the_article() -> None:
    page = page_of("http://x.test/", [], {"http://y.test/1": ["a"], "http://y.test/2": ["a"]})
    links = [page.links[0], msgspec.structs.replace(page.links[1], in_frame=True, block=-1)]
    page = dataclasses.replace(page, links=links)

    article, frame = Focus().rate_links(judged(page), page, learnt(Focus()))

    assert article is not None and frame is not None
    assert article.parts["parents"] > frame.parts["parents"] > 0


def test_frames_count_as_half_a_parent_however_many_they_are() -> None:
    memo = {"anchor": b"", "context": b"", "block": 0}
    waiting = [
        Waiting(key, f"http://y.test/{key}", "y.test", 2, 0.0, 1, memo) for key in (10, 11, 12, 13)
    ]
    links, frames = [(1, 10), (1, 2)], [(1, 11), (1, 12), (2, 12), (3, 13)]

    ratings = Focus(interval=1).integrate([], view_of(waiting, links, frames), learnt(Focus()))

    article, one_frame, two_frames, poor_frame = (ratings.ratings[one.key] for one in waiting)
    assert article.parts["parents"] > one_frame.parts["parents"]
    # The second frame is that of a page of less worth: the mean falls, no sum grows.
    assert one_frame.parts["parents"] > two_frames.parts["parents"] > poor_frame.parts["parents"]
    assert article.parts["parents_mean"] > one_frame.parts["parents_mean"]
    # As a hub a page is what it is, wherever the link is.
    assert article.parts["hub"] == pytest.approx(one_frame.parts["hub"])


@pytest.mark.parametrize(("frame_parents", "share"), [(0.0, 0.0), (1000.0, 1.0)])
def test_frames_may_count_for_nothing_or_as_articles_do(frame_parents: float, share: float) -> None:
    memo = {"anchor": b"", "context": b"", "block": 0}
    waiting = [Waiting(key, f"http://y.test/{key}", "y.test", 2, 0.0, 1, memo) for key in (10, 11)]
    links, frames = [(1, 10), (2, 10), (3, 10), (1, 2)], [(1, 11), (2, 11), (3, 11)]
    focus = Focus(interval=1, frame_parents=frame_parents)

    answer = focus.integrate([], view_of(waiting, links, frames), learnt(Focus()))

    article, frame = (answer.ratings[one.key].parts for one in waiting)
    for name in ("parents", "parents_mean", "hub"):
        assert frame[name] == pytest.approx(share * article[name])


def test_every_parent_counts_as_one_hub_however_many_its_links() -> None:
    memo = {"anchor": b"", "context": b"", "block": 0}
    waiting = [Waiting(key, f"http://y.test/{key}", "y.test", 2, 0.0, 1, memo) for key in (10, 11)]
    links = [(1, 2), (1, 10), (3, 3), (3, 11), (1, 12), (3, 10)]

    ratings = Focus(interval=1).integrate([], view_of(waiting, links), learnt(Focus())).ratings

    assert ratings[10].parts["hub"] > ratings[11].parts["hub"]
    one, other = Tally(1, 0.9), Tally(1, 0.0)
    assert lifts_of(np.array([1.0, 1.0]), np.array([0.9, 0.0]), 0.3) == pytest.approx(
        [one.lift(0.3), other.lift(0.3)]
    )


def test_without_a_link_graph_nothing_is_known_of_parents() -> None:
    memo = {"anchor": b"", "context": b"", "block": 0}
    waiting = [Waiting(10, "http://y.test/10", "y.test", 2, 0.0, 1, memo)]

    ratings = Focus(interval=1).integrate([], view_of(waiting), learnt(Focus())).ratings

    assert ratings[10].parts["parents"] == ratings[10].parts["hub"] == 0.0


def test_what_is_known_of_a_folder_counts_before_what_is_known_of_its_site() -> None:
    focus = Focus()
    found = [
        (f"http://z.test/{folder}/{n}", relevance)
        for folder, relevance in (("good", 0.9), ("poor", 0.01))
        for n in range(4)
    ]
    pages = [
        judged(page_of(url, BIRDS, {}), key=n, relevance=relevance, parent=1)
        for n, (url, relevance) in enumerate(found, start=5)
    ]
    state = Focus(interval=1).integrate(pages, view_of([]), learnt(focus)).state
    links = ["http://z.test/good/9", "http://z.test/9", "http://z.test/poor/9"]
    page = page_of("http://x.test/", [], {url: ["a"] for url in links})

    ratings = focus.rate_links(judged(page), page, state)

    good, site, poor = (rating.parts["site"] for rating in ratings if rating is not None)
    assert good > site > poor


def test_a_folder_that_holds_all_pages_of_its_site_says_nothing_more() -> None:
    page = judged(page_of("http://z.test/wiki/1", BIRDS, {}), key=5, relevance=0.9, parent=1)

    knowledge = known(Focus(interval=1).integrate([page], view_of([]), learnt(Focus())).state)

    assert knowledge.site_lift("z.test", "http://z.test/wiki/2") == pytest.approx(
        knowledge.site_lift("z.test", "http://z.test/2")
    )
    assert knowledge.site_lift("new.test", "http://new.test/wiki/2") == 0.0


@pytest.mark.parametrize(
    ("url", "n_folders"),
    [
        ("http://a.test/", 0),
        ("http://a.test", 0),
        ("http://a.test/page?to=/b/c", 0),
        ("http://a.test/docs/page", 1),
        ("http://a.test/1/2/3/4/5/6/page", 4),
    ],
)
def test_folders_are_counted_from_the_top(url: str, n_folders: int) -> None:
    found = folders(url)

    assert len(found) == n_folders
    assert found == folders(url.partition("?")[0] + "/further")[:n_folders]


def test_diversity_asks_for_sites_less_seen() -> None:
    page = page_of("http://x.test/", [], {"http://birds.test/9": ["a"], "http://new.test/": ["a"]})
    focus = Focus(interval=1, diversity=0.5)

    often, new = focus.rate_links(judged(page), page, learnt(focus))

    assert often is not None and new is not None
    assert often.parts["diversity"] < new.parts["diversity"] == 0


def test_a_weight_of_zero_leaves_a_part_out() -> None:
    page = page_of("http://x.test/", [], {"http://birds.test/9": ["heron"]})
    focus = Focus(site=0.0)

    (rating,) = focus.rate_links(judged(page), page, learnt(focus))

    assert rating is not None
    assert "site" not in rating.parts


@pytest.mark.parametrize("relevances", [[0.9] * 8, [0.01] * 8, [0.5, 0.1, 0.7, 0.001]])
def test_worth_is_stretched_to_the_same_mean_for_every_judge(relevances: list[float]) -> None:
    pages = [
        SeenPage(n, "x.test", float(np.log(r / (1 - r))), False, 1, 0, b"")
        for n, r in enumerate(relevances * 20)
    ]

    worth = [worth_of(page, shift_of(pages)) for page in pages]

    assert 0.2 < np.mean(worth) < 0.4
    seed = given(pages[0])
    assert worth_of(seed, -4.0) == 1.0


def given(page: SeenPage) -> SeenPage:
    """The same page, given by a person."""
    return SeenPage(page.key, page.site, page.log_odds, True, -1, -1, b"")


def test_before_anything_is_learnt_links_with_the_topics_name_go_first() -> None:
    focus = Focus()
    links = {"http://y.test/1": ["engine"], "http://y.test/2": [*PROFILE.name.lower().split()]}
    page = page_of("http://x.test/", [], links)

    other, named = focus.rate_links(judged(page), page, focus.start(PROFILE, seed=0))

    assert other is not None and named is not None
    assert named.parts["name"] >= 2 > 0 == other.parts["name"]
    assert named.priority > other.priority


def test_links_are_rated_by_what_was_known_when_the_frontier_was_rated_last() -> None:
    focus = Focus()
    state = focus.start(PROFILE, seed=0)
    pages = [judged(CAR_PAGE, key=key, relevance=0.01, parent=1) for key in range(2, 8)]

    early = focus.integrate(pages[:2], view_of([]), state)
    due = focus.integrate(pages[2:], view_of([]), early.state)

    assert known(early.state) is known(state)
    assert known(due.state).n_fetched_from("cars.test") == len(pages)


def test_of_a_large_frontier_the_best_are_rated_anew_and_now_and_then_all() -> None:
    focus = Focus(interval=1)
    memo = {"anchor": b"", "context": b"", "block": 0}
    waiting = [
        Waiting(key, f"http://y.test/{key}", "y.test", 2, -float(key), 1, memo)
        for key in range(10, 10 + 2 * MOST_RATED)
    ]
    state, sizes = focus.start(PROFILE, seed=0), []

    for key in range(100_000, 100_009):
        page = judged(CAR_PAGE, key=key, relevance=0.01, parent=1)
        answer = focus.integrate([page], view_of(waiting), state)
        state = answer.state
        sizes.append(len(answer.ratings))

    best = {entry.key for entry in waiting[:MOST_RATED]}
    assert sizes == [2 * MOST_RATED] * 5 + [MOST_RATED, 2 * MOST_RATED, MOST_RATED, 2 * MOST_RATED]
    last = focus.integrate([judged(CAR_PAGE, key=1, parent=1)], view_of(waiting), state)
    assert last.ratings.keys() == best


def test_chance_chooses_now_and_then_if_asked_for() -> None:
    waiting = [Waiting(key, "", "", 1, -float(key)) for key in range(1000)]
    view = FrontierView(lambda n: waiting[:n], view_of([]).graph, 1)

    sure = Focus().choose(view, 100, b"", random.Random(1))
    curious = Focus(exploration=0.03).choose(view, 100, b"", random.Random(1))

    assert sure == list(range(100))
    assert 0 < len(set(curious) - set(sure)) <= 10


def test_an_empty_tally_lifts_nothing() -> None:
    assert Tally().lift(0.2) == pytest.approx(0.0)
    assert Tally(3, 3.0).lift(0.2) > 0 > Tally(3, 0.0).lift(0.2)


def test_word_lists_are_summed_apart() -> None:
    values, even = np.zeros(2**16), np.ones(2**16)
    lists = WordLists.of([packed_words(["eagle", "owl"], 9), b"", packed_words(["owl"] * 5, 9)])
    values[lists.buckets[1]] = 2.0  # the owl

    assert lists.mean(values, even) == pytest.approx([1.0, 0.0, 2.0])
    assert lists.cosine(values / 2, even) == pytest.approx([0.5**0.5, 0.0, 1.0])


def test_the_memory_survives_packing() -> None:
    memory = FocusMemory([1, 2]).learnt([new_page(judged(BIRD_PAGE))])

    state = FocusState(memory.dump()).dump()

    assert np.flatnonzero(known(state).name).tolist() == [1, 2]
    assert known(state).worth == {1: 1.0}
