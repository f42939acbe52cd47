"""Whether seeds can be fetched at all, found out within a few seconds."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final

from crawler.crawl.worker import fetch_config, may_fetch
from crawler.fetch.config import Limits
from crawler.fetch.door import Door
from crawler.fetch.robots import fetch_robots
from crawler.page.url import host_of, site_of
from crawler.reasons import Reason

#: Sites that are tried at most, and how long each may take in seconds.
MAX_SITES: Final = 8
PATIENCE_S: Final = 4.0


def find_unreachable(urls: Iterable[str]) -> dict[str, Reason]:
    """Fetch the robots.txt of each site and return the URLs that no run could fetch now.

    Robots files alone are fetched, each once; only the first `MAX_SITES` sites are tried. Without a
    contact page, the first `MAX_SITES` sites outside the test map are named and not tried.

    Parameters
    ----------
    urls : iterable of str
        Canonical.
    """
    allowed: dict[str, list[str]] = {}
    refused: dict[str, list[str]] = {}
    for url in urls:
        by_site = allowed if may_fetch(host_of(url)) else refused
        by_site.setdefault(site_of(url), []).append(url)
    unreachable = dict.fromkeys(
        (url for same in list(refused.values())[:MAX_SITES] for url in same), Reason.NO_CONTACT
    )
    tried = list(allowed.values())[:MAX_SITES]
    if not tried:
        return unreachable
    config = fetch_config()
    limits = Limits(
        resolve_s=PATIENCE_S / 2,
        connect_s=PATIENCE_S / 2,
        first_byte_s=PATIENCE_S,
        exchange_s=PATIENCE_S,
    )
    with (
        Door(replace(config, limits=limits)) as door,
        ThreadPoolExecutor(max_workers=len(tried)) as threads,
    ):
        found = threads.map(lambda same: _reasons(door, same), tried)
        return unreachable | {url: reason for reasons in found for url, reason in reasons.items()}


def _reasons(door: Door, urls: list[str]) -> dict[str, Reason]:
    """Why those of one site cannot be fetched."""
    rules = fetch_robots(door, urls[0])
    if rules.verdict == "forbid_all":
        return dict.fromkeys(urls, rules.cause or Reason.ROBOTS_UNREACHABLE)
    return {url: Reason.ROBOTS_FORBIDDEN for url in urls if not rules.allows(url)}
