"""URLs that a site can create without end, recognised by their spelling alone."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from crawler.page.url import MAX_REMEMBERED, site_of

#: A path with this many equal segments that are not numbers, or with more segments at all.
MAX_REPEATS: Final = 3
MAX_SEGMENTS: Final = 10
#: Queries that grow: more parameters, or more characters, or one pair this often.
MAX_PARAMETERS: Final = 12
MAX_QUERY_CHARS: Final = 1024
#: Distinct URLs of one template that a run enters.
MAX_PER_TEMPLATE: Final = 500
#: A template that gave so many pages, this share of them nothing new, waits until last.
LEAST_FETCHED: Final = 5
STALE_SHARE: Final = 0.8

_DIGITS = re.compile(r"[0-9]+")
# A word of letters and digits mixed: an id, whatever its alphabet.
_ID = re.compile(r"\b(?=[a-z]*[0-9])(?=[0-9]*[a-z])[a-z0-9]{8,}\b", re.IGNORECASE)
_COOKIELESS = re.compile(r"/\([a-z]\([0-9a-z]{16,}\)\)/", re.IGNORECASE)
# Year and month that fill segments or a value; "net-zero-2050/3-ways" is not a date.
_DATE = re.compile(r"(?:^|[/=])([12][0-9]{3})[-/.](?:0?[1-9]|1[0-2])(?:[-/.][0-9]{1,2})?(?=[/&]|$)")
_YEAR = re.compile(r"[?&](?:y|yr|year|jahr|annee|ano)=([0-9]{4})(?![0-9])", re.IGNORECASE)


# A menu's links come with every page.
@lru_cache(maxsize=MAX_REMEMBERED)
def find_trap(url: str, year: int) -> str:
    """Say what makes a canonical URL look like one of endlessly many; "" if nothing does.

    Parameters
    ----------
    url : str
        Canonical.
    year : int
        The present one: calendars are not followed beyond the next.
    """
    path, _, query = _target(url).partition("?")
    segments = [segment for segment in path.split("/") if segment]
    if len(segments) > MAX_SEGMENTS:
        return f"{len(segments)} path segments"
    words = Counter(segment for segment in segments if not segment.isdigit())
    word, count = max(words.items(), key=lambda item: item[1], default=("", 0))
    if count >= MAX_REPEATS:
        return f"{word[:40]!r} {count} times in the path"
    if _COOKIELESS.search(path):
        return "a session in the path"
    return _query_trap(query) or _calendar_trap(path, query, year)


def _query_trap(query: str) -> str:
    if len(query) > MAX_QUERY_CHARS:
        return f"a query of {len(query)} characters"
    pairs = query.split("&") if query else []
    if len(pairs) > MAX_PARAMETERS:
        return f"{len(pairs)} parameters"
    pair, count = max(Counter(pairs).items(), key=lambda item: item[1], default=("", 0))
    return f"{pair[:40]!r} {count} times in the query" if count >= MAX_REPEATS else ""


def _calendar_trap(path: str, query: str, year: int) -> str:
    dates = [*_DATE.findall(path), *_DATE.findall(query), *_YEAR.findall(f"?{query}")]
    latest = max(map(int, dates), default=0)
    return f"a calendar in the year {latest}" if latest > year + 1 else ""


def template_of(url: str) -> str:
    """Name what a canonical URL has in common with its kind; "" if it is one of its own kind.

    Numbers and ids become "#", and of the query only the sorted names stay: the days of a
    calendar and the filters of a list are one template each.
    """
    path, mark, query = _target(url).partition("?")
    shape = _DIGITS.sub("#", _ID.sub("#", path))
    if not mark and shape == path:
        return ""
    names = sorted({_DIGITS.sub("#", pair.partition("=")[0]) for pair in query.split("&")})
    return f"{site_of(url)}{shape}{mark}{'&'.join(names)}"


@lru_cache(maxsize=MAX_REMEMBERED)
def template_key(url: str) -> int:
    """Number the template of a canonical URL, in [1, 2**63); 0 if it has none."""
    template = template_of(url)
    if not template:
        return 0
    digest = blake2b(template.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1 or 1


@dataclass(frozen=True, slots=True)
class TemplateTally:
    """What a run has seen of one template.

    Attributes
    ----------
    n_urls : int
        Distinct URLs entered.
    n_fetched, n_stale : int
        Pages fetched, and those of them that were copies of others.
    """

    n_urls: int = 0
    n_fetched: int = 0
    n_stale: int = 0

    @property
    def n_free(self) -> int:
        """URLs that may still be entered."""
        return max(0, MAX_PER_TEMPLATE - self.n_urls)

    @property
    def is_mostly_stale(self) -> bool:
        """True if its pages hardly ever held anything new."""
        return self.n_fetched >= LEAST_FETCHED and self.n_stale >= STALE_SHARE * self.n_fetched


def _target(url: str) -> str:
    rest = url.partition("://")[2]
    return rest[rest.index("/") :]
