"""Fetch a URL that cannot exist once per site, to learn what the site shows for missing pages."""

from datetime import datetime, timedelta
from typing import Protocol

from crawler.errors import FetchError, ParseError
from crawler.fetch.door import Door, refusal
from crawler.page.duplicates.copies import is_near
from crawler.page.parsed import ParsedPage
from crawler.page.url import canonical_url, is_front_page
from crawler.reasons import TEMPORARY
from focusweb.clock import utc_now

#: Least pages to be fetched of a site; with fewer, the request is not worth its cost.
MIN_CLAIMS = 3
#: How long the answer counts.
VALID = timedelta(days=30)
RETRY = timedelta(days=1)


class PageParser(Protocol):
    """Turns bytes into a page; `crawler.sandbox.parse_pool` has two."""

    def parse(
        self,
        body: bytes,
        url: str,
        content_type: str,
        robots_header: str = "",
        site_frame: frozenset[int] = frozenset(),
    ) -> ParsedPage:
        """Parse, or raise ParseError."""


def missing_url(site_url: str, token: str) -> str:
    """Return a URL on a site that no page links to; `token` is random."""
    return canonical_url(f"/{token}", site_url, any_port=True)


def missing_fingerprint(door: Door, parser: PageParser, url: str) -> tuple[int, datetime, float]:
    """Return the SimHash of the page at a URL that cannot exist, and how long it is valid.

    0 if the site answers with an error, as it should, or redirects. The third value is the pause
    that the site requests, in seconds.
    """
    now = utc_now()
    try:
        fetched = door.fetch(url)
        refused = None if fetched.redirect_to else refusal(fetched)
        if refused is not None and refused.reason in TEMPORARY:
            # It says nothing of missing pages.
            return 0, now + RETRY, refused.retry_after_s or 0.0
        if fetched.redirect_to or refused is not None:
            return 0, now + VALID, 0.0
        headers = fetched.headers
        page = parser.parse(fetched.body, url, headers.get("content-type", ""))
    except FetchError:
        return 0, now + RETRY, 0.0
    except ParseError:
        return 0, now + VALID, 0.0
    return page.fingerprint, now + VALID, 0.0


def is_missing_page(page: ParsedPage, missing_print: int) -> bool:
    """True if a page is what its site shows where there is nothing.

    A front page never is: sites like to show theirs instead of an error.
    """
    return not is_front_page(page.url) and is_near(page.fingerprint, missing_print)
