"""Write postings as Whoosh's own codec does, in a fraction of the time.

Whoosh calls half a dozen methods for each posting, compresses blocks of one, and hashes each token
by MD5. The files have Whoosh's own format: it reads short blocks that are not compressed, and
hashes by CRC-32, as well.
"""

import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter, sub
from pickle import dumps
from struct import Struct, pack
from typing import Any

from whoosh.codec import whoosh3
from whoosh.filedb import filetables
from whoosh.system import pack_ushort
from whoosh.util.numeric import length_to_byte
from whoosh.util.numlists import GrowableArray
from whoosh.writing import PostingPool

#: Longest block that is not worth compressing, in bytes.
SHORT_BLOCK = 200
#: Bytes of a posting in memory, beside its token and its value.
_OVERHEAD = 150
#: Written at once, in bytes.
_CHUNK_BYTES = 1 << 18
#: What the term index keeps of a token; last where its postings are, and their length.
TERM = Struct("!BfIBBfIIqi")
LENGTH = Struct("!i")
_LENGTHS = Struct("!ii")
MAGIC: bytes = whoosh3.WHOOSH3_HEADER_MAGIC
#: The number of CRC-32 among the hash functions of Whoosh.
_CRC = 1
#: The first protocol of pickle that has bytes; Whoosh writes the second, and reads any.
_PICKLE = 3

#: Field, token, page number, weight, value.
Posting = tuple[str, bytes, int, float, bytes]
#: Page number, weight, value.
Place = tuple[int, float, bytes]
#: A field, and its tokens in order, each with the pages that hold it, in order.
Field = tuple[str, Iterable[tuple[bytes, Sequence[Place]]]]


class QuickCodec(whoosh3.W3Codec):  # type: ignore[misc]
    """Whoosh's default codec with another writer."""

    def field_writer(self, storage: Any, segment: Any) -> "_FieldWriter":
        """Return what writes the postings of a segment."""
        return _FieldWriter(self, storage, segment)


