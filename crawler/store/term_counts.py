"""How many of the pages that a crawl has seen hold each term: one stored value of the crawl."""

from collections.abc import Sequence

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.models import Crawl
from crawler.models.values import load_value, save_value
from crawler.page.parsed import PageTerms

_NAME = "library"
#: How many pages were counted when judges last had to read the counts again.
_NAME_TOLD = "library_told"

#: The counts that were stored last by this process, as stored and as they are read: with twenty
#: thousand terms, to read them takes longer than to count an interval's pages.
_stored_last: dict[int, tuple[bytes, DocumentFrequencies]] = {}


def load_term_counts(crawl: Crawl) -> DocumentFrequencies:
    """Return what is stored.

    If this process stored it, the terms are the same strings: two hundred thousand take 15 MB.
    """
    packed = load_value(crawl, _NAME)
    known = _stored_last.get(crawl.pk)
    if known is not None and known[0] == packed:
        return known[1].copy()
    return DocumentFrequencies.load(packed) if packed else DocumentFrequencies()


def count_terms(crawl: Crawl, pages: Sequence[PageTerms], *, n_kept: int, has_seed: bool) -> None:
    """Count each page once and store the counts.

    Judges must read them again if the counts have grown enough, or if one of the pages is a seed.
    """
    packed = load_value(crawl, _NAME)
    frequencies = _take(crawl, packed)
    before = frequencies.total
    frequencies.add(pages, n_kept=n_kept)
    last = load_value(crawl, _NAME_TOLD)
    is_new = frequencies.has_grown(int(last or b"0")) or has_seed
    if frequencies.total > before:
        packed = frequencies.dump()
        save_value(crawl, _NAME, packed, new_version=is_new)
    if is_new:
        save_value(crawl, _NAME_TOLD, str(frequencies.total).encode())
    if packed:
        # If this is not committed, other bytes are stored next time, and those are read.
        _stored_last.clear()
        _stored_last[crawl.pk] = packed, frequencies


def _take(crawl: Crawl, packed: bytes | None) -> DocumentFrequencies:
    """Return the counts that are stored as `packed`, for the caller alone."""
    known = _stored_last.pop(crawl.pk, None)
    if known is not None and known[0] == packed:
        return known[1]
    return DocumentFrequencies.load(packed) if packed else DocumentFrequencies()
