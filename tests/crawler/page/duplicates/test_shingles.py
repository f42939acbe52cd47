import numpy as np
import pytest

from crawler.page.duplicates.shingles import MIN_SHARED, N_SKETCH, Shingles, containment, sketch
from crawler.page.parsed import PageTerms


def terms(first: int, last: int, title: int = 0) -> PageTerms:
    """Words that each stand once, the first of them the title's."""
    words = [f"word{number}" for number in range(first, last)]
    sequence = np.arange(len(words), dtype="<u2").tobytes()
    return PageTerms("en", words, sequence, b"\1" * len(words), title)


@pytest.mark.parametrize(
    ("one", "other", "of_shorter", "of_longer"),
    [
        ((0, 100), (0, 100), 1, 1),
        ((0, 103), (50, 153), 0.5, 0.5),
        ((0, 5003), (1000, 2003), 1, 0.2),
        ((0, 10_003), (5000, 15_003), 0.5, 0.5),
        ((0, 5000), (5000, 9000), 0, 0),
        ((0, 100), (0, 3), 0, 0),
    ],
)
def test_what_texts_share_is_estimated_from_their_sketches(
    one: tuple[int, int], other: tuple[int, int], of_shorter: float, of_longer: float
) -> None:
    mine, theirs = sketch(terms(*one)), sketch(terms(*other))

    assert containment(mine, theirs) == pytest.approx((of_shorter, of_longer), abs=0.12)
    assert containment(mine, theirs) == containment(theirs, mine)
    assert max(len(mine), len(theirs)) <= N_SKETCH


def test_a_phrase_in_common_is_nothing() -> None:
    same = sketch(terms(0, MIN_SHARED + 3))
    assert containment(same, same) == (1, 1)
    assert containment(same, sketch(terms(1, MIN_SHARED + 50))) == (0, 0)


def test_the_title_is_left_out_and_the_order_of_words_counts() -> None:
    assert sketch(terms(0, 50, title=10)).tolist() == sketch(terms(10, 50)).tolist()
    turned = PageTerms("en", terms(0, 50).vocabulary[::-1], terms(0, 50).sequence, b"\1" * 50)
    assert containment(sketch(turned), sketch(terms(0, 50))) == (0, 0)


def test_a_sketch_is_made_once_and_only_when_asked_for() -> None:
    called: list[int] = []

    def read() -> PageTerms:
        called.append(1)
        return terms(0, 50)

    found = Shingles(read)
    assert not called
    assert found.sketch() is found.sketch()
    assert len(called) == 1


def test_a_page_without_terms_has_an_empty_sketch() -> None:
    assert len(sketch(PageTerms())) == 0
