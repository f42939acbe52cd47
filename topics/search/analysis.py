"""Text to what the index holds: stemmed words, and exact tokens with positions.

The index only ever sees folded text (width, case, traditional to simplified);
what people read is never changed.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from operator import add

import Stemmer

from crawler.api.text import HAN, cut_han, fold
from topics.search.subwords import finest, with_sub_words

#: Raise this when this module gives other tokens than before: indexes are rebuilt.
ANALYSIS = 2
#: Longest token in characters; what is longer is data, and is cut.
MAX_TOKEN = 64
#: What a stream of tokens has between blocks; never a token.
GAP = "_"
#: Longest name of a page in characters.
MAX_NAME = 120

_PIECE = re.compile(
    rf"""
    (?P<block>\n)
  | (?P<han>[{HAN}]+)
  | (?P<latin> [a-z]++ (?: \+\+ | \# ) (?!\w)                       # c++, c#
             | [^\W_{HAN}]++ (?P<tail> ['’][a-z]{{1,2}}(?!\w) )?+ )  # newton's
    """,
    re.VERBOSE,
)
# Chinese written over several lines of source has blanks inside words.
_BLANK_IN_HAN = re.compile(rf"(?<=[{HAN}])[ \u3000\t]+(?=[{HAN}])")
# CPUs, PCs: capitals and a small s. The stemmer leaves them as they are.
_PLURAL_OF_CAPITALS = re.compile(r"(?<![A-Za-z0-9])([A-Z]{2,6})s(?![A-Za-z0-9])")
# The same in small letters, unless that is another word: cpus and gpus, but not plus.
_SMALL_PLURAL = re.compile(r"[bcdfghjklmnpqrstvwxz]{2,3}us")
_NOT_PLURALS = frozenset({"plus", "thus", "crus", "pfus"})
HAN_START = re.compile(f"[{HAN}]")
_NAME_GAP = re.compile(r"[\W_]+")
#: What sites put between a page's name and their own.
_TITLE_PARTS = re.compile(r"\s[-–—|·:_/»]+\s|[|｜_»]")
#: A piece of folded text, where it begins and ends, and whether it is of Han characters.
Piece = tuple[str, int, int, bool]
_english = Stemmer.Stemmer("english").stemWord


def analysis_version() -> str:
    """Name everything that decides which tokens a text gives."""
    parts = [f"analysis {ANALYSIS}"]
    for package in ("rjieba", "jieba", "opencc", "PyStemmer"):
        try:
            parts.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(parts)


@lru_cache(maxsize=50_000)
def stem_word(word: str) -> str:
    """Reduce an English word to its stem; anything else stays."""
    if not (word.isascii() and word.isalpha()):
        return word
    if _SMALL_PLURAL.fullmatch(word) and word not in _NOT_PLURALS:
        return word[:-1]
    stem: str = _english(word)
    return stem


def pieces(folded: str) -> Iterator[Piece]:
    """Cut folded text into Han runs and other words, in order.

    Yields
    ------
    piece, start, end, is_han : tuple
        A newline, which parts blocks, comes as the piece "\\n".
    """
    for match in _PIECE.finditer(folded):
        is_han = match["han"] is not None
        start = match.start()
        end = match.start("tail") if match["tail"] else match.end()
        piece = folded[start:end] if is_han else folded[start : min(end, start + MAX_TOKEN)]
        yield piece, start, end, is_han


@dataclass(frozen=True, slots=True)
class Analysed:
    """What the index holds of a text.

    Attributes
    ----------
    words : list of str
        As `index_words` gives them.
    tokens, positions : list
        As `exact_tokens` gives them.
    n_positions : int
        How many positions the text takes.
    """

    words: list[str]
    tokens: list[str]
    positions: list[int]
    n_positions: int

    @property
    def stream(self) -> list[str]:
        """The tokens with one at each place, and `GAP` between blocks.

        For engines that split at white space. The first character of a run does not stand
        alone, so a last lone character of a phrase is the beginning of a token.
        """
        stream = [GAP] * self.n_positions
        for token, position in zip(self.tokens, self.positions, strict=True):
            # The first character of a run comes before the pair at its place.
            stream[position] = token
        return stream


def analyse(text: str) -> Analysed:
    """Return the words and the exact tokens of a text; both at once take half of the time."""
    folded = fold(text)
    found = list(pieces(folded))
    joined = _BLANK_IN_HAN.sub("", folded)
    in_a_row = found if joined == folded else pieces(joined)
    return Analysed(_words(found, text), *_placed(in_a_row))


def index_words(text: str) -> list[str]:
    """Return the words to index: Chinese ones with their sub-words, English ones stemmed."""
    return _words(pieces(fold(text)), text)


def _words(found: Iterable[Piece], text: str) -> list[str]:
    words: list[str] = []
    for piece, _, _, is_han in found:
        if is_han:
            words.extend(chain.from_iterable(map(with_sub_words, cut_han(piece))))
        elif piece != "\n":
            words.append(stem_word(piece))
    words += [match[1].lower() for match in _PLURAL_OF_CAPITALS.finditer(text)]
    return words


def query_words(text: str) -> list[str]:
    """Return the words a page must hold to hold `text`, each once, in order."""
    words: dict[str, None] = {}
    text = _PLURAL_OF_CAPITALS.sub(r"\1", text)
    for piece, _, _, is_han in pieces(fold(text)):
        if is_han:
            for word in cut_han(piece):
                words.update(dict.fromkeys(finest(word)))
        elif piece != "\n":
            words[stem_word(piece)] = None
    return list(words)


def exact_tokens(text: str) -> Iterator[tuple[str, int]]:
    """Yield the tokens phrases are found by, each with its position.

    A Han character takes one position and gives a token of itself and the next;
    the first and the last of a run also stand alone, for phrases in which they
    touch something else (在GPT, 5月). Any other word is a token. A new block
    leaves a position out, so that no phrase reaches across.
    """
    tokens, positions, _ = _placed(pieces(_BLANK_IN_HAN.sub("", fold(text))))
    return zip(tokens, positions, strict=True)


def _placed(found: Iterable[Piece]) -> tuple[list[str], list[int], int]:
    """The exact tokens, their positions, and how many positions there are."""
    tokens: list[str] = []
    positions: list[int] = []
    position = 0
    for piece, _, _, is_han in found:
        if is_han:
            if len(piece) > 1:
                tokens.append(piece[0])
                positions.append(position)
                tokens.extend(map(add, piece, piece[1:]))
            tokens.append(piece[-1])
            end = position + len(piece)
            positions.extend(range(position, end))
            position = end
        else:
            if piece != "\n":
                tokens.append(piece)
                positions.append(position)
            position += 1
    return tokens, positions, position


def phrase_tokens(text: str) -> list[str]:
    """Return the tokens that follow one another where a page holds a phrase.

    A phrase of a single Han character gives that character: any token that
    starts with it will do.
    """
    runs = [
        (piece, is_han)
        for piece, _, _, is_han in pieces(_BLANK_IN_HAN.sub("", fold(text)))
        if piece != "\n"
    ]
    tokens: list[str] = []
    for number, (piece, is_han) in enumerate(runs, start=1):
        if not is_han:
            tokens.append(piece)
            continue
        tokens += [piece[i : i + 2] for i in range(len(piece) - 1)]
        # What follows the phrase in the page is unknown: the last character of a
        # closing run is covered by its last pair.
        if number < len(runs) or len(piece) == 1:
            tokens.append(piece[-1])
    return tokens


def title_names(title: str) -> set[str]:
    """Return what a page is called: its whole title, and the part before a site's name."""
    parts = (title, _TITLE_PARTS.split(title, maxsplit=1)[0])
    return {name for part in parts if (name := normalised_title(part))}


def normalised_title(text: str) -> str:
    """Spell a title, or what is looked for, so that equal ones are equal."""
    return _NAME_GAP.sub(" ", fold(text)).strip()[:MAX_NAME]
