"""Places that moved: where an address led when it was asked last, so that both are asked now."""

from collections.abc import Iterable
from dataclasses import replace

from crawler.models import Crawl, FrontierEntry
from crawler.page.parsed import is_listing
from crawler.reasons import Reason
from crawler.sources import ledger

#: Steps that are followed, as many as in one run.
MAX_STEPS = 5
#: As much of a redirect's end as an entry keeps; one of this length may have been cut.
_MAX_KEPT = 300


def where_they_lead(crawl: Crawl, urls: Iterable[str]) -> dict[str, str]:
    """The last address of each URL that redirected when the crawl asked for it last.

    Asked again it redirects again, and its end, which was fetched then, would not be looked at
    for a second time: whoever wants both looked at has to name both.
    """
    wanted = set(urls)
    steps: dict[str, str] = {}
    for _ in range(MAX_STEPS):
        entries = FrontierEntry.objects.filter(
            crawl=crawl, reason=Reason.REDIRECTED, url__url__in=wanted - steps.keys()
        )
        found = {
            url: end
            for url, end in entries.values_list("url__url", "detail")
            if end and len(end) < _MAX_KEPT
        }
        steps |= found
        wanted = wanted | set(found.values())
        if not found:
            break
    return {url: end for url in steps if (end := _last(steps, url)) != url}


def _last(steps: dict[str, str], url: str) -> str:
    """The end of a way; a way that goes round has none but its beginning."""
    way = [url]
    while way[-1] in steps:
        step = steps[way[-1]]
        if step in way:
            return url
        way.append(step)
    return way[-1]


def follow_moved(crawl: Crawl) -> None:
    """Know feeds and sitemaps that redirect by the address that answers, with all learnt so far.

    What they bring is linked from there. One that leads to something else, such as a page that
    says it is closed for today, keeps its address.
    """
    known = ledger.load(crawl)
    listings = [key for key, one in known.items() if one.kind in (ledger.FEEDS, ledger.SITEMAPS)]
    led = where_they_lead(crawl, listings)
    entries = FrontierEntry.objects.filter(
        crawl=crawl, url__url__in=led.values(), ended__isnull=False
    )
    rows = entries.values_list("url__url", "ended", "url__page__flags")
    looked = {url: ended for url, ended, flags in rows if is_listing((flags or "").split(","))}
    moved = {key: end for key, end in led.items() if end in looked}
    if not moved:
        return
    after: dict[str, ledger.Known] = {}
    for key, one in known.items():
        end = moved.get(key)
        if end is None:
            after[key] = one
        elif end not in known and end not in after:
            state = replace(
                one.state, visited=looked[end], failures=0, failing_since=None, failed=None
            )
            after[end] = replace(one, state=state)
    ledger.save(crawl, after)


def without_known(crawl: Crawl, urls: Iterable[str]) -> list[str]:
    """Those that are not known as sources already by the address they lead to."""
    named = list(urls)
    led = where_they_lead(crawl, named) if named else {}
    known = ledger.load(crawl) if led else {}
    return [url for url in named if led.get(url) not in known]
