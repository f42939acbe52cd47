"""Failed sources back off, whichever source names them; a user can end the pause."""

from collections.abc import Collection, Mapping
from datetime import datetime

from crawler.models import Crawl, FrontierEntry
from crawler.models.web import EPOCH
from crawler.revisit.sources import SourceState
from crawler.sources import registry
from crawler.sources.pasted import with_seeds
from crawler.sources.registry import Known

State = FrontierEntry.State


def resting(crawl: Crawl, known: Mapping[str, Known], now: datetime) -> dict[str, datetime]:
    """Until when the addresses of failing sources rest."""
    asked = registry.where_asked(crawl, known)
    return {
        url: until
        for key, one in known.items()
        if one.state.failures and (until := one.state.next_try(now)) > now
        for url in {key, asked[key]}
    }


def hold_back(crawl: Crawl, wanted: Collection[str], now: datetime) -> None:
    """Keep a run from trying sources that back off, but for those that it needs anyway.

    A URL that failed for a temporary reason waits in the frontier and is tried again within
    minutes. That is soon enough for a page and too often for a source that is down.
    """
    rests = resting(crawl, registry.load(crawl), now)
    waiting = FrontierEntry.objects.filter(
        crawl=crawl, state=State.NEW, url__url__in=rests.keys() - set(wanted)
    )
    for entry in waiting.select_related("url"):
        until = rests[entry.url.url]
        waiting.filter(pk=entry.pk, not_before__lt=until).update(not_before=until)


def look_again(crawl: Crawl, key: str, now: datetime) -> bool:
    """Have the next run visit a source as if it were new; False if it does not exist."""
    known = with_seeds(crawl, crawl.profile.seeds, now)
    if key not in known:
        return False
    one, urls = known[key], {key, registry.where_asked(crawl, known)[key]}
    state = SourceState(now, registry.RATES[one.kind], named=one.state.named)
    registry.save(crawl, known | {key: Known(one.kind, state)})
    failed = FrontierEntry.objects.filter(
        crawl=crawl, url__url__in=urls, state__in=(State.NEW, State.FAILED)
    )
    failed.update(state=State.NEW, attempts=0, not_before=EPOCH, assignment=None)
    return True
