"""The random strategy: the baseline that every other one must beat."""

import zlib
from collections.abc import Sequence

from crawler.knowledge.profile import TopicProfile
from crawler.page.parsed import ParsedPage
from crawler.strategies.base import JudgedPage, Rating
from crawler.strategies.order import ByPriority


class RandomStrategy(ByPriority):
    """Every link gets a number drawn once and for all from the crawl's seed and its URL.

    Drawing by the URL makes a link found on many pages no likelier than another.
    """

    name = "random"
    parameters = ()

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Remember the seed of the draw."""
        return str(seed).encode()

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        return [_drawn(link.url, state) for link in page.links]


def _drawn(url: str, state: bytes) -> Rating:
    # CRC32 is linear: without the multiplication, URLs alike would be drawn alike.
    mixed = zlib.crc32(url.encode(), zlib.crc32(state)) * 0x9E3779B97F4A7C15 % 2**64
    chance = (mixed >> 11) / 2**53
    return Rating(chance, {"chance": chance})
