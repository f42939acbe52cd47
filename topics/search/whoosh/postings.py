"""Postings and columns of a Whoosh index as arrays over the pages of all its segments.

Whoosh's own matchers call a dozen functions for each page that is found.
"""

import pickle
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from whoosh.codec import whoosh3
from whoosh.searching import Searcher
from whoosh.util.numeric import byte_to_length

from topics.search.whoosh.codec import LENGTH, MAGIC, TERM

_LENGTH_OF_BYTE = np.array([byte_to_length(level) for level in range(256)], np.float64)
_SIGN = np.uint64(1 << 63)
#: Sets of pages that are remembered, of one segment and some topics each.
_MAX_REMEMBERED = 1_000
#: They never change: a segment is never written again, and its name never used again.
_of_topics: dict[tuple[str, tuple[str, ...]], NDArray[np.uint8]] = {}

Pages = NDArray[np.bool_]
#: A segment, the number of its first page, and what its term index keeps of a token.
_Place = tuple[Any, int, bytes]


@dataclass(frozen=True, slots=True)
class Postings:
    """The pages that hold a token, deleted ones too, in order.

    Attributes
    ----------
    pages : array of int, shape (n_found,)
        Numbers of the pages.
    weights : array of float64, shape (n_found,)
        What the token counts in each.
    values : sequence of bytes
        What the field's format keeps of each; empty if it keeps nothing.
    """

    pages: NDArray[np.int64]
    weights: NDArray[np.float64]
    values: Sequence[bytes]


class Snapshot:
    """One state of an index, as long as its searcher is open.

    Parameters
    ----------
    before_read : callable, optional
        Is called before postings are read; what it raises ends the search.
    """

    def __init__(self, searcher: Searcher, before_read: Callable[[], None] = lambda: None) -> None:
        self.n_pages: int = searcher.doc_count_all()
        self._searcher = searcher
        self._before_read = before_read
        self._parts = [
            (part.reader(), offset)
            for part, offset in searcher.leaf_searchers()
            if part.doc_count_all()
        ]

    @cached_property
    def live(self) -> Pages:
        """The pages that are not deleted."""
        live = np.ones(self.n_pages, np.bool_)
        for reader, offset in self._parts:
            live[[offset + page for page in reader._perdoc.deleted_docs()]] = False
        return live

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """The key of each page."""
        columns = [_column(reader, "key", ">u8") for reader, _ in self._parts]
        # Whoosh writes numbers so that their bytes are in order.
        return (_joined(columns, np.uint64) ^ _SIGN).view(np.int64)

    def lengths(self, field: str) -> NDArray[np.float64]:
        """How many tokens a field has in each page, as exactly as Whoosh keeps it."""
        name = whoosh3._lenfield(field)
        levels = _joined([_column(reader, name, ">u1") for reader, _ in self._parts], np.uint8)
        lengths: NDArray[np.float64] = _LENGTH_OF_BYTE[levels]
        return lengths

    def mean_length(self, field: str) -> float:
        """How many tokens a field has on average."""
        return float(self._searcher.avg_field_length(field)) or 1.0

    def postings(self, field: str, token: str) -> Postings:
        """Return the postings of a token."""
        encoded, found = token.encode("utf-8", "replace"), []
        for reader, offset in self._parts:
            info = _term_info(reader, field, encoded)
            if info is not None:
                found.append((reader, offset, info))
        return self._read(found)

    def postings_from(self, field: str, beginning: str) -> Postings:
        """Return the postings of all tokens that begin so, as if they were one; without values."""
        found = []
        for reader, offset in self._parts:
            self._before_read()
            terms = reader._terms
            prefix = terms._keycoder(field, beginning.encode("utf-8", "replace"))
            for key, info in terms._tindex.items_from(prefix):
                if not key.startswith(prefix):
                    break
                found.append((reader, offset, info))
        each = self._read(found)
        weights = np.bincount(each.pages, each.weights, self.n_pages).astype(np.float64)
        pages = np.flatnonzero(weights)
        return Postings(pages, weights[pages], ())

    def of_topics(self, topics: Collection[str]) -> Pages:
        """The pages of any of some topics."""
        wanted = tuple(sorted(topics))
        return _joined([self._of_topics(reader, wanted) for reader, _ in self._parts], np.bool_)

    def _of_topics(self, reader: Any, topics: tuple[str, ...]) -> Pages:
        key, n_pages = (reader.segment().segment_id(), topics), reader.doc_count_all()
        known = _of_topics.get(key)
        if known is None:
            pages = np.zeros(n_pages, np.bool_)
            for topic in topics:
                info = _term_info(reader, "topics", topic.encode("utf-8", "replace"))
                if info is not None:
                    pages[self._read([(reader, 0, info)]).pages] = True
            if len(_of_topics) >= _MAX_REMEMBERED:
                _of_topics.clear()
            known = _of_topics[key] = np.packbits(pages)
        return np.unpackbits(known, count=n_pages).view(np.bool_)

    def _read(self, found: Iterable[_Place]) -> Postings:
        """Read postings, one after the other."""
        pages: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        weights: list[NDArray[np.float64]] = [np.empty(0)]
        values: list[bytes] = []
        for reader, offset, info in found:
            self._before_read()
            for steps, weight, kept in _blocks(reader._terms._postfile, info):
                pages.append(np.cumsum(steps) + offset)
                one = 1.0 if weight is None else weight
                weights.append(np.broadcast_to(np.asarray(one, np.float64), len(steps)))
                values.extend(kept or ())
        return Postings(np.concatenate(pages), np.concatenate(weights), values)


def _term_info(reader: Any, field: str, token: bytes) -> bytes | None:
    """What the term index of a segment keeps of a token; None if it does not have it."""
    terms = reader._terms
    info: bytes | None = terms._tindex.get(terms._keycoder(field, token))
    return info


def _blocks(
    file: Any, info: bytes
) -> Iterator[tuple[Sequence[int], float | Sequence[float] | None, Sequence[bytes] | None]]:
    """Yield the steps from page to page, the weights and the values of each block."""
    *_, offset, size = TERM.unpack(info)
    stream = BytesIO(file.get(offset, size))
    if stream.read(len(MAGIC)) != MAGIC:
        raise pickle.UnpicklingError("these are not postings")
    is_last = False
    while not is_last:
        (length,) = LENGTH.unpack(stream.read(LENGTH.size))
        # The length of the last block of a token is negative.
        is_last = length < 0
        end = stream.tell() + abs(length)
        compression = pickle.load(stream)[3]  # noqa: S301 - the folder is private to us
        content = stream.read(end - stream.tell())
        yield pickle.loads(zlib.decompress(content) if compression else content)  # noqa: S301


def _column(reader: Any, name: str, kind: str) -> NDArray[Any]:
    """The values of a column in each page of a segment; 0 where it has none."""
    column = np.zeros(reader.doc_count_all(), kind)
    if reader._perdoc.has_column(name):
        file, start, size = reader._perdoc._get_column_file(name)
        try:
            values = np.frombuffer(file.get(start, size), kind)
        finally:
            file.close()
        column[: len(values)] = values
    return column


def _joined(arrays: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate(arrays).astype(kind) if arrays else np.empty(0, kind)
