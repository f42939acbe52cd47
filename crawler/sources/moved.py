"""Feeds and sitemaps that moved are known by the address that answers."""

from collections.abc import Iterable
from dataclasses import replace

from crawler.models import Crawl, FrontierEntry
from crawler.page.parsed import is_listing
from crawler.sources import registry
from crawler.sources.redirects import where_they_lead


def follow_moved(crawl: Crawl) -> None:
    """Know feeds and sitemaps that redirect by the address that answers, with all learnt so far.

    What they bring is linked from there. One that leads to something else, such as a page that
    says it is closed for today, keeps its address.
    """
    known = registry.load_sources(crawl)
    listings = [
        key for key, one in known.items() if one.kind in (registry.FEEDS, registry.SITEMAPS)
    ]
    led = where_they_lead(crawl, listings)
    entries = FrontierEntry.objects.filter(
        crawl=crawl, url__url__in=led.values(), ended__isnull=False
    )
    rows = entries.values_list("url__url", "ended", "url__page__flags")
    looked = {url: ended for url, ended, flags in rows if is_listing((flags or "").split(","))}
    moved = {key: end for key, end in led.items() if end in looked}
    if not moved:
        return
    after: dict[str, registry.KnownSource] = {}
    for key, one in known.items():
        end = moved.get(key)
        if end is None:
            after[key] = one
        elif end not in known and end not in after:
            state = replace(
                one.state, visited=looked[end], failures=0, failing_since=None, failed=None
            )
            after[end] = replace(one, state=state)
    registry.save_sources(crawl, after)


def without_known(crawl: Crawl, urls: Iterable[str]) -> list[str]:
    """Return those that are not known as sources already by the address they lead to."""
    named = list(urls)
    led = where_they_lead(crawl, named) if named else {}
    known = registry.load_sources(crawl) if led else {}
    return [url for url in named if led.get(url) not in known]
