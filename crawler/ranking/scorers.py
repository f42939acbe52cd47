"""Scorers: opinions of a page beside its links and content, each with a reason."""

from dataclasses import dataclass, replace
from typing import Final, Protocol

from crawler.ranking.score import PageScore

#: A page gains at most so much of what it lacks to 1, or loses so much of what it has.
MAX_SHARE: Final = 0.3
#: Before the name of a plugin's scorer, as the name of its part of the score.
SCORER: Final = "scorer:"


@dataclass(frozen=True, slots=True)
class PageName:
    """What a page is called.

    Attributes
    ----------
    url : str
        Canonical.
    title : str
        Of the article; "" if it has none.
    site : str
        Its host, and its port if that is not the usual one.
    """

    url: str
    title: str
    site: str


@dataclass(frozen=True, slots=True)
class ScoredPage:
    """What a scorer knows of a page.

    Attributes
    ----------
    url, title, site : str
        As in `PageName`.
    rule : str
        A person's word on the site in this topic, or "".
    relevance, value : float
        What the judge says, and the score so far, each in [0, 1].
    n_sites : int
        Other sites that link to the page.
    """

    url: str
    title: str
    site: str
    rule: str
    relevance: float
    value: float
    n_sites: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a scorer says of a page.

    Attributes
    ----------
    share : float
        In [-`MAX_SHARE`, `MAX_SHARE`]: above 0 the share that the page gains of what its score
        lacks to 1, below 0 the share that it loses.
    reason : str
        Why, for the reader of the page.
    """

    share: float
    reason: str


class Scorer(Protocol):
    """Something that has an opinion of pages, registered by name."""

    name: str

    def opinion(self, page: ScoredPage) -> Opinion | None:
        """Return its opinion of a page; None for no opinion."""


def with_opinion(score: PageScore, name: str, opinion: Opinion) -> PageScore:
    """Add an opinion as a part of its own.

    The score stays in [0, 1], and of two pages with one opinion the better stays the better
    (*Resolved*: the papers know no such part).
    """
    value, share = score.value, opinion.share
    moved = share * (1 - value) if share > 0 else share * value
    return replace(
        score,
        parts={**score.parts, name: moved},
        reasons={**score.reasons, name: opinion.reason},
    )
