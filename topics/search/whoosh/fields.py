"""How the Whoosh index is laid out, and what its fields hold of a page."""

from array import array
from collections import Counter, defaultdict
from itertools import chain, count, repeat

import numpy as np
from whoosh import fields, formats

from topics.search.analysis import Analysed, analyse, title_names
from topics.search.document import Document
from topics.search.whoosh.chunks import Chunk, Numbers

#: Raise this when fields or files change: indexes are rebuilt.
LAYOUT = 4
#: What a word of the title counts, in words of the body.
TITLE_WEIGHT = 3
#: Fields of which a page's length counts for the order.
SCORED = ("words", "exact", "title", "title_exact", "name")
#: The byte before each term says which of these its field is; Whoosh wants them in order.
_FIELDS = sorted((*SCORED, "topics"))
_PREFIX = {name: bytes([number]) for number, name in enumerate(_FIELDS)}


def term_of(field: str, token: str) -> bytes:
    """Spell a token of a field as it stands in the index."""
    return _PREFIX[field] + token.encode("utf-8", "replace")


def field_of(term: bytes) -> tuple[str, bytes]:
    """Return the field and the token of a term."""
    return _FIELDS[term[0]], term[1:]


class WordFormat(formats.Format):  # type: ignore[misc]
    """How often a page holds each word; a title word counts several times."""

    def decode_frequency(self, stored: bytes) -> int:
        """Return 1: the count is the posting's weight."""
        return 1


class ExactFormat(formats.Format):  # type: ignore[misc]
    """Where a page holds each exact token."""

    def decode_positions(self, stored: bytes) -> list[int]:
        """Return the positions, ascending."""
        return array("I", stored).tolist()

    def decode_frequency(self, stored: bytes) -> int:
        """Return how many positions there are."""
        return len(self.decode_positions(stored))


class TextField(fields.FieldType):  # type: ignore[misc]
    """A field of words or exact tokens, which `PostingsCollector` fills."""

    analyzer = None
    indexed = True
    stored = False
    unique = False
    vector = None
    scorable = True
    column_type = None

    def __init__(self, layout: formats.Format) -> None:
        self.format = layout


def make_schema() -> fields.Schema:
    """Lay the index out; titles and bodies stay in the database."""
    number = {"bits": 64, "sortable": True, "default": 0}
    return fields.Schema(
        words=TextField(WordFormat()),
        exact=TextField(ExactFormat()),
        title=TextField(WordFormat()),
        title_exact=TextField(ExactFormat()),
        name=TextField(WordFormat()),
        topics=fields.KEYWORD(commas=True),
        key=fields.NUMERIC(int, **number),
    )


class PostingsCollector:
    """Collects what the fields hold of some pages."""

    def __init__(self) -> None:
        self.keys: list[int] = []
        #: How many tokens each field has, page by page.
        self.lengths: dict[str, list[int]] = {name: [] for name in SCORED}
        numbers = count()
        self._terms: dict[str, defaultdict[str, int]] = {
            name: defaultdict(numbers.__next__) for name in _FIELDS
        }
        # One entry for each token of a page, with what it counts; a word stands once.
        self._counted, self._weights, self._n_counted = array("I"), array("I"), array("I")
        # One entry for each place of a token.
        self._placed, self._positions, self._n_placed = array("I"), array("I"), array("I")

    def add(self, document: Document) -> None:
        """Add a page; its number is how many there were."""
        self.keys.append(document.id)
        title, body = analyse(document.title), analyse(document.body)
        n_counted, n_placed = len(self._counted), len(self._placed)
        title_words = Counter(title.words)
        words = Counter(body.words)
        for word, n_times in title_words.items():
            words[word] += TITLE_WEIGHT * n_times
        self._count("words", words)
        self._count("title", title_words)
        self._count("name", dict.fromkeys(title_names(document.title), 1))
        self._count("topics", dict.fromkeys(document.topics, 1))
        # A new line parts the title from the body.
        self._place("exact", title, body, title.n_positions + 1)
        self._place("title_exact", title)
        self._n_counted.append(len(self._counted) - n_counted)
        self._n_placed.append(len(self._placed) - n_placed)

    def _count(self, field: str, words: dict[str, int]) -> None:
        self._counted.extend(map(self._terms[field].__getitem__, words))
        self._weights.extend(words.values())
        if field in self.lengths:
            self.lengths[field].append(sum(words.values()))

    def _place(
        self, field: str, first: Analysed, second: Analysed | None = None, shift: int = 0
    ) -> None:
        number_of, n_before = self._terms[field].__getitem__, len(self._placed)
        self._placed.extend(map(number_of, first.tokens))
        self._positions.extend(first.positions)
        if second is not None:
            self._placed.extend(map(number_of, second.tokens))
            self._positions.extend(map(shift.__add__, second.positions))
        self.lengths[field].append(len(self._placed) - n_before)

    def chunk(self) -> Chunk:
        """Return all terms with their postings."""
        terms, ranks = self._in_order()
        n_terms = len(terms)
        counted, weights = ranks[_array(self._counted)], _array(self._weights)
        pages = _page_of_each(self._n_counted)
        # The sort is stable: pages of a term stay in order, and so do the places in a page.
        placed = ranks[_array(self._placed)]
        order = np.argsort(placed, kind="stable")
        of_place, page_of_place = placed[order], _page_of_each(self._n_placed)[order]
        begins = np.ones(len(order), np.bool_)
        begins[1:] = (np.diff(of_place) != 0) | (np.diff(page_of_place) != 0)
        first = np.flatnonzero(begins)
        n_each = np.diff(first, append=len(order))
        term = np.concatenate([counted, of_place[first]])
        by_term = np.argsort(term, kind="stable")
        return Chunk(
            terms,
            np.bincount(term, minlength=n_terms),
            np.bincount(of_place, minlength=n_terms),
            np.concatenate([pages, page_of_place[first]])[by_term],
            np.concatenate([weights, n_each])[by_term],
            _array(self._positions)[order],
        )

    def _in_order(self) -> tuple[list[bytes], Numbers]:
        """The terms in order, and the rank of each number that a token was given."""
        given = list(
            chain.from_iterable(
                map(term_of, repeat(field), tokens) for field, tokens in self._terms.items()
            )
        )
        numbers = list(chain.from_iterable(tokens.values() for tokens in self._terms.values()))
        # Spelt in UTF-8, two tokens may be equal.
        terms = sorted(set(given))
        rank = {term: number for number, term in enumerate(terms)}
        ranks = np.empty(len(given), np.int64)
        ranks[numbers] = np.fromiter(map(rank.__getitem__, given), np.int64, len(given))
        return terms, ranks


def _array(values: "array[int]") -> Numbers:
    return np.frombuffer(values, np.uint32) if values else np.empty(0, np.uint32)


def _page_of_each(counts: "array[int]") -> Numbers:
    return np.repeat(np.arange(len(counts), dtype=np.uint32), _array(counts))
