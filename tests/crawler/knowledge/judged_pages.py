"""Small pages, and a library of them, for tests of judges."""

import random
from array import array

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, TrainingSet
from crawler.page.parsed import PLAIN, PageTerms
from crawler.text.tokens import tokenize

#: What solar pages, and pages of other subjects, are made of.
SOLAR_WORDS = "solar panel photovoltaic inverter sunlight silicon module rooftop watt cell".split()
OTHER_WORDS = (
    "recipe flour oven butter football goal league coach violin concert opera singer "
    "castle king battle treaty river fish boat harbour novel poet verse theatre stage "
    "bank loan market price tax lawyer court judge election vote party senate car road"
).split()


def page_of(text: str, language: str = "en", tag_class: int = PLAIN) -> PageTerms:
    """A page with this text, all of one tag class."""
    tokens = tokenize(text)
    vocabulary = list(dict.fromkeys(tokens))
    numbers = {token: number for number, token in enumerate(vocabulary)}
    sequence = array("H", (numbers[token] for token in tokens)).tobytes()
    return PageTerms(language, vocabulary, sequence, bytes([tag_class]) * len(tokens))


def solar_page(rng: random.Random) -> PageTerms:
    """A page on solar power, with some words of other subjects."""
    words = rng.choices(SOLAR_WORDS, k=20) + rng.choices(OTHER_WORDS, k=20)
    return page_of(" ".join(words))


def other_page(rng: random.Random) -> PageTerms:
    """A page on anything else."""
    return page_of(" ".join(rng.choices(OTHER_WORDS, k=40)))


def training_set_of(
    *examples: Example, n_background: int = 60, n_hidden: int = 0, chance: int = 1
) -> TrainingSet:
    """Examples beside a background in which `n_hidden` solar pages hide."""
    rng = random.Random(chance)
    background = [other_page(rng) for _ in range(n_background - n_hidden)]
    background += [solar_page(rng) for _ in range(n_hidden)]
    frequencies = DocumentFrequencies()
    frequencies.add([*background, *(example.terms for example in examples)])
    return TrainingSet(frequencies, examples, background)


def solar_examples(n: int = 3, *, chance: int = 2) -> list[Example]:
    """Some good examples."""
    rng = random.Random(chance)
    return [Example(solar_page(rng)) for _ in range(n)]
