"""Noun phrases of a text in Latin letters, found by the words around them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crawler.text.fold import HAN
from crawler.text.tokens import SurfaceToken, surface_tokens

# What follows one of these is a noun, or leads to one. Words that may be a subject ("this") are not
# here: a verb may follow.
_BEFORE_NOUNS: Final = frozenset(
    "a an the its their our your my of on at by for from with without between among into over"
    " under through across per each every another".split()
)
# Words with these endings are often not nouns.
_UNSURE = re.compile(r"(?:ed|ing|ly)$")
_LAST_WORD = re.compile(r"([A-Za-z]+)\s+$")
_LATIN_START = re.compile(f"[^\\W\\d_{HAN}]")
_BETWEEN: Final = frozenset({" ", "-", "\u2010", "\u2011", "\n"})
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n]\W*)$")


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Words that stand side by side between words of no content.

    Attributes
    ----------
    words : tuple of str
        As they are written; a capital that only begins a sentence is made small.
    follows_article : bool
        An article, a possessive or a preposition stands before the phrase.
    """

    words: tuple[str, ...]
    follows_article: bool

    @property
    def noun(self) -> int | None:
        """The place of the word that seems to be its noun, None if there is none.

        That is the last word, or in "the CPU waits" the one before.
        """
        if not self.follows_article:
            return None
        words = [word.lower() for word in self.words]
        if len(words) > 1 and words[-1].endswith("s"):
            del words[-1]
        return None if _UNSURE.search(words[-1]) else len(words) - 1


def noun_phrases(text: str) -> Iterator[NounPhrase]:
    """Yield what stands between stop words, marks of punctuation, numbers and Chinese characters.

    This is how RAKE finds candidates for key words (Rose et al., "Automatic keyword extraction
    from individual documents", Text Mining, 2010). The word before a phrase says whether the
    phrase ends in a noun.
    """
    run: list[SurfaceToken] = []
    for found in surface_tokens(text):
        if run and text[run[-1].end : found.start] not in _BETWEEN:
            yield from _phrase(text, run)
            run = []
        if _LATIN_START.match(found.word):
            run.append(found)
        elif run:
            yield from _phrase(text, run)
            run = []
    yield from _phrase(text, run)


def _phrase(text: str, run: list[SurfaceToken]) -> Iterator[NounPhrase]:
    if run:
        before = _LAST_WORD.search(text, max(0, run[0].start - 20), run[0].start)
        anchored = before is not None and before[1].lower() in _BEFORE_NOUNS
        yield NounPhrase(tuple(_as_written(text, one) for one in run), anchored)


def _as_written(text: str, found: SurfaceToken) -> str:
    """Return a word with its capitals, but for one that begins a sentence."""
    word = text[found.start : found.end]
    begins = _SENTENCE_START.search(text, max(0, found.start - 5), found.start)
    return word.lower() if begins and word[1:].islower() else word
