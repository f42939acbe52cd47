"""Writes a Whoosh index: each commit makes one segment, of new pages and of segments merged."""

from collections.abc import Collection, Iterator
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from whoosh.index import TOC, clean_files
from whoosh.writing import MERGE_SMALL

from focusweb.failpoints import pass_point
from topics.search.document import Document
from topics.search.whoosh.chunks import merged
from topics.search.whoosh.codec import ArrayCodec, stem_of
from topics.search.whoosh.columns import LENGTHS, ColumnFile, Levels, levels_of, write_columns
from topics.search.whoosh.fields import SCORED, PostingsCollector
from topics.search.whoosh.terms import GAP, TermFile, TermWriter


class Writer:
    """Puts pages into an index and takes others out; nothing is seen of it before the commit."""

    def __init__(self, index: Any) -> None:
        toc = index._read_toc()
        self.storage, self.schema = index.storage, toc.schema
        self._name, self._generation = index.indexname, toc.generation + 1
        self._segments = toc.segments
        self._added = PostingsCollector()
        self._merged: list[Any] = []

    def delete(self, ids: Collection[int]) -> None:
        """Take pages out."""
        wanted = np.array(list(ids), np.int64)
        for segment in self._segments:
            with self._columns(segment) as file:
                found = np.isin(file.keys(), wanted)
            for page in np.flatnonzero(found).tolist():
                segment.delete_document(page)

    def add(self, document: Document) -> None:
        """Put a page in."""
        self._added.add(document)

    def add_reader(self, reader: Any) -> None:
        """Put the pages of a segment in; Whoosh's policy calls this for each one to merge."""
        self._merged.append(reader.segment())

    def commit(self) -> None:
        """Merge small segments, write the new one, and make it part of the index."""
        segments = MERGE_SMALL(self, self._segments)
        segment = self._write()
        if segment is not None:
            segments = [*segments, segment]
        pass_point("index.segment")
        TOC(self.schema, segments, self._generation).write(self.storage, self._name)
        clean_files(self.storage, self._name, self._generation, segments)
        pass_point("index.toc")

    def _write(self) -> Any:
        """Write a segment; None if it would have no page."""
        lives = [_live(segment) for segment in self._merged]
        n_old = int(sum(live.sum() for live in lives))
        n_pages = n_old + len(self._added.keys)
        if not n_pages:
            return None
        segment = ArrayCodec().new_segment(self.storage, self._name)
        segment.set_doc_count(n_pages)
        self._write_columns(segment, lives)
        self._write_terms(segment, _numbered(lives), n_old)
        return segment

    def _write_columns(self, segment: Any, lives: list[NDArray[np.bool_]]) -> None:
        keys: list[NDArray[np.int64]] = []
        levels: dict[str, list[Levels]] = {field: [] for field in SCORED}
        for part, live in zip(self._merged, lives, strict=True):
            with self._columns(part) as file:
                keys.append(file.keys()[live])
                for field, found in levels.items():
                    found.append(file.levels(field)[live])
        totals = {
            field: sum(int(LENGTHS[some].sum()) for some in found)
            for field, found in levels.items()
        }
        lengths = self._added.lengths
        segment._fieldlengths = {field: totals[field] + sum(lengths[field]) for field in SCORED}
        write_columns(
            stem_of(self.storage, segment),
            np.concatenate([*keys, np.array(self._added.keys, np.int64)]),
            {
                field: np.concatenate([*found, levels_of(lengths[field])])
                for field, found in levels.items()
            },
        )

    def _columns(self, segment: Any) -> ColumnFile:
        return ColumnFile(stem_of(self.storage, segment), segment.doc_count_all())

    def _write_terms(self, segment: Any, numbers: list[NDArray[np.int64]], n_old: int) -> None:
        new = self._added.chunk()
        with ExitStack() as stack:
            old = [
                (stack.enter_context(TermFile(stem_of(self.storage, part))), renumber)
                for part, renumber in zip(self._merged, numbers, strict=True)
            ]
            kinds = [file.kinds for file, _ in old]
            last_page = segment.doc_count_all() - 1
            writer = stack.enter_context(
                TermWriter(
                    stem_of(self.storage, segment),
                    page=np.min_scalar_type(last_page),
                    weight=np.result_type(_kind_of(new.weights), *(kind[1] for kind in kinds)),
                    position=np.result_type(_kind_of(new.positions), *(kind[2] for kind in kinds)),
                )
            )
            for first, beyond in _ranges([file for file, _ in old]):
                parts = [file.chunk(first, beyond).renumbered(renumber) for file, renumber in old]
                some = new.between(first, beyond)
                parts.append(some.renumbered(np.arange(n_old, n_old + len(self._added.keys))))
                writer.append(merged(parts))
            writer.finish()


def _live(segment: Any) -> NDArray[np.bool_]:
    live = np.ones(segment.doc_count_all(), np.bool_)
    live[np.fromiter(segment.deleted_docs(), np.int64)] = False
    return live


def _numbered(lives: list[NDArray[np.bool_]]) -> list[NDArray[np.int64]]:
    """The new number of each page of some segments, -1 if it is deleted."""
    numbers, n_before = [], 0
    for live in lives:
        numbers.append(np.where(live, np.cumsum(live) - 1 + n_before, -1))
        n_before += int(live.sum())
    return numbers


def _ranges(files: list[TermFile]) -> Iterator[tuple[bytes, bytes]]:
    """Ranges of terms, small enough to be merged in memory."""
    largest = max(files, key=lambda file: file.n_blocks, default=None)
    inner = largest.boundaries if largest else []
    return pairwise([b"", *inner, GAP])


def _kind_of(values: NDArray[Any]) -> np.dtype[Any]:
    return np.min_scalar_type(int(values.max(initial=0)))
