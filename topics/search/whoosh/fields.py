"""How the Whoosh index is laid out: two text fields with formats of our own.

Whoosh's own formats run one Token object per word and keep positions as pickles;
these count in one go and keep plain integers.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from whoosh import fields, formats

from topics.search.analysis import exact_tokens, index_words, title_names

#: Raise this when fields or formats change: indexes are rebuilt.
LAYOUT = 3
#: What a word of the title counts, in words of the body.
TITLE_WEIGHT = 3

#: How a page's positions of a token are packed.
POSITIONS = "I"

Posting = tuple[str, int, float, bytes]


class WordFormat(formats.Format):  # type: ignore[misc]
    """How often a page holds each word; a title word counts several times."""

    # No bytes per posting. Left unsaid, empty values are written and lost, and
    # reading them back in a merge fails.
    posting_size = 0

    def word_values(self, value: tuple[str, str], analyzer: Any, **_: Any) -> Iterator[Posting]:
        """Yield word, occurrences, weight and nothing else of a title and a body."""
        title, body = value
        counts = Counter(index_words(body))
        for word in index_words(title):
            counts[word] += TITLE_WEIGHT
        for word, count in counts.items():
            yield word, count, float(count), b""

    def decode_frequency(self, stored: bytes) -> int:
        """Return 1: the count is the posting's weight."""
        return 1


class ExactFormat(formats.Format):  # type: ignore[misc]
    """Where a page holds each exact token."""

    def word_values(self, value: tuple[str, str], analyzer: Any, **_: Any) -> Iterator[Posting]:
        """Yield token, occurrences, weight and packed positions of a title and a body."""
        positions: defaultdict[str, array[int]] = defaultdict(lambda: array(POSITIONS))
        for token, position in exact_tokens("\n".join(value)):
            positions[token].append(position)
        for token, found in positions.items():
            yield token, len(found), float(len(found)), found.tobytes()

    def decode_positions(self, stored: bytes) -> list[int]:
        """Return the positions, ascending."""
        return array(POSITIONS, stored).tolist()

    def decode_frequency(self, stored: bytes) -> int:
        """Return how many positions there are."""
        return len(stored) // array(POSITIONS).itemsize


class TitleFormat(WordFormat):
    """How often a title holds each word."""

    def word_values(self, value: tuple[str, str], analyzer: Any, **_: Any) -> Iterator[Posting]:
        """Yield word, occurrences, weight and nothing else of a title."""
        for word, count in Counter(index_words(value[0])).items():
            yield word, count, float(count), b""


class ExactTitleFormat(ExactFormat):
    """Where a title holds each exact token."""

    def word_values(self, value: tuple[str, str], analyzer: Any, **_: Any) -> Iterator[Posting]:
        """Yield what `ExactFormat` does, of a title alone."""
        yield from super().word_values((value[0], ""), analyzer)


class NameFormat(WordFormat):
    """What a page is called."""

    def word_values(self, value: tuple[str, str], analyzer: Any, **_: Any) -> Iterator[Posting]:
        """Yield each name of a title as one token."""
        for name in sorted(title_names(value[0])):
            yield name, 1, 1.0, b""


class TextField(fields.FieldType):  # type: ignore[misc]
    """A field filled from a title and a body, in one of the two formats."""

    analyzer = None
    indexed = True
    stored = False
    unique = False
    vector = None
    scorable = True
    column_type = None

    def __init__(self, layout: formats.Format) -> None:
        self.format = layout

    def index(self, value: tuple[str, str], **_: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        """Yield what the writer keeps of a title and a body."""
        for token, count, weight, stored in self.format.word_values(value, None):
            yield token.encode("utf-8", "replace"), count, weight, stored


def make_schema() -> fields.Schema:
    """Lay the index out; titles and bodies stay in the database."""
    number = {"bits": 64, "sortable": True, "default": 0}
    return fields.Schema(
        id=fields.ID(unique=True),
        words=TextField(WordFormat()),
        exact=TextField(ExactFormat()),
        title=TextField(TitleFormat()),
        title_exact=TextField(ExactTitleFormat()),
        name=TextField(NameFormat()),
        topics=fields.KEYWORD(commas=True),
        key=fields.NUMERIC(int, **number),
    )
