"""Problems of sources and plugins, as codes that every language can show."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

#: As much of a detail as is kept, in characters.
MAX_DETAIL: Final = 300


class ProblemKind(StrEnum):
    """Every kind of problem; `topics.sources.problem_sentences` has their sentences."""

    SEED_FAILS = "seed_fails"
    FEED_FAILS = "feed_fails"
    SITEMAP_FAILS = "sitemap_fails"
    PAGE_FAILS = "page_fails"
    SEARCH_FAILED = "search_failed"
    SEARCH_REFUSED = "search_refused"
    SEARCH_UNREADABLE = "search_unreadable"
    PROVIDER_FAILED = "provider_failed"
    PROVIDER_UNREADABLE = "provider_unreadable"
    SOURCE_FAILED = "source_failed"
    PART_FAILED = "part_failed"
    PART_MISSING = "part_missing"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that went wrong.

    Attributes
    ----------
    about : str
        An address, the words of a search, the name of a source, strategy, judge or ranking.
    detail : str
        What exactly was seen.
    times : int
        Failures in a row.
    since : datetime or None
        When they began.
    """

    trouble: ProblemKind
    about: str
    detail: str = ""
    times: int = 0
    since: datetime | None = None

    def packed(self) -> dict[str, str | int]:
        """As a run keeps it: what is empty is left out."""
        values: dict[str, str | int] = {
            "trouble": str(self.trouble),
            "about": self.about[:MAX_DETAIL],
            "detail": self.detail[:MAX_DETAIL],
            "times": self.times,
            "since": self.since.isoformat() if self.since else "",
        }
        return {name: value for name, value in values.items() if value}
