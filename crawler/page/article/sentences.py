"""An article's sentences, Chinese and English, and the two that say most about a topic."""

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import sqrt
from typing import Final

from crawler.page.article.article_text import ITEM, PARAGRAPH, QUOTE
from crawler.text.tokens import tokenize

#: Longest extract in characters; a Chinese character counts as two.
MAX_CHARS: Final = 320
#: Sentences that are considered: the subject of an article is rarely in its late sentences.
MAX_SENTENCES: Final = 100
#: A shorter piece is not a sentence but a label or a name. Chinese characters count as two.
_MIN_CHARS: Final = 25
#: Tokens a sentence is expected to have; shorter ones get no more for their few words.
_FULL_LENGTH: Final = 12
#: How much more the first sentence is worth than the last that is considered.
_EARLY: Final = 0.25

_END = re.compile(
    r"[。！？…]+[”’」』）》\"']*"
    r"|[.!?]+[\"'”’)\]]*(?=\s+[\"'“‘(\[]*[^\Wa-z_])"
)
#: Chinese sentences have no blank between them.
_ENDS_IN_CHINESE = re.compile(r"[\u2e80-\U0003ffff][”’」』）》\"']*…*\Z")
_BEGINS_IN_CHINESE = re.compile(r"[“‘「『（《\"']*[\u2e80-\U0003ffff]")
#: A full stop after one of these, or after an initial, ends no sentence.
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|no|vs|etc|fig|approx|inc|ltd|co|jr|sr|gen|col|sen|rep|gov|dept"
    r"|est|al|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)|\b[a-z](?:\.[a-z])*)\.$",
    re.IGNORECASE,
)


def split_sentences(line: str) -> list[str]:
    """Return the sentences of one line of text, stripped; empty ones go."""
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(line):
        if match[0][0] == "." and _ABBREVIATION.search(
            line, max(start, match.start() - 20), match.start() + 1
        ):
            continue
        sentences.append(line[start : match.end()].strip())
        start = match.end()
    sentences.append(line[start:].strip())
    return [sentence for sentence in sentences if sentence]


def choose_extract(text: str, line_kinds: str, weights: Mapping[str, float]) -> str:
    """Return the two sentences of an article that say most about a topic, in reading order.

    Parameters
    ----------
    text, line_kinds : str
        Of a `ParsedPage`; code, headings and tables are not sentences.
    weights : mapping of str to float
        The topic's tokens, as `crawler.text.tokens.tokenize` gives them; only positive
        weights count.

    Returns
    -------
    str
        Plain text of at most about `MAX_CHARS` characters, cut at a word with "…". The
        beginning of the first paragraph where no sentence has a term of the topic; "" for
        no text.
    """
    sentences = _sentences(text, line_kinds)
    scores = [_score(sentence, weights) for sentence in sentences]
    n = max(len(sentences), 1)
    ranked = sorted(
        (i for i, score in enumerate(scores) if score > 0),
        key=lambda i: (-scores[i] * (1 + _EARLY * (1 - i / n)), i),
    )
    if not ranked:
        if len(sentences) < 2:
            return _cut(sentences[0] if sentences else text.partition("\n")[0], MAX_CHARS)
        first, second, *_ = sentences
        return _cut(first + _blank(first, second) + second, MAX_CHARS)
    return _joined([sentences[i] for i in sorted(ranked[:2])], sorted(ranked[:2]))


def _sentences(text: str, line_kinds: str) -> list[str]:
    lines = text.split("\n")
    kinds = line_kinds if len(line_kinds) == len(lines) else PARAGRAPH * len(lines)
    found: list[str] = []
    for kind, line in zip(kinds, lines, strict=True):
        if kind in (PARAGRAPH, QUOTE, ITEM):
            found += [one for one in split_sentences(line) if _width(one) >= _MIN_CHARS]
        if len(found) >= MAX_SENTENCES:
            break
    return found[:MAX_SENTENCES]


def _score(sentence: str, weights: Mapping[str, float]) -> float:
    """Sum of the weights of its distinct tokens, less for a long sentence."""
    tokens = tokenize(sentence[: 4 * MAX_CHARS])
    total = sum(max(weights.get(token, 0.0), 0.0) for token in set(tokens))
    return total / sqrt(max(len(tokens), _FULL_LENGTH))


def _joined(sentences: Sequence[str], places: Sequence[int]) -> str:
    if len(sentences) == 1:
        return _cut(sentences[0], MAX_CHARS)
    first, second = sentences
    # A long sentence leaves the other at least a third of the room.
    room = max(MAX_CHARS - _width(second), MAX_CHARS // 3)
    first = _cut(first, room)
    gap = blank = _blank(first, second)
    if places[1] > places[0] + 1 and not first.endswith("…"):
        gap = " … " if blank else "……"
    return first + gap + _cut(second, max(MAX_CHARS - _width(first), MAX_CHARS // 3))


def _blank(first: str, second: str) -> str:
    """What stands between two sentences."""
    is_chinese = _ENDS_IN_CHINESE.search(first) and _BEGINS_IN_CHINESE.match(second)
    return "" if is_chinese else " "


def _width(text: str) -> int:
    """Characters, each of the East counted as two."""
    return len(text) if text.isascii() else sum(1 + (char >= "\u2e80") for char in text)


def _cut(text: str, max_width: int) -> str:
    """Cut a text at a word; nothing is cut that fits."""
    widths = accumulate(1 + (char >= "\u2e80") for char in text[: max_width + 1])
    end = sum(width <= max_width for width in widths)
    if end == len(text):
        return text
    blank = text.rfind(" ", end - 30, end)
    return text[: blank if blank > 0 else end].rstrip(" ,;:，、；：") + "…"
