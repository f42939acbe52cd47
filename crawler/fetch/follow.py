"""Follow a few redirects where no page is at stake: robots files, feeds, sitemaps."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from crawler.errors import FetchError
from crawler.fetch.config import MAX_REDIRECTS
from crawler.fetch.door import Door, Fetched
from crawler.page.url import shown_url
from crawler.reasons import Reason

_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


def fetch_following(
    door: Door,
    url: str,
    *,
    headers: Mapping[str, str] = _NO_HEADERS,
    cut_at: int | None = None,
) -> Fetched:
    """Fetch a URL and follow at most MAX_REDIRECTS redirects, each through the guard.

    `headers` go with the first request only: they were meant for that URL.

    Raises
    ------
    FetchError
        TOO_MANY_REDIRECTS, naming the loop if there is one, or what the door raises.
    """
    seen = []
    for _ in range(MAX_REDIRECTS + 1):
        fetched = door.fetch(url, headers=headers, cut_at=cut_at)
        if not fetched.redirect_to:
            return fetched
        seen.append(fetched.url)
        url, headers = fetched.redirect_to, _NO_HEADERS
        if url in seen:
            raise FetchError(
                Reason.TOO_MANY_REDIRECTS, f"{shown_url(seen[0])} leads back to {shown_url(url)}"
            )
    raise FetchError(
        Reason.TOO_MANY_REDIRECTS, f"{shown_url(seen[0])}: more than {MAX_REDIRECTS} hops"
    )
