"""A page's segments to its terms: every text tokenised once, with its tag class."""

from array import array
from collections import defaultdict
from dataclasses import dataclass
from itertools import count
from sys import byteorder

from crawler.page.collected import Collected
from crawler.page.parsed import MAX_VOCABULARY, PLAIN, STRONG, PageTerms
from crawler.text.language import detect_language
from crawler.text.tokens import tokenize
from crawler.text.words import join_segments, split_segments

#: Most text that is tokenised, in characters.
MAX_TOKENIZER_CHARS = 1024 * 1024


@dataclass(frozen=True, slots=True)
class TokenisedPage:
    """The tokens of title, meta texts and segments, in this order.

    Attributes
    ----------
    classes : bytes
        Tag class of each token.
    n_title : int
        How many leading tokens are the title's.
    start : int
        Number of tokens before the first segment's.
    ends : list of int
        For each segment, the number of tokens up to its end.
    frame : dict of int to list of str
        The tokens of the frame's links by segment; they are none of `tokens`.
    """

    tokens: list[str]
    classes: bytes
    n_title: int
    start: int
    ends: list[int]
    frame: dict[int, list[str]]


def tokenise_page(title: str, found: Collected) -> TokenisedPage:
    """Tokenise what was collected of a page in one go [P1 eq. 2 for the classes]."""
    parts = [title, *found.meta_texts, *found.segments, *found.frame_anchors.values()]
    parts = _cut(parts, found)
    tokens, ends = split_segments(join_segments(parts))
    n_head = 1 + len(found.meta_texts)
    n_parts = n_head + len(found.segments)
    borders = zip(found.frame_anchors, ends[n_parts - 1 :], ends[n_parts:], strict=False)
    frame = {segment: tokens[start:end] for segment, start, end in borders}
    ends = ends[:n_parts]
    del tokens[ends[-1] :]
    # <head> and <meta> count as plain text: they are often spam [P1].
    kinds = [STRONG, *[PLAIN] * len(found.meta_texts), *found.classes]
    starts = [0, *ends]
    runs = zip(kinds, starts, ends, strict=False)
    classes = b"".join(b"\0\1\2\3"[kind : kind + 1] * (end - start) for kind, start, end in runs)
    return TokenisedPage(tokens, classes, ends[0], ends[n_head - 1], ends[n_head:], frame)


def _cut(parts: list[str], found: Collected) -> list[str]:
    """Empty the parts behind the most text that is tokenised; their number stays."""
    room = MAX_TOKENIZER_CHARS
    if sum(map(len, parts)) <= room:
        return parts
    found.flags.add("text_cut")
    kept = []
    for part in parts:
        kept.append(part[:room])
        room -= len(kept[-1])
    return kept


def page_terms(page: TokenisedPage, language: str, title: str = "") -> PageTerms:
    """Pack a page's tokens into the small form that is stored."""
    classes = page.classes
    # Each new token takes the next number, in one loop of C's.
    index: defaultdict[str, int] = defaultdict(count().__next__)
    numbers = list(map(index.__getitem__, page.tokens))
    vocabulary = list(index)
    if len(vocabulary) > MAX_VOCABULARY:
        del vocabulary[MAX_VOCABULARY:]
        pairs = zip(numbers, classes, strict=True)
        classes = bytes(kind for number, kind in pairs if number < MAX_VOCABULARY)
        numbers = [number for number in numbers if number < MAX_VOCABULARY]
    sequence = array("H", numbers)
    if byteorder == "big":
        sequence.byteswap()
    return PageTerms(language, vocabulary, sequence.tobytes(), classes, page.n_title, title)


def text_terms(text: str) -> PageTerms:
    """Return the terms of a plain text: what a person pasted, say; at most 1 MiB of it."""
    tokens = tokenize(text[:MAX_TOKENIZER_CHARS])
    page = TokenisedPage(tokens, bytes([PLAIN]) * len(tokens), 0, 0, [], {})
    return page_terms(page, detect_language(text))
