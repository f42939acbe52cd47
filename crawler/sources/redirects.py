"""Where an address led when it was asked last, so that both are asked and judged together."""

from collections.abc import Iterable

from crawler.fetch.config import MAX_REDIRECTS
from crawler.models import Crawl, FrontierEntry
from crawler.reasons import Reason


def where_they_lead(crawl: Crawl, urls: Iterable[str]) -> dict[str, str]:
    """The last address of each URL that redirected when the crawl asked for it last.

    Asked again it redirects again, and its end, which was fetched then, would not be looked at
    for a second time: whoever wants both looked at has to name both.
    """
    wanted = set(urls)
    steps: dict[str, str] = {}
    for _ in range(MAX_REDIRECTS):
        entries = FrontierEntry.objects.filter(
            crawl=crawl,
            reason=Reason.REDIRECTED,
            redirects_to__isnull=False,
            url__url__in=wanted - steps.keys(),
        )
        found = dict(entries.values_list("url__url", "redirects_to__url"))
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
