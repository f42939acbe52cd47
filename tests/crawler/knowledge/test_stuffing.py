"""A page stuffed with a topic's terms is not trusted, and natural ones are left alone."""

import pytest

from crawler.knowledge.page_matrix import PageMatrix
from crawler.knowledge.stuffing import stuffing, trust_in, trusts_in
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
        (0.6, 500, 300, 0),
        (0.725, 500, 300, 0.5),
        (0.85, 500, 300, 1),
        (1, 500, 300, 1),
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
    assert stuffing(share, n_words, n_distinct) == pytest.approx(expected)


def test_a_stuffed_page_is_not_trusted_either_way_it_is_asked_for() -> None:
    natural, repeating, stuffed = page(60, 140, 100), page(120, 80, 20), page(190, 10)
    pages = [natural, repeating, stuffed, page(10, 0), page_of("")]
    trusts = [trust_in(one, TOPIC) for one in pages]

    assert trusts == pytest.approx([1, 0.05, 0.05, 1, 1])
    assert trusts_in(PageMatrix.of(pages), TOPIC).tolist() == pytest.approx(trusts)
