"""Cases planted in a simulated web: what a monitor must not miss, and must not fall for."""

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from crawler.lab.simulation.making import Extent, new_article
from crawler.lab.simulation.site import SimulatedArticle, SimulatedSite, SiteKind
from crawler.lab.simulation.words import TOPIC

#: A better page and an average one, in share of the subject's words.
BETTER, AVERAGE = 0.6, 0.35
#: A new site's better page comes so many days after the site.
AGE_DAYS = 7.0
#: Old pages that come to light: with their date, given a new one, under a new address.
N_DATED, N_REDATED, N_MOVED = 260, 40, 40
_LEAST_AGE, _MOST_AGE = 40.0, 900.0


@dataclass(frozen=True, slots=True)
class PlantedPair:
    """A better page on a new site, and an average one of the same hour on the most linked."""

    better: SimulatedArticle
    average: SimulatedArticle

    @property
    def day(self) -> float:
        """When both were published."""
        return self.better.published


@dataclass(slots=True)
class Planted:
    """The cases of a web: old pages among them come to light in the watched days.

    Attributes
    ----------
    dated : list of SimulatedArticle
        They say how old they are.
    redated : list of SimulatedArticle
        They begin to say that they are of the day.
    moved : list of (SimulatedArticle, SimulatedArticle)
        Copies under a new address and date, and their originals.
    """

    duels: list[PlantedPair] = field(default_factory=list)
    dated: list[SimulatedArticle] = field(default_factory=list)
    redated: list[SimulatedArticle] = field(default_factory=list)
    moved: list[tuple[SimulatedArticle, SimulatedArticle]] = field(default_factory=list)

    def added(self) -> list[SimulatedArticle]:
        """Return the articles that were not among the drawn ones."""
        pairs = [article for duel in self.duels for article in (duel.better, duel.average)]
        return pairs + self.dated + [copy for copy, _ in self.moved]


def plant(
    rng: random.Random,
    sites: Sequence[SimulatedSite],
    drawn: Sequence[SimulatedArticle],
    extent: Extent,
) -> Planted:
    """Plant every kind of case; of old pages so many as fit the size of the web."""
    scale = min(1.0, extent.n_pages / 50_000)
    planted = Planted(list(_duels(rng, sites, _most_linked(sites, drawn), extent)))
    homes = [site for site in sites if _is_home(site)]
    for _ in range(math.ceil(N_DATED * scale)):
        written = -rng.uniform(_LEAST_AGE, _MOST_AGE)
        article = new_article(rng.choice(homes), TOPIC, written, rng.uniform(0.3, 0.55))
        article.listed_from = _some_day(rng, extent)
        planted.dated.append(article)
    known = [article for article in drawn if _is_known_well(article, sites[article.site])]
    chosen = rng.sample(known, min(len(known), math.ceil((N_REDATED + N_MOVED) * scale)))
    for original in chosen[: len(chosen) // 2]:
        original.redated = _some_day(rng, extent)
        planted.redated.append(original)
    for original in chosen[len(chosen) // 2 :]:
        day = _some_day(rng, extent)
        copy = replace(original, published=day, says=day, listed_from=day, links=[], pasted=[])
        planted.moved.append((copy, original))
    return planted


def _most_linked(
    sites: Sequence[SimulatedSite], drawn: Sequence[SimulatedArticle]
) -> SimulatedSite:
    """The site that most will link to: on many subjects, with much to link to, and liked."""
    n_articles = Counter(article.site for article in drawn)
    portals = [site for site in sites if site.kind is SiteKind.PORTAL]
    return max(portals, key=lambda site: site.weight * n_articles[site.number])


def _duels(
    rng: random.Random, sites: Sequence[SimulatedSite], most_linked: SimulatedSite, extent: Extent
) -> Iterator[PlantedPair]:
    """Every new site publishes a better page in its second week."""
    for site in sites:
        day = site.born + AGE_DAYS + rng.random()
        if site.kind is SiteKind.NEW and day < extent.n_days - 3:
            average = new_article(most_linked, TOPIC, day, AVERAGE)
            yield PlantedPair(new_article(site, TOPIC, day, BETTER), average)


def _is_home(site: SimulatedSite) -> bool:
    """True for a site that old pages may come to light on: it dates its pages."""
    writes = site.kind in (SiteKind.PORTAL, SiteKind.NEWS, SiteKind.BLOG)
    return writes and TOPIC in site.subjects and bool(site.date_place)


def _is_known_well(article: SimulatedArticle, site: SimulatedSite) -> bool:
    """True for an article that a first look surely finds: lately listed, dated, unchanged."""
    return (
        _is_home(site)
        and article.subject == TOPIC
        and site.date_place != "url"
        and -20 < article.published < -1
        and math.isinf(article.revised)
        and article.density > 0.3
    )


def _some_day(rng: random.Random, extent: Extent) -> float:
    """A day on which somebody watches and has the time to find something."""
    return rng.uniform(0.2, 0.85) * extent.n_days
