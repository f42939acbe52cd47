"""What a seed source is: it turns something that is known into starting URLs."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crawler.fetch.door import Door
from crawler.knowledge.profile import TopicProfile
from crawler.problems import Problem


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What a source is called with, at the start of each run.

    Attributes
    ----------
    profile : TopicProfile
    door : Door
        For services the operator named, such as a search engine. Sites of the web are
        left to the crawl, which knows their rules and lets them rest: bring their URLs.
    crawl_id : int
        The crawl whose stored pages a source may read.
    now : datetime
        When the run starts, aware.
    """

    profile: TopicProfile
    door: Door
    crawl_id: int
    now: datetime


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
    """The URLs in order, without repetitions."""
    return tuple(dict.fromkeys(urls))
