"""Is a page one we have already, under another address?"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from crawler.page.parsed import ParsedPage
from crawler.page.url import host_of

#: Shorter texts agree by chance: "Log in to read on." is not one page.
MIN_CHARS: Final = 80
#: Differing bits of two fingerprints: pages that say the same, and pages of which one claims
#: to be a version of the other.
NEAR_BITS: Final = 3
CANONICAL_BITS: Final = 12
#: A page is compared with this many of its template.
N_COMPARED: Final = 8


@dataclass(frozen=True, slots=True)
class StoredPage:
    """As much of a page as it takes to recognise a copy.

    Attributes
    ----------
    key : int
        The URL's number on the blackboard.
    content_hash : str
        As `content_hash` gives it.
    fingerprint : int
        64-bit SimHash, unsigned.
    canonical : str
        What its rel=canonical says, if that is honoured; else "".
    """

    key: int
    url: str
    content_hash: str
    fingerprint: int
    canonical: str = ""


def content_hash(text: str) -> str:
    """Return a short hash of a page's text, to detect changes; 32 hexadecimal digits."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def stored_copy(key: int, page: ParsedPage) -> StoredPage:
    """Return what is kept of a page to recognise its copies."""
    return StoredPage(
        key, page.url, content_hash(page.text), page.fingerprint, honoured_canonical(page)
    )


def honoured_canonical(page: ParsedPage) -> str:
    """Return the page's rel=canonical if it names another page of the same host, else "".

    A page may not speak for other sites: otherwise anybody could take a page's place.
    """
    if not page.canonical or page.canonical == page.url:
        return ""
    return page.canonical if host_of(page.canonical) == host_of(page.url) else ""


def n_differing_bits(one: int, other: int) -> int:
    """Number of bits in which two fingerprints differ, 0 to 64."""
    return (one ^ other).bit_count()


def is_near(one: int, other: int, n_bits: int = NEAR_BITS) -> bool:
    """True if two fingerprints say that the texts are nearly the same; 0 is like nothing."""
    return bool(one and other) and n_differing_bits(one, other) <= n_bits


def is_version_of(copy: StoredPage, original: StoredPage) -> bool:
    """True if `copy` names `original` as its canonical address, and holds about the same text.

    Sites that name their front page as the canonical address of everything are wrong, and
    would lose all their pages (*Resolved*).
    """
    if copy.canonical != original.url or original.canonical == copy.url:
        return False
    same = copy.content_hash == original.content_hash
    return same or is_near(copy.fingerprint, original.fingerprint, CANONICAL_BITS)


def find_original(
    page: ParsedPage, me: StoredPage, kept: Iterable[StoredPage]
) -> StoredPage | None:
    """Return the stored page that this one is a copy of; None if there is none.

    Parameters
    ----------
    me : StoredPage
        The same page, as it will be stored.
    kept : iterable of StoredPage
        Kept pages that may be the original: of the same text, or its canonical address.
    """
    for other in kept:
        if other.key == me.key:
            continue
        same_text = len(page.text) >= MIN_CHARS and other.content_hash == me.content_hash
        if same_text or is_version_of(me, other):
            return other
    return None


def is_repeat(page: StoredPage, seen: Iterable[StoredPage]) -> bool:
    """True if a page says nearly what one of the pages seen before says.

    That alone makes it no copy: of a long menu and two lines of news the menu decides.
    """
    return any(
        other.key != page.key and is_near(other.fingerprint, page.fingerprint) for other in seen
    )
