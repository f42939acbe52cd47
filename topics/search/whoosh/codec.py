"""How Whoosh reads the files of a segment, which `topics.search.whoosh.terms` describes."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import numpy.typing as npt
from whoosh.codec import base, whoosh3
from whoosh.matching import ListMatcher
from whoosh.reading import TermInfo, TermNotFound

from topics.search.whoosh.columns import ColumnFile
from topics.search.whoosh.fields import SCORED, field_of, term_of
from topics.search.whoosh.terms import Span, TermFile


def stem_of(storage: Any, segment: Any) -> str:
    """Return the name of a segment's files without its last part."""
    return f"{storage.folder}/{segment.make_filename('')}"


class ArrayCodec(whoosh3.W3Codec):  # type: ignore[misc]
    """Whoosh's default codec, but for terms and postings."""

    def terms_reader(self, storage: Any, segment: Any) -> "ArrayTerms":
        """Return what reads the terms of a segment."""
        return ArrayTerms(storage, segment)

    def per_document_reader(self, storage: Any, segment: Any) -> "ArrayColumns":
        """Return what reads the columns of a segment."""
        return ArrayColumns(storage, segment)


class ArrayColumns(whoosh3.W3PerDocReader):  # type: ignore[misc]
    """The columns of a segment, for Whoosh."""

    def has_column(self, name: str) -> bool:
        """Return whether there is a column of this name."""
        return name == "key" or name in map(whoosh3._lenfield, SCORED)

    def column_reader(self, name: str, column: Any) -> list[int]:
        """Return a value for each page, as Whoosh's own columns have it."""
        stem = stem_of(self._storage, self._segment)
        with ColumnFile(stem, self._segment.doc_count_all()) as file:
            if name == "key":
                # Whoosh's numbers are without a sign, and in the same order.
                return [key + (1 << 63) for key in file.keys().tolist()]
            field = next(field for field in SCORED if whoosh3._lenfield(field) == name)
            levels: list[int] = file.levels(field).tolist()
            return levels


class ArrayTerms(base.TermsReader):  # type: ignore[misc]
    """The files of a segment; Whoosh reads its terms from them."""

    def __init__(self, storage: Any, segment: Any) -> None:
        stem = stem_of(storage, segment)
        # All at once, and before Whoosh opens anything: a commit may delete them a moment later.
        with ExitStack() as stack:
            self.columns = stack.enter_context(ColumnFile(stem, segment.doc_count_all()))
            self.file = stack.enter_context(TermFile(stem))
            self._files = stack.pop_all()

    def close(self) -> None:
        """Close the files."""
        self._files.close()

    def __contains__(self, term: tuple[str, bytes]) -> bool:
        return self._find(*term) is not None

    def indexed_field_names(self) -> set[str]:
        """Return the fields that have terms."""
        return {field for field, _ in self.terms()}

    def terms(self) -> Iterator[tuple[str, bytes]]:
        """Yield the field and the token of each term."""
        return (field_of(term) for term, _ in self.file.all_terms())

    def term_info(self, field: str, token: bytes) -> TermInfo:
        """Return what Whoosh wants to know of a term before it reads its postings."""
        return _info(self.file.postings(self._span(field, token)))

    def matcher(self, field: str, token: bytes, format_: Any, scorer: Any = None) -> ListMatcher:
        """Return what steps through the postings of a term."""
        span = self._span(field, token)
        records = self.file.postings(span)
        values = None
        if span.n_places:
            positions = self.file.positions(span).astype(np.uint32)
            ends = np.cumsum(records["weight"], dtype=np.int64)[:-1]
            values = [part.tobytes() for part in np.split(positions, ends)]
        return ListMatcher(
            records["page"].tolist(),
            records["weight"].astype(np.float64).tolist(),
            values,
            format_,
            scorer=scorer,
            term=(field, token),
            terminfo=_info(records),
        )

    def _span(self, field: str, token: bytes) -> Span:
        span = self._find(field, token)
        if span is None:
            raise TermNotFound(f"No term {field}:{token!r}")
        return span

    def _find(self, field: str, token: bytes) -> Span | None:
        return self.file.find(term_of(field, token.decode("utf-8")))


def _info(records: npt.NDArray[np.void]) -> TermInfo:
    pages, weights = records["page"], records["weight"]
    return TermInfo(
        weight=float(weights.sum()),
        df=len(pages),
        # Any bound will do, and the lengths are elsewhere.
        minlength=1,
        maxlength=whoosh3.byte_to_length(255),
        maxweight=float(weights.max()),
        minid=int(pages[0]),
        maxid=int(pages[-1]),
    )
