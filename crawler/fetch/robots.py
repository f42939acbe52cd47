"""What a site's robots.txt allows us to fetch (RFC 9309)."""

from collections import OrderedDict
from contextlib import AbstractContextManager
from dataclasses import dataclass
from sys import getsizeof
from threading import Lock
from typing import Final, Literal

import brotli

from crawler.errors import FetchError
from crawler.fetch.config import AGENT, KIB
from crawler.fetch.door import Door, Fetched, status_refusal
from crawler.fetch.follow import fetch_following
from crawler.fetch.robots_match import PathRules
from crawler.fetch.robots_text import select_group
from crawler.page.url import canonical_url
from crawler.reasons import Reason

Verdict = Literal["rules", "allow_all", "forbid_all"]

#: RFC 9309, 2.5: at least 500 kibibytes are parsed.
MAX_ROBOTS_BYTES: Final = 500 * KIB
#: RFC 9309, 2.4: no cached copy is used for longer than a day.
CACHE_S: Final = 24 * 3600.0
#: How long a site rests whose rules could not be read.
UNREACHABLE_S: Final = 600.0

#: What is stored of a file: all of it, though many a line is stored a byte or two longer.
MAX_STORED_BYTES: Final = MAX_ROBOTS_BYTES * 5 // 4
#: What the rules that were last read may take in memory, for all sites together.
CACHE_BYTES: Final = 2 * 1024 * KIB
_MAX_SITEMAPS: Final = 50
_SITEMAP: Final = "Sitemap: "


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """A site's rules for us, small enough to store.

    Attributes
    ----------
    packed : bytes
        `text`, compressed: many are held at once.
    verdict : {"rules", "allow_all", "forbid_all"}
        Whether `text` decides, the site has no rules, or its rules cannot be fetched.
    crawl_delay_s : float or None
        The site's Crawl-delay, in seconds.
    sitemaps : tuple of str
        Canonical URLs, at most 50.
    expires_in_s : float
        How long this may be used after it was fetched, in seconds.
    detail : str
        What was seen, for people.
    cause : Reason or None
        Why the request failed; None if the site answered.
    """

    packed: bytes = b""
    verdict: Verdict = "rules"
    crawl_delay_s: float | None = None
    sitemaps: tuple[str, ...] = ()
    expires_in_s: float = CACHE_S
    detail: str = ""
    cause: Reason | None = None

    @property
    def text(self) -> str:
        """The allow and disallow lines that apply to us, under one agent line, and the sitemaps.

        At most `MAX_STORED_BYTES` in UTF-8; lines beyond are left out.
        """
        return unpack_rules(self.packed)

    def allows(self, url: str) -> bool:
        """True if the rules allow a canonical URL; /robots.txt itself always."""
        if self.verdict == "allow_all" or _path(url) == "/robots.txt":
            return True
        if self.verdict == "forbid_all":
            return False
        return _cache.rules_of(self.packed).allow(_path(url))


def fetch_robots(door: Door, site_url: str) -> RobotsRules:
    """Fetch and read the rules of the site a URL is on.

    No answer, a 5xx and (our choice) a 429 forbid everything for ten minutes
    or as long as Retry-After says; any other 4xx allows everything.
    """
    url = canonical_url("/robots.txt", site_url, any_port=True)
    try:
        fetched = fetch_following(door, url, cut_at=MAX_ROBOTS_BYTES)
    except FetchError as error:
        if error.reason is Reason.TOO_MANY_REDIRECTS:
            # RFC 9309, 2.3.1.2: after five hops the file counts as missing.
            return RobotsRules(verdict="allow_all", detail=str(error))
        return _unreachable(error.detail, error.retry_after_s, error.reason)
    return _read(fetched)


def parse_robots(body: bytes, agent: str = AGENT, *, base: str = "") -> RobotsRules:
    """Read a robots file as an agent must.

    Parameters
    ----------
    body : bytes
        The file; what is beyond 500 KiB is left out.
    agent : str
        Product token, compared without case.
    base : str, optional
        URL of the file, for sitemaps that are named by path only.
    """
    with _reading:
        group = select_group(body[:MAX_ROBOTS_BYTES], agent)
        sitemaps = _canonical_sitemaps(group.sitemaps, base)
        packed = pack_rules(_stored_text(group.rules, [f"{_SITEMAP}{url}" for url in sitemaps]))
    return RobotsRules(packed, crawl_delay_s=group.crawl_delay_s, sitemaps=sitemaps)


