"""The terms of stored pages, counted once for repeated reads of the same pages."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import overload

from crawler.knowledge.page_matrix import PageMatrix
from crawler.models.web import unpack_terms
from crawler.page.parsed import PageTerms


class PackedPages(Sequence[PageTerms]):
    """Pages that are unpacked on each access: unpacked they take ten times the room.

    Parameters
    ----------
    packed : sequence of bytes
        As `crawler.models.web.pack_terms` gives them.
    """

    def __init__(self, packed: Sequence[bytes]) -> None:
        self._packed = packed

    def __len__(self) -> int:
        return len(self._packed)

    def __iter__(self) -> Iterator[PageTerms]:
        return map(unpack_terms, self._packed)

    @overload
    def __getitem__(self, place: int) -> PageTerms: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[PageTerms]: ...

    def __getitem__(self, place: int | slice) -> PageTerms | Sequence[PageTerms]:
        if isinstance(place, slice):
            return PackedPages(self._packed[place])
        return unpack_terms(self._packed[place])


@lru_cache(maxsize=2)
def stored_matrix(packed: tuple[bytes, ...]) -> PageMatrix:
    """The matrix of some pages by their packed terms; about 10 kB a page."""
    return PageMatrix.of(PackedPages(packed))
