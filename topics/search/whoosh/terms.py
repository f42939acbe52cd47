"""Terms of a segment and their postings, as arrays in files.

A term is a byte that stands for its field, and a token. Postings of a term stand side by side, and
terms in order, so a beginning of words is one piece of each file. Three files hold a segment:

- `.trm`: blocks of terms with the number of their postings and positions, then the first term and
  the place of each block;
- `.pst`: a page and a weight for each posting;
- `.pos`: positions, as many for each posting as it weighs, of fields that have any.

Files are read, not mapped into memory: a process ends if a mapped file is cut.
"""

import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from struct import Struct
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike

from topics.search.whoosh.chunks import Chunk, Numbers, span_of

TERMS, POSTINGS, POSITIONS = ".trm", ".pst", ".pos"
#: Terms of a block, one of which is read for each search of a term.
BLOCK = 64
#: Blocks of the largest file whose terms are merged at once.
BLOCKS_AT_ONCE = 256
#: Between terms: no byte of UTF-8, and after all of them in order.
GAP = b"\xff"
#: The number of a block's first posting, of its first position, and of its terms.
_BLOCK_HEAD = Struct("<QQI")
#: Where the places of the blocks begin, how many there are, and the sizes of a page, weight and
#: position in bytes.
_TAIL = Struct("<4sQQBBB")
_MAGIC = b"trm4"
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
#: Segments whose first terms are remembered; they never change.
_MAX_REMEMBERED = 256


class TermWriter:
    """Writes the files of a segment; chunks come in the order of their terms.

    Parameters
    ----------
    stem : str
        The path of the files without the last part of their name.
    page, weight, position : dtype
        The types in which numbers are stored.
    """

    def __init__(
        self, stem: str, *, page: DTypeLike, weight: DTypeLike, position: DTypeLike
    ) -> None:
        self._page, self._weight = np.dtype(page), np.dtype(weight)
        self._position = np.dtype(position).newbyteorder("<")
        self._record = _record(self._page, self._weight)
        self._n_postings = self._n_positions = 0
        self._firsts: list[bytes] = []
        self._places: list[int] = []
        with ExitStack() as stack:
            self._terms, self._postings, self._positions = (
                stack.enter_context(Path(f"{stem}{part}").open("wb"))
                for part in (TERMS, POSTINGS, POSITIONS)
            )
            self._files = stack.pop_all()

    def append(self, chunk: Chunk) -> None:
        """Write terms, each greater than those before."""
        records = np.empty(len(chunk.pages), self._record)
        records["page"], records["weight"] = chunk.pages, chunk.weights
        self._postings.write(records.tobytes())
        self._positions.write(chunk.positions.astype(self._position).tobytes())
        n_pages, n_places = chunk.n_pages.astype("<u4"), chunk.n_places.astype("<u4")
        for start in range(0, len(chunk.terms), BLOCK):
            block = slice(start, start + BLOCK)
            terms = chunk.terms[block]
            self._firsts.append(terms[0])
            self._places.append(self._terms.tell())
            head = _BLOCK_HEAD.pack(self._n_postings, self._n_positions, len(terms))
            counts = n_pages[block].tobytes() + n_places[block].tobytes()
            self._terms.write(head + counts + GAP + GAP.join(terms) + GAP)
            self._n_postings += int(n_pages[block].sum(dtype=np.int64))
            self._n_positions += int(n_places[block].sum(dtype=np.int64))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._files.__exit__(*error)

    def finish(self) -> None:
        """Write where the blocks are."""
        end = self._terms.tell()
        self._terms.write(np.array([*self._places, end], "<u8").tobytes())
        self._terms.write(GAP.join(self._firsts))
        sizes = (kind.itemsize for kind in (self._page, self._weight, self._position))
        self._terms.write(_TAIL.pack(_MAGIC, end, len(self._firsts), *sizes))


