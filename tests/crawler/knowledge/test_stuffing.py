"""A page stuffed with a topic's terms is not trusted, and natural ones are left alone."""

import random
from random import Random

import pytest

from crawler.knowledge.page_matrix import PageMatrix
from crawler.knowledge.stuffing import (
    LEAST_TRUST,
    farms_among,
    stuffed_groups,
    stuffing_score,
    trust_of,
    trusts_in,
)
from crawler.page.parsed import PageTerms
from tests.crawler.knowledge.judged_pages import OTHER_WORDS, SOLAR_WORDS, page_of

TOPIC = frozenset(page_of(" ".join(SOLAR_WORDS)).vocabulary)


def page(n_topic: int, n_other: int, n_different: int = 30) -> PageTerms:
    """A page of so many words of the topic, and so many others, some of them different."""
    words = [SOLAR_WORDS[number % 10] for number in range(n_topic)]
    others = [*OTHER_WORDS, *(f"word{number}" for number in range(500))]
    words += [others[number % n_different] for number in range(n_other)]
    return page_of(" ".join(words))


@pytest.mark.parametrize(
    ("share", "n_words", "n_distinct", "expected"),
    [
        (0.0, 500, 300, 0),
        (0.65, 1600, 900, 0),
        (0.7025, 1600, 900, 0.5),
        (0.79, 1600, 900, 1),
        (0.77, 64, 38, 0),
        (0.9525, 64, 38, 0.5),
        (1, 100, 60, 1),
        (1, 20, 2, 0),
        (0.4, 500, 20, 0),
        (0.475, 500, 20, 0.5),
        (0.55, 500, 20, 1),
        (0.55, 500, 300, 0),
        (0.0, 500, 1, 0),
    ],
)
def test_how_far_a_page_is_stuffed(
    share: float, n_words: int, n_distinct: int, expected: float
) -> None:
    assert stuffing_score(share, n_words, n_distinct) == pytest.approx(expected)


def test_a_stuffed_page_is_not_trusted_either_way_it_is_asked_for() -> None:
    natural, repeating, stuffed = page(60, 140, 100), page(120, 80, 20), page(190, 10)
    pages = [natural, repeating, stuffed, page(10, 0), page_of("")]
    trusts = [trust_of(one, TOPIC) for one in pages]

    assert trusts == pytest.approx([1, 0.05, 0.05, 1, 1])
    assert trusts_in(PageMatrix.of(pages), TOPIC).tolist() == pytest.approx(trusts)


@pytest.mark.parametrize(
    ("stuffed", "links", "farms"),
    [
        ({"a": 3, "b": 1, "c": 0}, [], {"a"}),
        ({"a": 3, "b": 1, "c": 0}, [("b", "a")], {"a", "b"}),
        ({"a": 3, "b": 1, "c": 0}, [("a", "b")], {"a", "b"}),
        ({"a": 3, "b": 1, "c": 1}, [("a", "b"), ("b", "c")], {"a", "b", "c"}),
        ({"a": 3, "b": 0, "c": 1}, [("a", "b"), ("b", "c")], {"a"}),
        ({"a": 1, "b": 1, "c": 1}, [("a", "b"), ("b", "a")], set()),
    ],
)
def test_a_site_with_a_stuffed_page_is_known_by_the_farm_it_is_linked_with(
    stuffed: dict[str, int], links: list[tuple[str, str]], farms: set[str]
) -> None:
    assert farms_among({"a": 4, "b": 6, "c": 6}, stuffed, links) == farms


#: Four hosts that exchange links; an honest site links to many, and one of them links back.
HOSTS = ("a", "b", "c", "d")
RING = [pair for n in range(4) for pair in ((HOSTS[n], HOSTS[n - 1]), (HOSTS[n - 1], HOSTS[n]))]
HONEST = [("honest", name) for name in ("a", "x", "y", "z")] + [("a", "honest")]
ELSEWHERE = [(name, place) for name in HOSTS for place in ("x", "y", "z", "honest")]
UNREAD = [("d", f"unread{number}") for number in range(9)]


