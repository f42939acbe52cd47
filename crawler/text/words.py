"""Text to words, and words to the tokens that are compared."""

import re
from collections.abc import Sequence
from itertools import chain

import Stemmer

from crawler.text.fold import HAN, fold
from crawler.text.segment import cut_han
from crawler.text.stopwords import STOP_WORDS

_MARK = "\x01"
#: Stands between segments that are tokenised in one go; never part of a token.
SEPARATOR = f" {_MARK} "
#: Longest token in characters; what is longer is data, not a word.
MAX_TOKEN = 64

# Our own rule for Latin and number runs, where rjieba and jieba differ. The
# suffixes are only tried where one can start, and possessive quantifiers keep
# all of it linear in the text's length.
_WORD = rf"""
    (?: [a-z0-9]++ [^\W_{HAN}]*+ | [^\W_{HAN}]++ )
    (?: (?=[-+#./'’]) (?:
        ['’][a-z]{{1,2}} (?![^\W_])                          # newton's
      | (?<=[a-z0-9]) \+\+                                   # c++
      | (?<=[a-z]) - \d[\da-z]*+ (?:\.\d++)?+                # gpt-3, gpt-3.5
      | (?<=[a-z]) (?<![a-z0-9][a-z]) (?: -[a-z]++(?!-) | \#(?![^\W{HAN}]) )   # e-mail, c#
      | (?<=\d) (?:\.\d++){{1,4}}+                           # 3.14, 1.2.3
      | (?<=[a-z]) \.(?:js|net)(?![^\W{HAN}])                # node.js, asp.net
      | (?: (?<=[a-z]) (?<![a-z0-9/.][a-z])
          | (?<=[a-z]{{2}}) (?<![a-z0-9/.][a-z]{{2}})
          | (?<=[a-z]{{3}}) (?<![a-z0-9/.][a-z]{{3}}) )
        / [a-z]{{1,3}} (?![a-z0-9/.])                        # tcp/ip, km/h
    ) )?+
  | (?<![a-z0-9_.]) \.net (?![a-z0-9_])
"""
_HAN_RUN = re.compile(f"[{HAN}]+")
_PIECE = re.compile(rf"{_WORD} | [{HAN}]++", re.VERBOSE)
# Chinese, Japanese and Korean sort after this character, Latin letters before.
_BEFORE_HAN = "\u2e80"

_stem = Stemmer.Stemmer("english", 0).stemWord


class _Chunks(dict[str, tuple[str, ...]]):
    """Text between two blanks -> its tokens, filled as chunks turn up.

    No word of ours spans a blank, and the same chunks come again and again:
    looking one up takes a small part of the time of folding and matching it.
    """

    MAX_CHUNKS = 100_000
    MAX_CHARS = 24
    #: Chinese has no blanks: a chunk of more words is a clause, which hardly comes again.
    MAX_TOKENS = 4

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        tokens = _chunk_tokens(chunk)
        if len(chunk) <= self.MAX_CHARS and len(tokens) <= self.MAX_TOKENS:
            if len(self) >= self.MAX_CHUNKS:
                self.clear()  # A page of a million random words must not stay in memory.
            self[chunk] = tokens
        return tokens


def _chunk_tokens(chunk: str) -> tuple[str, ...]:
    if chunk == _MARK:
        return (_MARK,)
    tokens: list[str] = []
    for piece in _PIECE.findall(fold(chunk)):
        if piece >= _BEFORE_HAN and _HAN_RUN.match(piece):
            tokens.extend([word for word in cut_han(piece) if word not in STOP_WORDS])
        elif token := token_of(piece):
            tokens.append(token)
    return tuple(tokens)


_chunks = _Chunks()


def token_of(word: str) -> str:
    """Return the token of one folded word: its stem, or "" for a stop word."""
    if word in STOP_WORDS:
        return ""
    word = word.replace("’", "'").partition("'")[0]
    if word in STOP_WORDS or any(part in STOP_WORDS for part in word.split("/") if part[1:]):
        return ""  # it's, and/or; but not km/h
    if word.isascii() and word.isalpha():
        word = _stem(word)
    return word[:MAX_TOKEN]


def word_spans(folded: str) -> list[tuple[str, int, int]]:
    """List the words of a folded text, stop words too, as (word, start, end)."""
    spans: list[tuple[str, int, int]] = []
    for match in _PIECE.finditer(folded):
        piece, start = match[0], match.start()
        words = cut_han(piece) if _HAN_RUN.match(piece) else [piece]
        for word in words:
            spans.append((word, start, start + len(word)))
            start += len(word)
    return spans


def split_segments(joined: str) -> tuple[list[str], list[int]]:
    """Tokenise text in which `SEPARATOR` ends each segment but the last.

    Parameters
    ----------
    joined : str
        What `join_segments` returned: one pass over a page is much cheaper
        than one for each of its parts.

    Returns
    -------
    tokens : list of str
        The tokens of all segments in order.
    ends : list of int
        For each segment, the number of tokens up to its end.
    """
    # Both loops run in C: a page has thousands of words.
    marked = list(chain.from_iterable(map(_chunks.__getitem__, joined.split())))
    tokens: list[str] = []
    ends: list[int] = []
    start = 0
    for _ in range(marked.count(_MARK)):
        end = marked.index(_MARK, start)
        tokens += marked[start:end]
        ends.append(len(tokens))
        start = end + 1
    tokens += marked[start:]
    ends.append(len(tokens))
    return tokens, ends


def join_segments(segments: Sequence[str]) -> str:
    """Join segments with `SEPARATOR` so that `split_segments` finds each of them again."""
    joined = SEPARATOR.join(segments)
    if joined.count(_MARK) != len(segments) - 1:
        joined = SEPARATOR.join(segment.replace(_MARK, " ") for segment in segments)
    return joined
