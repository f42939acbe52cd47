"""What kind of thing a phrase names: "Emperor Penguin" a bird, 企鹅 as well."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from crawler.text.fold import HAN
from crawler.text.noun_table import noun_table
from crawler.text.wordnet import name_of

#: A phrase of more characters is a sentence.
MAX_PHRASE_CHARS = 80
MAX_PHRASE_WORDS = 8
#: Each sense of a noun is half as likely as the one before.
SENSE_RATIO = 0.5

#: What stands behind one of these is not what is named: "List of birds" is a list.
_PREPOSITIONS = frozenset({"of", "in", "for", "and", "on", "to", "the", "with", "by", "at", "from"})
#: Plural endings and what they stand for (morphy(7WN)).
_ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)
_BRACKETS = re.compile(r"[(（][^()（）]*[)）]")
#: Between a title and what a site writes behind it.
_BREAK = re.compile(r"\s[-–—|:·]\s|\||_")
_HAN_RUN = re.compile(f"[{HAN}]+")
#: A shorter part at the end of a Chinese phrase may mean anything.
_LEAST_HAN = 2


class Sense(NamedTuple):
    """What a phrase may name: a sense of the noun table, and how likely that is, in (0, 1]."""

    number: int
    weight: float


@lru_cache(maxsize=2**13)
def senses_of(phrase: str) -> tuple[Sense, ...]:
    """Return what a phrase may name, in English or Chinese; nothing if that is unknown.

    The whole phrase is looked up, without what stands in brackets or behind a dash, then what
    stands before its first preposition, then ever less of the end of that. The weights sum to the
    part of it that was found.

    Parameters
    ----------
    phrase : str
        An anchor or a title.
    """
    if len(phrase) > MAX_PHRASE_CHARS:
        return ()
    phrase = _BREAK.split(_BRACKETS.sub(" ", phrase).strip())[0]
    runs = _HAN_RUN.findall(phrase)
    found = _of_chinese(runs[-1], len(phrase.strip())) if runs else _of_english(phrase)
    return tuple(found)


@lru_cache(maxsize=2**13)
def path_of(sense: int) -> tuple[int, ...]:
    """Return what a sense is a kind of, the most general first, and itself last."""
    return tuple(noun_table().path(sense))


def _of_english(phrase: str) -> Iterator[Sense]:
    words = name_of(phrase).split()
    if not 0 < len(words) <= MAX_PHRASE_WORDS:
        return
    if senses := _senses(" ".join(words)):
        yield from _weighed(senses, 1.0)
        return
    ends = (place for place, word in enumerate(words) if place and word in _PREPOSITIONS)
    head = words[: next(ends, len(words))]
    for start in range(len(head)):
        if senses := _senses(" ".join(head[start:])):
            yield from _weighed(senses, (len(head) - start) / len(head))
            return


def _of_chinese(run: str, n_chars: int) -> Iterator[Sense]:
    name = name_of(run)
    for start in range(len(name) - _LEAST_HAN + 1):
        if senses := noun_table().senses(name[start:]):
            yield from _weighed(senses, min((len(name) - start) / n_chars, 1.0))
            return


def _senses(name: str) -> Sequence[int]:
    """Senses of an English noun, or of the one that it may be the plural of."""
    table = noun_table()
    if senses := table.senses(name):
        return senses
    for ending, single in _ENDINGS:
        if name.endswith(ending) and (senses := table.senses(name.removesuffix(ending) + single)):
            return senses
    return ()


def _weighed(senses: Sequence[int], part: float) -> Iterator[Sense]:
    total = sum(SENSE_RATIO**place for place in range(len(senses)))
    for place, sense in enumerate(senses):
        yield Sense(sense, part * SENSE_RATIO**place / total)
