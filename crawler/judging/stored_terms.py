"""The terms of stored pages, counted once for repeated reads of the same pages."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, overload

from crawler.knowledge.page_matrix import PageMatrix
from crawler.models.web import unpack_terms
from crawler.page.parsed import PageTerms

#: Matrices of more pages are not kept. So many are judged at once when a person rates a page;
#: more are judged in the background.
MAX_PAGES: Final = 10_000


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


def stored_matrix(packed: tuple[bytes, ...]) -> PageMatrix:
    """Return the matrix of some pages by their packed terms; about 10 kB a page.

    The last two of at most `MAX_PAGES` pages are kept in memory. A matrix follows from the terms
    alone, so that what another process stores meanwhile makes another key.
    """
    if len(packed) > MAX_PAGES:
        return PageMatrix.of(PackedPages(packed))
    return _cached_matrix(packed)


@lru_cache(maxsize=2)
def _cached_matrix(packed: tuple[bytes, ...]) -> PageMatrix:
    return PageMatrix.of(PackedPages(packed))
