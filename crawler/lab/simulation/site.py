"""What a simulated web is made of: sites, and the articles they publish."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

#: Before every moment that is simulated.
LONG_AGO: Final = -10_000.0


class SiteKind(StrEnum):
    """What a site is."""

    PORTAL = "portal"  # large, many subjects, much linked
    NEWS = "news"  # several subjects
    BLOG = "blog"  # one subject
    FORUM = "forum"  # numbers for addresses; every visitor may post links there
    HUB = "hub"  # lists of links to one subject's new articles and sites
    NEW = "new"  # as a blog, born while the web is watched
    SPAM = "spam"  # a farm of hosts that praise each other
    TRAP = "trap"  # as a blog, with a calendar without end


@dataclass(frozen=True, slots=True)
class SimulatedSite:
    """A site.

    Attributes
    ----------
    language : str
        "en" or "zh".
    subjects : tuple of int
        What it writes about.
    weight : float
        How often others link to it, relative.
    per_day : float
        Articles it publishes per day on average, before any drift.
    born : float
        Day from which it exists.
    has_feed, has_sitemap, has_validators, is_restless : bool
        Validators let it answer 304; a restless site's pages differ at every look, by a clock
        in their foot.
    numeric : bool
        Its addresses are numbers.
    date_place : str
        Where its articles say their date: "jsonld", "meta", "time", "text", "url" or "".
    farm : int
        Which farm a spam host belongs to; -1 for none.
    """

    number: int
    host: str
    kind: SiteKind
    language: str
    subjects: tuple[int, ...]
    weight: float
    per_day: float
    born: float = LONG_AGO
    has_feed: bool = True
    has_sitemap: bool = False
    has_validators: bool = True
    is_restless: bool = False
    numeric: bool = False
    date_place: str = "time"
    farm: int = -1

    @property
    def name(self) -> str:
        """What it calls itself."""
        return self.host.partition(".")[0].replace("-", " ").title()


@dataclass(slots=True)
class SimulatedArticle:
    """A page that a site publishes once.

    Attributes
    ----------
    published : float
        Day it first stood on the web.
    says : float
        Day it says it was published; as `published` unless it was planted.
    density : float
        Share of the subject's words among its words, in [0, 1].
    number : int
        Its place among all articles by publication.
    links : list of int
        Articles it links to, on other sites and its own.
    pasted : list of int
        Articles that visitors linked to in their comments.
    listed_from : float
        Day from which its own site lists it; `published` unless it was planted.
    revised : float
        Day its text is changed; infinite for never.
    redated : float
        Day it begins to claim that it is of that day; infinite for never.
    twin : int
        SimulatedArticle whose text it repeats; -1 for none.
    """

    site: int
    subject: int
    published: float
    says: float
    density: float
    number: int = -1
    path: str = ""
    links: list[int] = field(default_factory=list)
    pasted: list[int] = field(default_factory=list)
    listed_from: float = 0.0
    revised: float = float("inf")
    redated: float = float("inf")
    twin: int = -1
