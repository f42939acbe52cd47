"""Make the sites of a simulated web, and the articles each of them publishes, from a seed."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from crawler.lab.simulation.rates import Drift, draw_rates
from crawler.lab.simulation.site import LONG_AGO, SimulatedArticle, SimulatedSite, SiteKind
from crawler.lab.simulation.times import moment_of_day
from crawler.lab.simulation.words import SITE_ENDS, SITE_WORDS, SUBJECTS, TOPIC

#: How often a subject is written about, relative; the watched one is a twelfth of all.
SUBJECT_WEIGHTS: Final = (0.8, 1.6, *(1.2,) * 6)
#: Sites of each kind in 420; a web of another size has its share of each, at least 2.
N_SITES: Final = 420
_SHARES: Final = {
    SiteKind.PORTAL: 8,
    SiteKind.NEWS: 60,
    SiteKind.BLOG: 232,
    SiteKind.FORUM: 16,
    SiteKind.HUB: 30,
    SiteKind.NEW: 24,
    SiteKind.SPAM: 40,
    SiteKind.TRAP: 10,
}
#: Articles a day, on average over the kind, and how often others link to a site.
_PER_DAY: Final = {
    SiteKind.PORTAL: 3.0,
    SiteKind.NEWS: 0.7,
    SiteKind.BLOG: 0.2,
    SiteKind.FORUM: 0.8,
    SiteKind.HUB: 0.0,
    SiteKind.NEW: 0.3,
    SiteKind.SPAM: 0.3,
    SiteKind.TRAP: 0.2,
}
_WEIGHT: Final = {
    SiteKind.PORTAL: 8.0,
    SiteKind.NEWS: 3.0,
    SiteKind.BLOG: 1.0,
    SiteKind.FORUM: 0.5,
    SiteKind.HUB: 0.0,
    SiteKind.NEW: 1.0,
    SiteKind.SPAM: 0.0,
    SiteKind.TRAP: 1.0,
}
#: Spread of the rates within a kind (of their natural logarithm).
SPREAD: Final = 1.2
FARM_SIZE: Final = 10
#: A farm's archive, beside that of another site of its rate: farms are young.
SPAM_SHARE: Final = 0.15
_DATE_PLACES: Final = ("jsonld", "meta", "time", "text", "url", "")
#: An archive reaches back so many days on average.
ARCHIVE_DAYS: Final = 400.0
#: So many articles are changed once, so many days after publication on average.
REVISED, REVISED_DAYS = 0.08, 10.0


@dataclass(frozen=True, slots=True)
class Extent:
    """How large a web is: pages in all, sites in all, days that are watched."""

    n_pages: int = 52_000
    n_sites: int = N_SITES
    n_days: int = 35


def make_sites(rng: random.Random, extent: Extent) -> list[SimulatedSite]:
    """Make the sites, those of one kind after each other."""
    sites: list[SimulatedSite] = []
    for kind in SiteKind:
        n = max(2, round(_SHARES[kind] * extent.n_sites / N_SITES))
        for place in range(n):
            sites.append(_site(rng, len(sites), kind, place, extent))
    return sites


def _site(
    rng: random.Random, number: int, kind: SiteKind, place: int, extent: Extent
) -> SimulatedSite:
    language = rng.choice(("en", "zh"))
    born = LONG_AGO
    if kind is SiteKind.NEW:
        born = rng.uniform(0.2, 0.55) * extent.n_days
    host = f"{rng.choice(SITE_WORDS)}-{rng.choice(SITE_ENDS)}-{number}.test"
    per_day = _PER_DAY[kind] * math.exp(rng.gauss(0, SPREAD) - SPREAD**2 / 2)
    return SimulatedSite(
        number,
        host,
        kind,
        language,
        _subjects_of(rng, kind, place),
        _WEIGHT[kind] * math.exp(rng.gauss(0, 0.5)),
        _PER_DAY[kind] if kind in (SiteKind.NEW, SiteKind.SPAM) else per_day,
        born,
        has_feed=rng.random() < (0.3 if kind is SiteKind.FORUM else 0.75),
        has_sitemap=kind in (SiteKind.PORTAL, SiteKind.NEWS) and rng.random() < 0.6,
        has_validators=rng.random() < 0.97,
        is_restless=rng.random() < 0.03,
        numeric=kind is SiteKind.FORUM or rng.random() < 0.25,
        date_place=rng.choices(_DATE_PLACES, (3, 2, 3, 2, 1, 2))[0],
        farm=place // FARM_SIZE if kind is SiteKind.SPAM else -1,
    )


def _subjects_of(rng: random.Random, kind: SiteKind, place: int) -> tuple[int, ...]:
    every = range(len(SUBJECT_WEIGHTS))
    if kind in (SiteKind.PORTAL, SiteKind.FORUM):
        return tuple(every)
    if kind is SiteKind.NEW:
        return (TOPIC,)
    if kind is SiteKind.SPAM:
        return (TOPIC,) if place // FARM_SIZE % 2 == 0 else (place // FARM_SIZE,)
    if kind is SiteKind.HUB:
        # Every third list is of the watched subject.
        return (TOPIC,) if place % 3 == 0 else (1 + place % (len(SUBJECT_WEIGHTS) - 1),)
    n = 3 if kind is SiteKind.NEWS else 1
    chosen = dict.fromkeys(rng.choices(every, SUBJECT_WEIGHTS, k=n))
    return tuple(chosen)


def draw_articles(
    rng: random.Random, sites: Sequence[SimulatedSite], extent: Extent
) -> list[SimulatedArticle]:
    """Draw what the sites publish, in no order.

    What is not published in the watched days is the archives', shared out by the sites'
    rates, so that the web has its size on its last day.
    """
    drawn = list(_new_days(rng, sites, extent))
    writers = [site for site in sites if site.kind not in (SiteKind.HUB, SiteKind.NEW)]
    shares = [site.per_day**0.7 * (SPAM_SHARE if site.farm >= 0 else 1.0) for site in writers]
    archived = rng.choices(writers, shares, k=max(extent.n_pages - len(drawn), 0))
    drawn += [(-rng.expovariate(1 / ARCHIVE_DAYS), site.number) for site in archived]
    return [_article(rng, sites[site], day) for day, site in drawn]


def number_articles(
    rng: random.Random, sites: Sequence[SimulatedSite], articles: list[SimulatedArticle]
) -> None:
    """Sort articles by publication, number them and give them their addresses."""
    articles.sort(key=lambda article: article.published)
    for number, article in enumerate(articles):
        article.number = number
        article.path = _path_of(rng, article, sites[article.site])


def _new_days(
    rng: random.Random, sites: Sequence[SimulatedSite], extent: Extent
) -> Iterator[tuple[float, int]]:
    """Moments of publication in the watched days: the rates drift."""
    numbers = np.random.default_rng(rng.getrandbits(64))
    level = draw_rates(
        numbers, len(sites), extent.n_days, Drift.DRIFTING, median_per_day=1.0, spread=0.7
    )
    rates = level * np.array([site.per_day for site in sites])
    counts = numbers.poisson(rates)
    for day, site in zip(*np.nonzero(counts), strict=True):
        for _ in range(counts[day, site]):
            moment = float(day) + rng.random()
            if moment >= sites[site].born:
                yield moment, int(site)


def _article(rng: random.Random, site: SimulatedSite, day: float) -> SimulatedArticle:
    weights = [SUBJECT_WEIGHTS[subject] for subject in site.subjects]
    subject = rng.choices(site.subjects, weights)[0]
    density = min(max(rng.gauss(0.35, 0.1), 0.12), 0.6)
    if site.kind is SiteKind.SPAM:
        density = 0.95
    article = new_article(site, subject, day, density)
    if rng.random() < REVISED:
        article.revised = day + rng.expovariate(1 / REVISED_DAYS)
    return article


def new_article(site: SimulatedSite, subject: int, day: float, density: float) -> SimulatedArticle:
    """An article of a site that is published, says so and is listed on one day."""
    return SimulatedArticle(site.number, subject, day, day, density, listed_from=day)


def _path_of(rng: random.Random, article: SimulatedArticle, site: SimulatedSite) -> str:
    """An address for an article: of numbers, of words, or with its date."""
    number = article.number
    if site.date_place == "url":
        return f"/{moment_of_day(article.says):%Y/%m/%d}/{number}.html"
    if site.kind is SiteKind.FORUM:
        return f"/thread?id={number}"
    if site.numeric:
        return f"/node/{number}"
    words = rng.sample(SUBJECTS["en"][article.subject], 3)
    return f"/{'-'.join(words)}-{number:x}"
