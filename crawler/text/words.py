"""Folded text to words, and words to the tokens that are compared."""

import re

import Stemmer

from crawler.text.fold import HAN
from crawler.text.segment import cut_han
from crawler.text.stopwords import STOP_WORDS

#: Stands between segments that are tokenised in one go; never part of a token.
SEPARATOR = "\x1f"
#: Longest token in characters; what is longer is data, not a word.
MAX_TOKEN = 64

# Our own rule for Latin and number runs, where rjieba and jieba differ. The
# suffixes are only tried where one can start, and possessive quantifiers keep
# all of it linear in the text's length.
_WORD = rf"""
    [^\W_{HAN}]++
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
_PIECE = re.compile(rf"{_WORD} | [{HAN}]++ | {SEPARATOR}", re.VERBOSE)
# Every Han character sorts after this one, and no Latin letter does.
_BEFORE_HAN = "\u2e80"

_stem = Stemmer.Stemmer("english", 0).stemWord


class _Normaliser(dict[str, str]):
    """Folded word -> its token, "" for a stop word; filled as words turn up."""

    MAX_WORDS = 100_000

    def __missing__(self, word: str) -> str:
        if len(self) >= self.MAX_WORDS:
            self.clear()  # A page of a million random words must not stay in memory.
        token = self[word] = _normalise(word)
        return token


def _normalise(word: str) -> str:
    if word in STOP_WORDS:
        return ""
    word = word.replace("’", "'").partition("'")[0]
    if word in STOP_WORDS or any(part in STOP_WORDS for part in word.split("/") if part[1:]):
        return ""  # it's, and/or; but not km/h
    if word.isascii() and word.isalpha():
        word = _stem(word)
    return word[:MAX_TOKEN]


_normalised = _Normaliser()


def token_of(word: str) -> str:
    """Return the token of one folded word: its stem, or "" for a stop word."""
    return _normalised[word]


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


def split_folded(folded: str) -> tuple[list[str], list[int]]:
    """Tokenise folded text in which `SEPARATOR` ends each segment but the last.

    Parameters
    ----------
    folded : str
        What `fold` returned, for several segments joined by `SEPARATOR`: one
        pass over a page is much cheaper than one for each of its parts.

    Returns
    -------
    tokens : list of str
        The tokens of all segments in order.
    ends : list of int
        For each segment, the number of tokens up to its end.
    """
    tokens: list[str] = []
    ends: list[int] = []
    normalised, append, extend = _normalised, tokens.append, tokens.extend
    for piece in _PIECE.findall(folded):
        if piece < _BEFORE_HAN:
            if piece == SEPARATOR:
                ends.append(len(tokens))
            elif token := normalised[piece]:
                append(token)
        elif _HAN_RUN.match(piece):
            extend([word for word in cut_han(piece) if word not in STOP_WORDS])
        else:  # Kana, Hangul and what else sorts after them.
            append(piece[:MAX_TOKEN])
    ends.append(len(tokens))
    return tokens, ends
