"""Where an address led when it was asked last, so that both are asked and judged together."""

from collections.abc import Iterable

from crawler.models import Crawl, FrontierEntry
from crawler.models.frontier import MAX_DETAIL
from crawler.reasons import Reason

#: Steps that are followed, as many as in one run.
MAX_STEPS = 5


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
            # One of the full length may have been cut.
            if end and len(end) < MAX_DETAIL
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
