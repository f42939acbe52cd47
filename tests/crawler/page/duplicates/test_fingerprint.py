import random

import pytest

from crawler.page.duplicates.fingerprint import simhash


def bits_apart(a: str, b: str) -> int:
    return (simhash(a) ^ simhash(b)).bit_count()


def text_of(seed: int, n_words: int = 600) -> str:
    rng = random.Random(seed)
    vocabulary = ["".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(300)]
    return " ".join(rng.choices(vocabulary, k=n_words))


@pytest.mark.parametrize("text", ["", "abc", " \n a b c"])
def test_simhash_of_next_to_nothing_is_zero(text: str) -> None:
    assert simhash(text) == 0


def test_simhash_is_an_unsigned_64_bit_number_that_stays_the_same() -> None:
    assert simhash("solar cells turn light into current") == 14886237819057963319


def test_simhash_ignores_white_space_and_case() -> None:
    assert bits_apart("solar cell power", "So lar\nCELL  power") == 0


@pytest.mark.parametrize("n_words", [200, 900, 5000])
def test_near_duplicates_are_near(n_words: int) -> None:
    words = text_of(1, n_words).split()
    changed = " ".join([*words[:50], "updated", *words[51:]])

    assert bits_apart(" ".join(words), changed) <= 8


def test_other_texts_are_far() -> None:
    distances = [bits_apart(text_of(a), text_of(b)) for a in range(5) for b in range(5, 10)]

    assert min(distances) > 14


def test_order_counts() -> None:
    assert bits_apart("abcdefghij" * 3, "jihgfedcba" * 3) > 10


def test_lone_surrogates_do_no_harm() -> None:
    assert simhash("\ud800 solar cells") < 1 << 64