class QuickPool(PostingPool):  # type: ignore[misc]
    """Collects postings by field and token, in memory as far as they fit."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._fields: dict[str, dict[bytes, list[Place]]] = {}

    def add(self, item: Posting) -> None:
        """Add a posting; those of one token come in the order of their pages."""
        field, token, *_ = item
        self.currentsize += _OVERHEAD + len(token) + len(item[4] or b"")
        if self.currentsize > self.limit:
            self.save()
        tokens = self._fields.get(field)
        if tokens is None:
            tokens = self._fields[field] = {}
        places = tokens.get(token)
        if places is None:
            tokens[token] = [item[2:]]
        else:
            places.append(item[2:])

    def save(self) -> None:
        """Write what is in memory to a file, in order."""
        self.current = [
            (field, token, *place)
            for field, tokens in sorted(self._fields.items())
            for token, places in sorted(tokens.items())
            for place in places
        ]
        self._fields = {}
        super().save()

    def iter_postings(self) -> Iterator[Field]:
        """Yield each field with its tokens, in order."""
        if not self.runs:
            return (
                (field, sorted(tokens.items())) for field, tokens in sorted(self._fields.items())
            )
        self.save()
        return (
            (field, _by_token(postings)) for field, postings in groupby(self.items(), itemgetter(0))
        )


def _by_token(postings: Iterable[Posting]) -> Iterator[tuple[bytes, list[Place]]]:
    for token, found in groupby(postings, itemgetter(1)):
        yield token, [posting[2:] for posting in found]


class _TermIndex(filetables.OrderedHashWriter):  # type: ignore[misc]
    """A hash file that is written in large pieces."""

    def __init__(self, file: Any) -> None:
        filetables.HashWriter.__init__(self, file, hashtype=_CRC)
        self.lastkey = b""
        self._positions: list[int] = []
        self._waiting = bytearray()
        self._written = file.tell()

    def add(self, key: bytes, value: bytes) -> None:
        """Add a key, greater than the one before, and its value."""
        if key <= self.lastkey:
            raise ValueError(f"keys must increase, got {key!r} after {self.lastkey!r}")
        waiting = self._waiting
        position = self._written + len(waiting)
        waiting += _LENGTHS.pack(len(key), len(value)) + key + value
        self._positions.append(position)
        hashed = zlib.crc32(key)
        self.buckets[hashed & 255].append((hashed, position))
        self.lastkey = key
        if len(waiting) > _CHUNK_BYTES:
            self._flush()

    def _write_extras(self) -> None:
        """Write the positions of all keys, among other facts."""
        self.index = GrowableArray("q")
        self.index.array = array("q", self._positions)
        super()._write_extras()

    def _flush(self) -> None:
        self.dbfile.write(bytes(self._waiting))
        self._written += len(self._waiting)
        self._waiting.clear()

    def _write_hashes(self) -> None:
        """Write the 256 tables in which Whoosh looks a key up by its hash."""
        self._flush()
        empty = (0, 0)
        for entries in self.buckets:
            n_slots = 2 * len(entries)
            self.directory.append((self.dbfile.tell(), n_slots))
            slots = [empty] * n_slots
            for entry in entries:
                slot = (entry[0] >> 8) % n_slots
                while slots[slot] is not empty:
                    slot = (slot + 1) % n_slots
                slots[slot] = entry
            self.dbfile.write(pack("!" + "Iq" * n_slots, *chain.from_iterable(slots)))


class _FieldWriter(whoosh3.W3FieldWriter):  # type: ignore[misc]
    _tindex: Any
    _fieldmap: dict[str, int]

    def __init__(self, codec: Any, storage: Any, segment: Any) -> None:
        super().__init__(codec, storage, segment)
        # The file is new and nothing was added: only its header is written again.
        file = self._tindex.dbfile
        file.seek(0)
        self._tindex = _TermIndex(file)
        self._fieldmap = self._tindex.extras["fieldmap"] = {}

    def add_postings(self, schema: Any, lengths: Any, items: Iterable[Field]) -> None:
        """Write the postings of each field."""
        for name, tokens in items:
            self.start_field(name, schema[name])
            self._add_field(tokens, _field_lengths(lengths, name))
            self.finish_field()

    def _add_field(
        self, tokens: Iterable[tuple[bytes, Sequence[Place]]], sizes: Sequence[int]
    ) -> None:
        """Write the postings of one field; `sizes` are its lengths in the pages of the segment."""
        prefix = pack_ushort(self._fieldid)
        levels = [length_to_byte(size) for size in sizes]
        blocks, start = bytearray(), self._postfile.tell()
        add, limit = self._tindex.add, self._codec._blocklimit
        # Most tokens are on one page, and many fields keep no value: their blocks are the same.
        of_one: dict[Place, tuple[bytes, tuple[float, ...]]] = {}
        for token, places in tokens:
            if len(places) == 1:
                place = places[0]
                known = of_one.get(place)
                if known is None:
                    known = self._block(places, levels)
                    if not place[2]:
                        of_one[place] = known
                block, facts = known
            elif len(places) > limit:
                self._postfile.write(bytes(blocks))
                blocks.clear()
                self._add_long(token, places, sizes)
                start = self._postfile.tell()
                continue
            else:
                block, facts = self._block(places, levels)
            add(prefix + token, TERM.pack(*facts, start + len(blocks), len(block)))
            blocks += block
            if len(blocks) > _CHUNK_BYTES:
                self._postfile.write(bytes(blocks))
                start += len(blocks)
                blocks.clear()
        self._postfile.write(bytes(blocks))

    def _add_long(self, token: bytes, places: Sequence[Place], sizes: Sequence[int]) -> None:
        """Write a token with postings for several blocks."""
        self.start_term(token)
        for page, weight, value in places:
            self.add(page, weight, value or b"", sizes[page])
        self.finish_term()

    def _block(
        self, places: Sequence[Place], levels: Sequence[int]
    ) -> tuple[bytes, tuple[float, ...]]:
        """The only block of a token, and what the term index keeps of it."""
        if len(places) == 1:
            ((first, most, value),) = places
            last, total, values = first, most, (value,)
            steps: tuple[int, ...] = (first,)
            shared: Any = most
            shortest = longest = levels[first]
        else:
            pages, weights, values = zip(*places, strict=True)
            first, last, most, total = pages[0], pages[-1], max(weights), sum(weights)
            steps = (first, *map(sub, pages[1:], pages))
            shared = most if min(weights) == most else weights
            known = [levels[page] for page in pages]
            shortest, longest = min(known), max(known)
        content = dumps((steps, None if shared == 1.0 else shared, self._stored(values)), _PICKLE)
        compression = 0
        if len(content) > SHORT_BLOCK:
            compression = self._codec._compression
            content = zlib.compress(content, compression)
        head = dumps((len(steps), last, most, compression, shortest, longest), _PICKLE)
        # The length of the last block of a token is negative.
        block = MAGIC + LENGTH.pack(-len(head) - len(content)) + head + content
        return block, (0, total, len(steps), shortest, longest, most, first, last)

    def _stored(self, values: Sequence[bytes]) -> Any:
        size = self._format.fixed_value_size()
        if size is None or size < 0:
            return tuple(values)
        return b"".join(values) if size else None


def _field_lengths(lengths: Any, field: str) -> Sequence[int]:
    """The length of a field in each page of a segment, in tokens."""
    return [lengths.doc_field_length(page, field) for page in range(lengths.doc_count_all())]