@pytest.mark.parametrize(
    ("n_pages", "stuffed", "links", "farms"),
    [
        # None alone has enough pages that look stuffed; together they have three of 24.
        (6, {"a": 1, "b": 1, "c": 1}, RING, {"a", "b", "c", "d"}),
        (4, {"a": 1, "b": 1, "c": 1}, [*RING, *HONEST], {"a", "b", "c", "d"}),
        # Links to hosts of which no page is kept say nothing.
        (6, {"a": 1, "b": 1, "c": 1}, [*RING, *UNREAD], {"a", "b", "c", "d"}),
        # Of a group that links mostly to others, the hosts with a stuffed page are a farm.
        (2, {"a": 1, "b": 1, "c": 1}, [*RING, *ELSEWHERE], {"a", "b", "c"}),
        # Three of 28 are less than an eighth, and two are too few.
        (7, {"a": 1, "b": 1, "c": 1}, RING, set()),
        (2, {"a": 1, "b": 1}, RING, set()),
        # Links one way are not exchanged.
        (2, {"a": 1, "b": 1, "c": 1}, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")], set()),
        (2, {}, RING, set()),
    ],
)
def test_sites_that_exchange_links_are_a_farm_together(
    n_pages: int, stuffed: dict[str, int], links: list[tuple[str, str]], farms: set[str]
) -> None:
    pages = dict.fromkeys([*HOSTS, "honest", "x", "y", "z"], n_pages)
    assert farms_among(pages, stuffed, links) == farms


#: A young farm: two hosts are read, a third exchanges links with them, of four one page is known.
YOUNG = [("c", name) for name in ("a", "b", "e", "f", "g", "h")] + [("a", "c"), ("b", "c")]


@pytest.mark.parametrize(("n_known", "farms"), [(1, {"a", "b", "c"}), (2, {"a", "b"})])
def test_hosts_that_are_hardly_known_say_little_of_one_that_links_to_them(
    n_known: int, farms: set[str]
) -> None:
    pages = {"a": 6, "b": 5, "c": 3, **dict.fromkeys("efgh", n_known)}

    assert farms_among(pages, {"a": 2, "b": 3}, YOUNG) == farms


@pytest.mark.parametrize("seed", range(200))
def test_links_beyond_stuffed_groups_decide_nothing(seed: int) -> None:
    rng = random.Random(seed)
    hosts = [f"host{number}" for number in range(rng.randrange(3, 14))]
    pages = {host: rng.randrange(1, 9) for host in hosts}
    stuffed = {
        host: rng.randrange(1, 1 + min(n, 3)) for host, n in pages.items() if rng.random() < 0.3
    }
    share = rng.random() * 0.6
    every = {(a, b) for a in hosts for b in hosts if a != b and rng.random() < share}
    known = {link for link in every if stuffed.keys() & set(link)}

    suspects = set().union(*stuffed_groups(pages, stuffed, known))

    read = known | {link for link in every if link[0] in suspects}
    assert farms_among(pages, stuffed, read) == farms_among(pages, stuffed, every)


def words(text: str, times: int = 1) -> str:
    return " ".join([text] * times)


SENTENCE = "Solar panels on every roof turn sunlight into power for the grid."
SHAPES = {
    "list of terms": words(", ".join(SOLAR_WORDS), 9),
    "one sentence repeated": words(SENTENCE, 30),
    "honest text and a longer block of terms": words(" ".join(OTHER_WORDS[:20]))
    + words(" ".join(SOLAR_WORDS), 12),
    "terms in an order of chance": " ".join(Random(1).choices(SOLAR_WORDS, k=150)),
    "doorway": words("Buy " + " ".join(SOLAR_WORDS[:6]) + " cheap in your town.", 20),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_planted_shapes_of_stuffing_are_found(shape: str) -> None:
    assert trust_of(page_of(SHAPES[shape]), TOPIC) < LEAST_TRUST


@pytest.mark.parametrize(
    ("share", "n_words", "n_distinct"),
    [
        (0.85, 89, 29),
        (0.68, 604, 88),
        (0.77, 64, 37),
        (0.75, 122, 63),
        (0.69, 111, 50),
        (0.58, 301, 105),
        (0.47, 1198, 263),
    ],
)
def test_reference_pages_of_a_narrow_subject_are_trusted(
    share: float, n_words: int, n_distinct: int
) -> None:
    assert stuffing_score(share, n_words, n_distinct) == 0
