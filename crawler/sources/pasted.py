"""Seeds a person pasted."""

from crawler.sources.base import Found, Inquiry, each_once


class PastedUrls:
    """The seed URLs of the topic itself: pages, feeds or sitemaps."""

    name = "pasted"

    def find(self, inquiry: Inquiry) -> Found:
        """The topic's own seeds, as they are."""
        return Found(each_once(inquiry.profile.seeds))
