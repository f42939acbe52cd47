"""Seeds a person pasted."""

from crawler.sources.base import Errand, Found, each_once


class PastedUrls:
    """The seed URLs of the topic itself: pages, feeds or sitemaps."""

    name = "pasted"

    def find(self, errand: Errand) -> Found:
        """The topic's own seeds, as they are."""
        return Found(each_once(errand.profile.seeds))
