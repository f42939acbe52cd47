"""The terms of stored pages, counted once for repeated reads of the same pages."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, overload

from crawler.knowledge.page_matrix import PageMatrix
from crawler.models import Page, bulk
from crawler.models.web import unpack_terms
from crawler.page.parsed import PageTerms

#: Matrices of more pages are not kept. So many are judged at once when a person rates a page;
#: more are judged in the background.
MAX_PAGES: Final = 10_000
#: A block holds so many pages: about 25 MB of terms.
BLOCK_PAGES: Final = 1_000


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


def matrix_blocks(urls: Sequence[int], *, keep: bool) -> Iterator[tuple[slice, PageMatrix]]:
    """Yield the matrix of stored pages by the numbers of their URLs, and the places of its pages.

    With `keep`, at most `MAX_PAGES` pages make one matrix, which is kept for the next read. Else
    the terms of `BLOCK_PAGES` pages at most are in memory at once.
    """
    if keep and len(urls) <= MAX_PAGES:
        yield slice(0, len(urls)), stored_matrix(_packed_terms(urls))
        return
    for first in range(0, len(urls), BLOCK_PAGES):
        part = slice(first, min(first + BLOCK_PAGES, len(urls)))
        yield part, PageMatrix.of(PackedPages(_packed_terms(urls[part])))


def terms_of(urls: Sequence[int]) -> Sequence[PageTerms]:
    """Return the terms of stored pages by the numbers of their URLs; of others none."""
    return PackedPages(_packed_terms(urls))


def _packed_terms(urls: Sequence[int]) -> tuple[bytes, ...]:
    statement = f"SELECT url_id, packed_terms FROM {bulk.table(Page)} WHERE url_id IN"
    packed = {url: bytes(terms) for url, terms in bulk.select_among(statement, urls)}
    return tuple(packed.get(url, b"") for url in urls)


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
