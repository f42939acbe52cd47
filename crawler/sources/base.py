"""What a seed source is: it turns something that is known into starting URLs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from crawler.fetch.door import Door
from crawler.knowledge.profile import TopicProfile
from crawler.page.parsed import ParsedPage
from crawler.problems import Problem
from crawler.sandbox.parse_pool import InProcessParser


class Parser(Protocol):
    """What parses the bytes of an answer, in a child process if they may be hostile."""

    def parse(self, body: bytes, url: str, content_type: str = "", /) -> ParsedPage:
        """Parse a page or feed. Raises ParseError."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What a source is called with, at the start of each run.

    Attributes
    ----------
    door : Door
        For services the operator named, such as a search engine. Sites of the web are
        left to the crawl, which knows their rules and lets them rest: bring their URLs.
    crawl_id : int
        The crawl whose stored pages a source may read.
    now : datetime
        When the run starts, aware.
    parser : Parser
        Reads answers that are XML.
    may_fetch : callable
        False for a host that may not be contacted, as no contact page is set.
    """

    profile: TopicProfile
    door: Door
    crawl_id: int
    now: datetime
    parser: Parser = field(default_factory=InProcessParser)
    may_fetch: Callable[[str], bool] = lambda host: True


@dataclass(frozen=True, slots=True)
class Found:
    """What a source brought.

    Attributes
    ----------
    urls : tuple of str
        Canonical, best first, each once.
    problems : tuple of Problem or str
        What went wrong, a plugin's own as sentences; the source may still have brought URLs.
    first_look : frozenset of str
        URLs that came with many others on the first visit of the source: they are not news.
    """

    urls: tuple[str, ...] = ()
    problems: tuple[Problem | str, ...] = ()
    first_look: frozenset[str] = frozenset()


class SourceKind(Protocol):
    """One kind of seed source, registered by name."""

    name: str

    def find(self, inquiry: Inquiry) -> Found:
        """Bring seeds for a topic; report a failure as a problem, never as an exception."""


def each_once(urls: Iterable[str]) -> tuple[str, ...]:
    """Return the URLs in order, without repetitions."""
    return tuple(dict.fromkeys(urls))