def _record(page: np.dtype[Any], weight: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype([("page", page.newbyteorder("<")), ("weight", weight.newbyteorder("<"))])


@dataclass(frozen=True, slots=True)
class Span:
    """Postings side by side: the first one's number and how many, and those of positions."""

    start: int
    n_pages: int
    place: int
    n_places: int


@dataclass(frozen=True, slots=True)
class _Index:
    """Where the blocks of a file are, and how numbers are stored."""

    firsts: list[bytes]
    places: list[int]
    record: np.dtype[Any]
    position: np.dtype[Any]


class TermFile:
    """Reads the files of a segment."""

    def __init__(self, stem: str) -> None:
        with ExitStack() as stack:
            self._terms, self._postings, self._positions = (
                # Unbuffered: each read is of the bytes that are wanted.
                stack.enter_context(Path(f"{stem}{part}").open("rb", buffering=0))
                for part in (TERMS, POSTINGS, POSITIONS)
            )
            status = os.fstat(self._terms.fileno())
            self._index = _index_of(
                f"{stem}{TERMS}", status.st_ino, status.st_size, status.st_mtime_ns
            )
            self._files = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        self._files.close()

    @property
    def kinds(self) -> tuple[np.dtype[Any], np.dtype[Any], np.dtype[Any]]:
        """The types in which pages, weights and positions are stored."""
        return self._index.record["page"], self._index.record["weight"], self._index.position

    @property
    def boundaries(self) -> list[bytes]:
        """Terms between which as many stand as are merged at once."""
        return self._index.firsts[BLOCKS_AT_ONCE::BLOCKS_AT_ONCE]

    @property
    def n_blocks(self) -> int:
        """How many blocks of terms there are."""
        return len(self._index.firsts)

    def find(self, term: bytes) -> Span | None:
        """Where the postings of a term are; None if there is none."""
        number = bisect_right(self._index.firsts, term) - 1
        if number < 0:
            return None
        (block,) = self._blocks(number, number + 1)
        found = block.find(term)
        return None if found is None else block.span(found, found + 1)

    def find_from(self, beginning: bytes) -> Span:
        """Where the postings of all terms that begin so are."""
        low, high = self._edge(beginning), self._edge(beginning + GAP)
        return Span(low[0], high[0] - low[0], low[1], high[1] - low[1])

    def postings(self, span: Span) -> Numbers:
        """Postings as records of `page` and `weight`."""
        kind = self._index.record
        return read_array(self._postings.fileno(), kind, span.start * kind.itemsize, span.n_pages)

    def positions(self, span: Span) -> Numbers:
        """Positions, one posting after the other."""
        kind = self._index.position
        return read_array(self._positions.fileno(), kind, span.place * kind.itemsize, span.n_places)

    def chunk(self, first: bytes, beyond: bytes) -> Chunk:
        """Read the terms from one on and before another, with their postings."""
        low = max(bisect_right(self._index.firsts, first) - 1, 0)
        high = max(bisect_left(self._index.firsts, beyond), low)
        blocks = list(self._blocks(low, high))
        n_pages, n_places = (
            np.concatenate([np.empty(0, np.int64), *(getattr(block, name) for block in blocks)])
            for name in ("n_pages", "n_places")
        )
        start, place = (blocks[0].start, blocks[0].place) if blocks else (0, 0)
        span = Span(start, int(n_pages.sum()), place, int(n_places.sum()))
        records = self.postings(span)
        terms = [term for block in blocks for term in block.terms]
        whole = Chunk(
            terms, n_pages, n_places, records["page"], records["weight"], self.positions(span)
        )
        return whole.between(first, beyond)

    def all_terms(self) -> Iterator[tuple[bytes, Span]]:
        """Yield each term and where its postings are, in order."""
        for block in self._blocks(0, self.n_blocks):
            for number, term in enumerate(block.terms):
                yield term, block.span(number, number + 1)

    def _edge(self, term: bytes) -> tuple[int, int]:
        """How many postings and positions the terms before one have."""
        number = bisect_right(self._index.firsts, term) - 1
        if number < 0:
            return 0, 0
        (block,) = self._blocks(number, number + 1)
        before = block.span(0, bisect_left(block.terms, term))
        return before.start + before.n_pages, before.place + before.n_places

    def _blocks(self, low: int, high: int) -> Iterator["_Block"]:
        places = self._index.places[low : high + 1]
        if low >= high:
            return
        data = _pread(self._terms.fileno(), places[0], places[-1] - places[0])
        for start, end in pairwise(places):
            yield _Block.read(data[start - places[0] : end - places[0]])


@dataclass(frozen=True, slots=True)
class _Block:
    """Terms between gaps, and where their postings are."""

    start: int
    place: int
    n_pages: Numbers
    n_places: Numbers
    text: bytes

    @classmethod
    def read(cls, data: bytes) -> Self:
        start, place, n_terms = _BLOCK_HEAD.unpack_from(data)
        counts = np.frombuffer(data, "<u4", 2 * n_terms, _BLOCK_HEAD.size)
        text = data[_BLOCK_HEAD.size + counts.nbytes :]
        return cls(start, place, counts[:n_terms], counts[n_terms:], text)

    @property
    def terms(self) -> list[bytes]:
        return self.text[1:-1].split(GAP)

    def find(self, term: bytes) -> int | None:
        """Return the number of a term in the block."""
        place = self.text.find(GAP + term + GAP)
        return None if place < 0 else self.text.count(GAP, 0, place)

    def span(self, low: int, high: int) -> Span:
        pages, places = span_of(self.n_pages, low, high), span_of(self.n_places, low, high)
        return Span(
            self.start + pages.start,
            pages.stop - pages.start,
            self.place + places.start,
            places.stop - places.start,
        )


@lru_cache(maxsize=_MAX_REMEMBERED)
def _index_of(name: str, inode: int, size: int, changed_ns: int) -> _Index:
    """Read where the blocks of a file are; remembered for as long as the file is the same."""
    with Path(name).open("rb", buffering=0) as file:
        return _read_index(file.fileno(), size)


def _read_index(file: int, size: int) -> _Index:
    tail = _pread(file, size - _TAIL.size, _TAIL.size)
    magic, start, n_blocks, page, weight, position = _TAIL.unpack(tail)
    if magic != _MAGIC:
        raise ValueError("these are not the terms of a segment")
    places = read_array(file, np.dtype("<u8"), start, n_blocks + 1).tolist()
    firsts_at = start + 8 * (n_blocks + 1)
    firsts = _pread(file, firsts_at, size - _TAIL.size - firsts_at).split(GAP) if n_blocks else []
    if len(firsts) != n_blocks:
        raise ValueError(f"{n_blocks} blocks, but {len(firsts)} first terms")
    record = _record(np.dtype(_UNSIGNED[page]), np.dtype(_UNSIGNED[weight]))
    return _Index(firsts, places, record, np.dtype(_UNSIGNED[position]).newbyteorder("<"))


def read_array(file: int, kind: np.dtype[Any], start: int, count: int) -> Numbers:
    """Read some numbers that begin at a byte of a file."""
    return np.frombuffer(_pread(file, start, count * kind.itemsize), kind)


def _pread(file: int, start: int, size: int) -> bytes:
    data = os.pread(file, size, start)
    if len(data) != size:
        raise EOFError(f"the file ends after {len(data)} of {size} bytes at {start}")
    return data
