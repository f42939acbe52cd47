"""The product's ranking score and what it rests on [P2 eq. 1]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import atan, pi, tan
from typing import Final, Protocol

import numpy as np

from crawler.knowledge.content_value import ContentValue
from crawler.knowledge.stuffing import STUFFED
from crawler.ranking.quantiles import PercentileRank, Quantiles
from crawler.ranking.votes import DIGITS

#: A smaller change of a stored score is not written: it would not be visible.
WRITTEN: Final = 0.001

#: What the content part may count, as explanations name it.
BY_STANDING: Final = "standing"
BY_RELEVANCE: Final = "relevance"
BY_TERMS: Final = "terms"
BY_VALUE: Final = "value"

#: Goes up when content counts in another way: what is stored is then scored again.
CONTENTS: Final = 5
#: What a page that is surely on topic is worth by itself, and by its density.
CONTENT_WEIGHTS: Final = (0.5, 0.5)
#: What of this worth counts whatever the relevance, as some judges give all pages little, and what
#: counts by it.
RELEVANCE_WEIGHTS: Final = (0.1, 0.9)
#: The powers of relevance, and of density over what is typical of the topic. Kept pages differ
#: little in both: most have a relevance above .9.
RELEVANCE_POWER: Final = 6
DENSITY_POWER: Final = 4
#: That power of the density that counts half: five sixths of the typical one.
DENSITY_HALF: Final = 0.5


@dataclass(frozen=True, slots=True)
class PageScore:
    """A page's score as the sum of its parts.

    Attributes
    ----------
    counted : float
        What of the content counts, in [0, 1].
    counted_by : str
        What that is: `BY_VALUE`, `BY_TERMS`, `BY_STANDING` or `BY_RELEVANCE`.
    places : PercentileRank or None
        Where the page stands among those kept, if that is what counts.
    link_value : float
        LV, in [0, 1).
    n_sites : int
        Sites that link to the page.
    sites : tuple of str
        Some of them, for the explanation.
    scale : float
        s, the votes that give LV = 1/2; > 0.
    parts : mapping of str to float
        "link" and "content", "stuffed" (below 0) where the page is not trusted, and "site"
        where a person raised or lowered the site; their sum is `value`.
    reasons : mapping of str to str
        Of the parts that scorers made.
    votes : float
        LN, what the linking sites count together, >= 0.
    typical : float
        Density that is typical of the topic, in [0, 1]; 0 if that is unknown or does not count.
    """

    content: ContentValue
    counted: float
    counted_by: str
    link_value: float
    n_sites: int
    sites: tuple[str, ...]
    scale: float
    parts: Mapping[str, float]
    reasons: Mapping[str, str] = field(default_factory=dict)
    places: PercentileRank | None = None
    votes: float = 0.0
    typical: float = 0.0

    @property
    def value(self) -> float:
        """f, in [0, 1]: the sum of the parts, by definition."""
        return sum(self.parts.values())


class Ranker(Protocol):
    """One way to combine what links and content are worth, registered by name."""

    name: str

    def score(
        self,
        content: ContentValue,
        relevance: float,
        sites: Sequence[str],
        n_sites: float,
        *,
        weights: tuple[float, float],
        scale: float,
        quantiles: Quantiles,
    ) -> PageScore:
        """Score a page.

        `sites` link to it, and `n_sites` is what they count together (LN, not a whole number).
        `weights` are phi1 and phi2, `quantiles` is of the pages kept.
        """


def link_value(n_sites: float, scale: float = 1.0) -> float:
    """LV = (2/pi) arctan(LN / s), in [0, 1) [P2 eq. 2].

    Raises
    ------
    ValueError
        If `n_sites` is negative or `scale` is not positive.
    """
    if n_sites < 0 or not scale > 0:
        raise ValueError(f"need n_sites >= 0 and scale > 0, got {n_sites} and {scale}")
    return 2 / pi * atan(n_sites / scale)


def votes_behind(value: float, scale: float) -> float:
    """LN of which a stored LV was made: `link_value` backwards, of 6 digits."""
    return round(scale * tan(pi / 2 * value), DIGITS)


def density_value(density: float, typical: float) -> float:
    """x^4 / (.5 + x^4) of x = density / typical, in [0, 1): 2/3 for what is typical."""
    x = (density / typical) ** DENSITY_POWER
    return x / (DENSITY_HALF + x)


def relevance_value(relevance: float) -> float:
    """.1 + .9 relevance^6, in [0.1, 1]: what of a page's worth counts."""
    least, by_relevance = RELEVANCE_WEIGHTS
    return least + by_relevance * relevance**RELEVANCE_POWER


