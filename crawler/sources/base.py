"""What a seed source is: it turns something a person gave into starting URLs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from crawler.fetch.door import Door
from crawler.knowledge.profile import TopicProfile


@dataclass(frozen=True, slots=True)
class Found:
    """What a source brought.

    Attributes
    ----------
    urls : tuple of str
        Canonical, best first, each once.
    problems : tuple of str
        What went wrong, in sentences; the source may still have brought URLs.
    """

    urls: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class Source(Protocol):
    """One kind of seed source, registered by name."""

    name: str

    def find(self, profile: TopicProfile, door: Door) -> Found:
        """Bring seeds for a topic; a failure is a problem told, never an exception."""


def each_once(urls: Sequence[str]) -> tuple[str, ...]:
    """The URLs in order, without repetitions."""
    return tuple(dict.fromkeys(urls))