def pack_rules(text: str) -> bytes:
    """Compress rules for storage; nothing stays nothing."""
    # A file is text of few kinds of lines: the fastest level does nearly as well as any.
    packed: bytes = brotli.compress(text.encode(), quality=1) if text else b""
    return packed


def unpack_rules(packed: bytes) -> str:
    """Undo `pack_rules`."""
    text: bytes = brotli.decompress(packed) if packed else b""
    return text.decode()


def sitemaps_in(text: str) -> list[str]:
    """Return the sitemaps named in a stored `RobotsRules.text`."""
    lines = text.split("\n")
    return [line.removeprefix(_SITEMAP) for line in lines if line.startswith(_SITEMAP)]


def _read(fetched: Fetched) -> RobotsRules:
    status = fetched.status
    if 200 <= status < 300:
        return parse_robots(fetched.body, base=fetched.url)
    if 400 <= status < 500 and status != 429:
        return RobotsRules(verdict="allow_all", detail=f"answered {status}: no rules")
    refused = status_refusal(fetched)
    return _unreachable(f"answered {status}", refused.retry_after_s if refused else None)


def _unreachable(
    detail: str, retry_after_s: float | None = None, cause: Reason | None = None
) -> RobotsRules:
    rest_s = max(UNREACHABLE_S, retry_after_s or 0.0)
    return RobotsRules(verdict="forbid_all", expires_in_s=rest_s, detail=detail, cause=cause)


def _canonical_sitemaps(found: list[str], base: str) -> tuple[str, ...]:
    urls: dict[str, None] = {}
    for text in found:
        try:
            urls[canonical_url(text, base or None)] = None
        except FetchError:
            # A sitemap we may not or cannot fetch is none.
            continue
        if len(urls) == _MAX_SITEMAPS:
            break
    return tuple(urls)


def _stored_text(rules: list[str], sitemaps: list[str]) -> str:
    """Join two versions of a site's rules: each line once, as many as fit."""
    n_left = MAX_STORED_BYTES
    lines = []
    for line in ["User-agent: *", *sitemaps, *dict.fromkeys(rules)]:
        n_left -= len(line.encode()) + 1
        if n_left < 0:
            break
        lines.append(line)
    return "\n".join(lines) if len(lines) > 1 else ""


def _path(url: str) -> str:
    rest = url.partition("://")[2]
    return rest[rest.find("/") :] if "/" in rest else "/"


class RulesCache:
    """A cache of parsed rules; it drops those that were used longest ago.

    Parameters
    ----------
    max_bytes : int
        What rules, packed and parsed, may take together; the newest stay whatever they take.
    lock : Lock, optional
        Held while rules are parsed: what one file takes meanwhile, many at once would multiply.
    """

    def __init__(self, max_bytes: int, lock: AbstractContextManager[bool] | None = None) -> None:
        self._max_bytes = max_bytes
        self._rules: OrderedDict[bytes, PathRules] = OrderedDict()
        self._lock = lock or Lock()
        #: What they take now.
        self.n_bytes = 0

    def rules_of(self, packed: bytes) -> PathRules:
        """Return rules that were packed, parsed if they are not at hand."""
        with self._lock:
            if packed in self._rules:
                self._rules.move_to_end(packed)
                return self._rules[packed]
            rules = self._rules[packed] = PathRules(unpack_rules(packed))
            self.n_bytes += getsizeof(packed) + rules.n_bytes
            while self.n_bytes > self._max_bytes and len(self._rules) > 1:
                oldest, dropped = self._rules.popitem(last=False)
                self.n_bytes -= getsizeof(oldest) + dropped.n_bytes
            return rules


# One file is read or its rules parsed at a time: its lines take several times its size.
_reading = Lock()
_cache = RulesCache(CACHE_BYTES, _reading)
