"""Seeds a person pasted."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from crawler.models import Crawl, FrontierEntry, Page
from crawler.revisit.sources import SourceState
from crawler.sources import registry
from crawler.sources.base import Found, Inquiry, each_once
from crawler.sources.redirects import where_they_lead
from crawler.sources.registry import KnownSource

#: What a page says it is, and the kind of source that makes it.
_KINDS: Final = {"feed": registry.FEEDS, "sitemap": registry.SITEMAPS}


class PastedUrls:
    """The seed URLs of the topic itself: pages, feeds or sitemaps."""

    name = registry.SEEDS

    def find(self, inquiry: Inquiry) -> Found:
        """Those worth a visit now, and pages at least daily; none that rests after a failure."""
        crawl, now = Crawl.objects.get(pk=inquiry.crawl_id), inquiry.now
        seeds = each_once(inquiry.profile.seeds)
        known = with_seeds(crawl, seeds, now)
        if known != registry.load_sources(crawl):
            registry.save_sources(crawl, known)
        due = registry.due(crawl, now)
        places = where_known(crawl, known, seeds)
        urls = tuple(url for url in seeds if _is_wanted(places[url], known, due, now))
        return Found(urls, registry.problems(crawl, self.name))


def _is_wanted(
    place: str, known: Mapping[str, KnownSource], due: Collection[str], now: datetime
) -> bool:
    if place in due:
        return True
    one = known[place]
    is_listing = one.kind in _KINDS.values()
    return not is_listing and registry.seed_is_due(one.state, now) and one.state.may_be_tried(now)


def where_known(crawl: Crawl, known: Collection[str], seeds: Collection[str]) -> dict[str, str]:
    """Return the address by which each seed is known: where it leads, if only that is."""
    led = where_they_lead(crawl, seeds)
    return {url: led[url] if url not in known and led.get(url) in known else url for url in seeds}


def with_seeds(crawl: Crawl, seeds: Sequence[str], now: datetime) -> dict[str, KnownSource]:
    """Return all sources after all looks, and the seeds among them; keeps nothing."""
    known = registry.load_sources(crawl)
    places = frozenset(where_known(crawl, known, seeds).values())
    named = {
        key: _as_named(one, key in places)
        for key, one in known.items()
        if one.kind != registry.SEEDS or key in places
    }
    new = places - named.keys()
    entries = FrontierEntry.objects.filter(crawl=crawl, url__url__in=new)
    found = dict(entries.values_list("url__url", "found"))
    # In the person's order.
    for url in (url for url in seeds if url in new):
        # The history of a URL from before it was a seed, or a source, counts.
        state = SourceState(
            min(found.get(url, now), now), registry.RATES[registry.SEEDS], named=True
        )
        named[url] = KnownSource(registry.SEEDS, state)
    return _as_listings(crawl, registry.after_visits(crawl, named))


def _as_named(one: KnownSource, named: bool) -> KnownSource:
    return one if one.state.named is named else replace(one, state=replace(one.state, named=named))


def _as_listings(crawl: Crawl, known: dict[str, KnownSource]) -> dict[str, KnownSource]:
    """Seeds that turned out to be feeds or sitemaps are sources with a rate of their own."""
    urls_of = registry.request_urls(crawl, known)
    looked = [key for key, one in known.items() if one.kind == registry.SEEDS and one.state.visited]
    pages = Page.objects.filter(url__url__in={urls_of[key] for key in looked}).exclude(flags="")
    flags = {url: names.split(",") for url, names in pages.values_list("url__url", "flags")}
    turned = {
        key: known[key].turned(kind)
        for key in looked
        for flag, kind in _KINDS.items()
        if flag in flags.get(urls_of[key], ())
    }
    return known | turned
