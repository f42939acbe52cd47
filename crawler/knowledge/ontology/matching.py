"""Find concepts by their labels: in a text's tokens, or named by a person."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from crawler.knowledge.ontology.concept_graph import ConceptGraph
from crawler.text.fold import fold
from crawler.text.tokens import tokenize

#: A label of more tokens is a sentence; it is never looked for on a page.
MAX_LABEL_TOKENS = 16

_FIRST_HAN = "\u2e80"
_END = ""  # Key of a trie node's concepts; no unit is empty.


@dataclass(frozen=True, slots=True)
class ConceptMatch:
    """A label found in a token sequence.

    Attributes
    ----------
    start, end : int
        The tokens ``start`` to ``end - 1`` spell it.
    concepts : tuple of str
        Ids of the concepts with this label, sorted.
    """

    start: int
    end: int
    concepts: tuple[str, ...]


def _units(token: str) -> tuple[str, ...]:
    """Split a Han token into characters, as its cut depends on what stands around it."""
    return tuple(token) if token[0] > _FIRST_HAN else (token,)


class ConceptMatcher:
    """Finds the longest labels in token sequences, whatever way Han words were cut.

    A match begins and ends where tokens do, so 电网 is not found inside a token
    网络; but 继电|保护装置 on a page matches a label cut as 继电|保护|装置.

    Parameters
    ----------
    labels : iterable of (str, str)
        Concept id and label text, in any order; a label may belong to several.
    """

    def __init__(self, labels: Iterable[tuple[str, str]]) -> None:
        self._root: dict[str, Any] = {}
        for concept_id, text in labels:
            tokens = tokenize(text)
            if 0 < len(tokens) <= MAX_LABEL_TOKENS:
                self._add(tokens, concept_id)

    def _add(self, tokens: Sequence[str], concept_id: str) -> None:
        node = self._root
        for token in tokens:
            for unit in _units(token):
                node = node.setdefault(unit, {})
        node[_END] = tuple(sorted({*node.get(_END, ()), concept_id}))

    def find(self, tokens: Iterable[str]) -> list[ConceptMatch]:
        """Find labels from left to right, the longest at each place, none overlapping.

        Parameters
        ----------
        tokens : iterable of str
            As `tokenize` gives them, for example ``PageTerms.tokens()``.

        Returns
        -------
        list of ConceptMatch
            In reading order. Time is linear in the number of tokens, as no
            label is longer than `MAX_LABEL_TOKENS`.
        """
        sequence = list(tokens)
        # Nearly every token starts no label: one look-up settles those.
        starts = {
            token
            for token in set(sequence)
            if token and (token[0] if token[0] > _FIRST_HAN else token) in self._root
        }
        matches: list[ConceptMatch] = []
        free = 0
        for start, token in enumerate(sequence):
            if start >= free and token in starts:
                match = self._longest(sequence, start)
                if match is not None:
                    matches.append(match)
                    free = match.end
        return matches

    def _longest(self, sequence: Sequence[str], start: int) -> ConceptMatch | None:
        node = self._root
        best: ConceptMatch | None = None
        for position in range(start, len(sequence)):
            for unit in _units(sequence[position]):
                node = node.get(unit)  # type: ignore[assignment]  # None ends the walk
                if node is None:
                    return best
            if _END in node:
                best = ConceptMatch(start, position + 1, node[_END])
        return best

    def count(self, tokens: Iterable[str]) -> Counter[str]:
        """Count the occurrences of each concept present."""
        return Counter(c for match in self.find(tokens) for c in match.concepts)

    def present(self, tokens: Iterable[str]) -> frozenset[str]:
        """Return the ids of the concepts present."""
        return frozenset(self.count(tokens))


class LabelIndex:
    """Finds the concepts a person names; build it once per graph."""

    def __init__(self, graph: ConceptGraph) -> None:
        self._graph = graph
        self._by_text: dict[str, list[str]] = {}
        for concept in graph.concepts.values():
            for key in {label_key(label.text) for label in concept.labels}:
                self._by_text.setdefault(key, []).append(concept.id)
        self._by_tokens: dict[tuple[str, ...], list[str]] | None = None

    def find(self, term: str) -> tuple[str, ...]:
        """Find concepts by id, folded label, or label with other word endings.

        The first of these that finds anything decides; ids come sorted.
        """
        if term in self._graph.concepts:
            return (term,)
        found = self._by_text.get(label_key(term))
        if found is None:
            found = self._token_index().get(tuple(tokenize(term)), [])
        return tuple(found)

    def _token_index(self) -> dict[tuple[str, ...], list[str]]:
        # Tokenising all labels is slow, and most terms are found without it.
        if self._by_tokens is None:
            self._by_tokens = {}
            for text, ids in self._by_text.items():
                if tokens := tuple(tokenize(text)):
                    known = self._by_tokens.setdefault(tokens, [])
                    known.extend(i for i in ids if i not in known)
                    known.sort()
        return self._by_tokens


def label_key(text: str) -> str:
    """Return what two spellings of one label share: width, case, script, spaces."""
    return " ".join(fold(text).split())
