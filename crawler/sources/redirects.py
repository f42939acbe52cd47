"""Where a URL redirected when it was last fetched, so that both ends are visited and judged
together.
"""

from collections.abc import Iterable

from crawler.fetch.config import MAX_REDIRECTS
from crawler.models import Crawl, FrontierEntry
from crawler.reasons import Reason


def where_they_lead(crawl: Crawl, urls: Iterable[str]) -> dict[str, str]:
    """Return the last target of each URL that redirected when the crawl fetched it last.

    Fetched again, it redirects again; its target, which was fetched then, would not be visited a
    second time. To visit both, name both.
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
