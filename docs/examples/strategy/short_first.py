"""A crawl order: short addresses first."""

from crawler.strategies.base import Rating
from crawler.strategies.order import ByPriority
from focusweb.hookspecs import hookimpl


class ShortFirst(ByPriority):
    """A link is worth the less the longer its address is."""

    name = "short_first"
    parameters = ()

    def rate_links(self, judged, page, state):
        return [self._rate(link.url) for link in page.links]

    def _rate(self, url):
        priority = 1 / len(url)
        return Rating(priority, {"length": priority})


@hookimpl
def strategies():
    return [ShortFirst]
