"""Feeds that kept pages name in their heads: looked at first in every later run."""

from collections.abc import Iterable
from datetime import datetime

import msgspec
from django.db.models import Count

from crawler.agents.knowing import load_value, save_value
from crawler.models import Crawl, FrontierEntry, Harvest, Link
from crawler.page.parsed import ParsedPage
from crawler.page.url import site_of
from crawler.revisit.rate import FEED
from crawler.revisit.sources import SourceState, visit_order
from crawler.sources.base import Found, Inquiry

#: Feeds a crawl remembers, and those of one site among them.
MAX_FEEDS = 500
MAX_PER_SITE = 3
#: A run looks at so many: those that may bring most for a request.
MAX_PER_RUN = 40

_NAME = "feeds"
_decode = msgspec.msgpack.Decoder(dict[str, SourceState]).decode


class KnownFeeds:
    """The feeds of a crawl's kept pages that are worth most now."""

    name = "feeds"

    def find(self, inquiry: Inquiry) -> Found:
        """Learn from what the last looks brought, then choose; a failing feed is told."""
        crawl = Crawl.objects.get(pk=inquiry.crawl_id)
        before = known_feeds(crawl)
        states = _caught_up(crawl, before)
        if states != before:
            _save(crawl, states)
        problems = [
            f"The feed {url} has failed {state.failures} times since"
            f" {state.failing_since:%Y-%m-%d %H:%M} UTC"
            for url, state in states.items()
            if state.failing_since
        ]
        chosen = visit_order(states, inquiry.now)[:MAX_PER_RUN]
        return Found(tuple(chosen), tuple(problems))


def known_feeds(crawl: Crawl) -> dict[str, SourceState]:
    """The feeds noted for a crawl, by address, in the order they were found."""
    packed = load_value(crawl, _NAME)
    return _decode(packed) if packed else {}


def note_feeds(crawl: Crawl, pages: Iterable[ParsedPage], now: datetime) -> None:
    """Remember the first feed that each page names; the others are of comments or parts."""
    named = dict.fromkeys(page.feeds[0] for page in pages if page.feeds)
    if not named:
        return
    known = known_feeds(crawl)
    n_before = len(known)
    for url in named:
        n_of_site = sum(site_of(other) == site_of(url) for other in known)
        if url not in known and n_of_site < MAX_PER_SITE and len(known) < MAX_FEEDS:
            known[url] = SourceState(now, FEED)
    if len(known) > n_before:
        _save(crawl, known)


def _save(crawl: Crawl, states: dict[str, SourceState]) -> None:
    save_value(crawl, _NAME, msgspec.msgpack.encode(states))


def _caught_up(crawl: Crawl, states: dict[str, SourceState]) -> dict[str, SourceState]:
    """The states after the looks that the frontier tells of."""
    entries = FrontierEntry.objects.filter(crawl=crawl, url__url__in=states).exclude(ended=None)
    looked = {entry.url_id: entry for entry in entries.select_related("url")}
    listed = dict(
        Link.objects.filter(source_id__in=looked)
        .values("source_id")
        .annotate(n=Count("target_id"))
        .values_list("source_id", "n")
    )
    after = dict(states)
    for key, entry in looked.items():
        state = states[entry.url.url]
        if entry.ended is None or entry.ended <= max(state.visited or state.since, state.since):
            continue
        if entry.state == FrontierEntry.State.DONE:
            n_new = _n_new(crawl, key, state.visited or state.since)
            after[entry.url.url] = state.after_visit(entry.ended, n_new, listed.get(key, 0))
        elif entry.state == FrontierEntry.State.FAILED and entry.ended != state.failed:
            after[entry.url.url] = state.after_failure(entry.ended)
    return after


def _n_new(crawl: Crawl, feed: int, since: datetime) -> int:
    """Pages that a feed led to since a moment and that were kept."""
    led_to = FrontierEntry.objects.filter(crawl=crawl, parent_id=feed, found__gt=since)
    kept = Harvest.objects.filter(crawl=crawl).kept()
    return kept.filter(url_id__in=led_to.values("url_id")).count()
