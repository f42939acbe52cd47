"""Seeds a person pasted."""

from crawler.fetch.door import Door
from crawler.knowledge.profile import TopicProfile
from crawler.sources.base import Found, each_once


class PastedUrls:
    """The seed URLs of the topic itself."""

    name = "pasted"

    def find(self, profile: TopicProfile, door: Door) -> Found:
        """The topic's own seeds, as they are."""
        return Found(each_once(profile.seeds))
