"""A page stuffed with a topic's terms is worth less, and natural ones are left alone."""

import pytest

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.page_matrix import PageMatrix
from crawler.page.parsed import PageTerms
from crawler.ranking.many import content_values
from crawler.ranking.score import content_value, stuffing
from tests.crawler.knowledge.judged_pages import OTHER_WORDS, SOLAR_WORDS, page_of

TOPIC = frozenset(page_of(" ".join(SOLAR_WORDS)).vocabulary)


def page(n_topic: int, n_other: int) -> PageTerms:
    """A page of so many words of the topic, and so many others."""
    words = [SOLAR_WORDS[number % 10] for number in range(n_topic)]
    words += [OTHER_WORDS[number % 30] for number in range(n_other)]
    return page_of(" ".join(words))


@pytest.mark.parametrize(
    ("share", "n_words", "expected"),
    [(0.0, 500, 0), (0.6, 500, 0), (0.725, 500, 0.5), (0.85, 500, 1), (1, 500, 1), (1, 20, 0)],
)
def test_how_far_a_page_is_stuffed(share: float, n_words: int, expected: float) -> None:
    assert stuffing(share, n_words) == pytest.approx(expected)


def test_a_stuffed_page_has_no_content_value_either_way_it_is_asked_for() -> None:
    pages = [page(100, 100), page(140, 60), page(190, 10), page(10, 0)]
    frequencies = DocumentFrequencies()
    frequencies.add([*pages, *[page(0, 100)] * 20])
    values = [content_value(one, TOPIC, frequencies).value for one in pages]

    assert values[0] > 0.3
    assert 0 < values[1] < values[0]
    assert values[2] == 0
    assert values[3] == 1
    matrix = PageMatrix.of(pages)
    assert content_values(matrix, TOPIC, frequencies).tolist() == pytest.approx(values)