def absolute_content(relevance: float, dense: float) -> float:
    """What a page's content is worth, in [0, 1] (*Resolved*).

    That is how surely it is on topic, times what it is worth if it is:
    (.1 + .9 relevance^6) (.5 + .5 density). As a sum, a dense page of another subject stands as
    high as a page of the topic. CV of the paper puts pages in a worse order, and percentiles change
    with every page that is kept; `docs/research/ranking.md`.

    Parameters
    ----------
    relevance, dense : float
        Relevance and `density_value`, each in [0, 1].
    """
    of_itself, of_density = CONTENT_WEIGHTS
    return relevance_value(relevance) * (of_itself + of_density * dense)


class AbsoluteRanker:
    """f = phi1 * LV + phi2 * what the content is worth by itself [P2 eq. 1].

    So a score means the same in every topic and next week. While too few pages are kept to
    know the typical density, each page counts as typical.
    """

    name = "absolute"

    def score(
        self,
        content: ContentValue,
        relevance: float,
        sites: Sequence[str],
        n_sites: float,
        *,
        weights: tuple[float, float],
        scale: float,
        quantiles: Quantiles,
    ) -> PageScore:
        typical = quantiles.typical
        dense = density_value(content.density, typical) if typical else density_value(1, 1)
        counted = absolute_content(relevance, dense)
        return _weighted(
            content, counted, BY_VALUE, sites, n_sites, weights, scale, typical=typical
        )


class PercentileRanker:
    """f = phi1 * LV + phi2 * where the page stands among the pages kept.

    That is the mean of its places by relevance and by density. *Resolved*: CV of the paper
    puts pages in a worse order, `docs/research/ranking.md`.
    """

    name = "standing"

    def score(
        self,
        content: ContentValue,
        relevance: float,
        sites: Sequence[str],
        n_sites: float,
        *,
        weights: tuple[float, float],
        scale: float,
        quantiles: Quantiles,
    ) -> PageScore:
        places = quantiles.of_page(relevance, content.density)
        by = BY_STANDING if places else BY_RELEVANCE
        counted = places.mean if places else relevance
        return _weighted(content, counted, by, sites, n_sites, weights, scale, places)


class PaperRanker:
    """f = phi1 * LV + phi2 * CV, as the paper has it [P2 eq. 1]."""

    name = "paper"

    def score(
        self,
        content: ContentValue,
        relevance: float,
        sites: Sequence[str],
        n_sites: float,
        *,
        weights: tuple[float, float],
        scale: float,
        quantiles: Quantiles,
    ) -> PageScore:
        return _weighted(content, content.value, BY_TERMS, sites, n_sites, weights, scale)


def _weighted(
    content: ContentValue,
    counted: float,
    counted_by: str,
    sites: Sequence[str],
    votes: float,
    weights: tuple[float, float],
    scale: float,
    places: PercentileRank | None = None,
    typical: float = 0.0,
) -> PageScore:
    value = link_value(votes, scale)
    parts = {"link": weights[0] * value, "content": weights[1] * counted}
    if content.trust < 1:
        # *Resolved*: the papers meet no spam.
        parts[STUFFED] = -(1 - content.trust) * sum(parts.values())
    names = tuple(sites[:5])
    return PageScore(
        content,
        counted,
        counted_by,
        value,
        len(sites),
        names,
        scale,
        parts,
        places=places,
        votes=votes,
        typical=typical,
    )


def typical_scale(n_sites: Sequence[int]) -> float:
    """s: the median number of linking sites, at least 1 (*Resolved*)."""
    return max(float(np.median(n_sites)), 1.0) if n_sites else 1.0
