"""Failed sources back off, whichever source names them; a user can end the pause."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import F, Max, Value
from django.db.models.functions import Greatest

from crawler.models import Crawl, FrontierEntry
from crawler.models.web import EPOCH
from crawler.revisit.sources import SourceState
from crawler.sources import registry
from crawler.sources.pasted import with_seeds
from crawler.sources.registry import KnownSource

State = FrontierEntry.State

#: Kinds that list what is new.
_FIRST = frozenset({registry.SEEDS, registry.FEEDS, registry.SITEMAPS})


def backing_off(
    crawl: Crawl, known: Mapping[str, KnownSource], now: datetime
) -> dict[str, datetime]:
    """Return until when the addresses of failing sources are not visited."""
    urls_of = registry.request_urls(crawl, known)
    return {
        url: until
        for key, one in known.items()
        if one.state.failures and (until := one.state.next_try(now)) > now
        for url in {key, urls_of[key]}
    }


def hold_back(crawl: Crawl, wanted: Collection[str], now: datetime) -> None:
    """Keep a run from trying sources that back off, but for those that it needs anyway.

    A URL that failed for a temporary reason waits in the frontier and is tried again within
    minutes. That is soon enough for a page and too often for a source that is down.
    """
    rests = backing_off(crawl, registry.load_sources(crawl), now)
    waiting = FrontierEntry.objects.filter(
        crawl=crawl, state=State.NEW, url__url__in=rests.keys() - set(wanted)
    )
    for entry in waiting.select_related("url"):
        until = rests[entry.url.url]
        waiting.filter(pk=entry.pk, not_before__lt=until).update(not_before=until)


def revisit_soon(crawl: Crawl, key: str, now: datetime) -> bool:
    """Have the next run visit a source as if it were new; False if it does not exist."""
    known = with_seeds(crawl, crawl.profile.seeds, now)
    if key not in known:
        return False
    one, urls = known[key], {key, registry.request_urls(crawl, known)[key]}
    state = SourceState(now, registry.RATES[one.kind], named=one.state.named)
    registry.save_sources(crawl, known | {key: KnownSource(one.kind, state)})
    failed = FrontierEntry.objects.filter(
        crawl=crawl, url__url__in=urls, state__in=(State.NEW, State.FAILED)
    )
    failed.update(state=State.NEW, attempts=0, not_before=EPOCH, assignment=None)
    return True


def revisit_all_soon(crawl: Crawl, now: datetime) -> int:
    """Have the run that begins now visit every seed, feed and sitemap first; return how many.

    A person who presses *Crawl now* wants them visited even if they answered a minute ago.
    Politeness delays and limits of a site still hold, and failing sources rest as before.
    """
    registry.caught_up(crawl)  # the entries are about to forget when they were visited
    known = with_seeds(crawl, crawl.profile.seeds, now)
    urls_of = registry.request_urls(crawl, known)
    wanted = {urls_of[key] for key, one in known.items() if one.kind in _FIRST or one.state.named}
    entries = FrontierEntry.objects.filter(crawl=crawl)
    ended = entries.filter(url__url__in=wanted, state=State.DONE)
    best = entries.filter(state=State.NEW).aggregate(best=Max("priority"))["best"] or 0.0
    return ended.filter(url__site__stopped=False).update(
        state=State.NEW,
        integrated=False,
        assignment=None,
        attempts=0,
        not_before=EPOCH,
        # An entry that waits and has ended is one whose last visit failed.
        ended=None,
        tier=0,
        priority=Greatest(F("priority"), Value(best)),
    )
