"""Shows on the home page which sites brought most kept pages."""

from collections import Counter

from crawler.models import Harvest
from focusweb.hookspecs import hookimpl
from topics.pages.blocks import Line


class BusiestSites:
    """The five sites with most kept pages in the topics of a user."""

    name = "busiest_sites"

    def heading(self):
        return "Busiest sites"

    def lines(self, user, now):
        kept = Harvest.objects.kept().filter(crawl__topic__owner=user)
        sites = Counter(kept.values_list("url__site__name", flat=True))
        return [Line(site, note=f"{count} pages") for site, count in sites.most_common(5)]


@hookimpl
def home_tiles():
    return [BusiestSites()]
