"""Who links to whom in a simulated web: articles, hubs, visitors and farms."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from crawler.lab.simulation.site import SimulatedArticle, SimulatedSite, SiteKind
from crawler.lab.simulation.words import TOPIC

#: Links of an article to other sites on average, beside one; and within its own.
OUTSIDE, INSIDE = 1.5, 2
#: A link stays in its subject, and in its language, this often.
SAME_SUBJECT: Final = 0.8
SAME_LANGUAGE: Final = 0.85
#: Writers read so many recent articles, and link to one of them.
CANDIDATES: Final = 6
RECENT: Final = 250.0
#: A list takes up an article this often, more often a good one, some hours later.
PICKED, PICKED_GOOD, PICK_H = 0.12, 0.5, 8.0
GOOD_DENSITY: Final = 0.5
#: Visitors leave a link to a farm under so many articles of its subject.
PASTED: Final = 0.02


@dataclass(slots=True)
class Picks:
    """What hubs list: per hub (day, article), ascending once `sort` was called."""

    by_hub: dict[int, list[tuple[float, int]]] = field(default_factory=lambda: defaultdict(list))

    def sort(self) -> None:
        """Bring each list into the order of its days."""
        for listed in self.by_hub.values():
            listed.sort()


def link_articles(
    rng: random.Random, sites: Sequence[SimulatedSite], articles: Sequence[SimulatedArticle]
) -> Picks:
    """Give every article its links, to what was there when it was published."""
    recent: dict[tuple[int, str], list[int]] = defaultdict(list)
    own: dict[int, list[int]] = defaultdict(list)
    farms: dict[int, list[int]] = defaultdict(list)
    for article in articles:
        site = sites[article.site]
        article.links += own[site.number][-INSIDE:]
        if site.kind is SiteKind.SPAM:
            _link_farm(rng, article, site, articles, farms)
            continue
        article.links += _outside(rng, article, site, sites, articles, recent)
        pool = [page for number, pages in farms.items() for page in pages[-40:] if number % 2 == 0]
        if article.subject == TOPIC and pool and rng.random() < PASTED:
            article.pasted += rng.sample(pool, min(3, len(pool)))
        if article.listed_from > article.published:
            continue  # it is not known yet
        own[site.number].append(article.number)
        recent[article.subject, site.language].append(article.number)
    return _pick(rng, sites, articles)


def _outside(
    rng: random.Random,
    article: SimulatedArticle,
    site: SimulatedSite,
    sites: Sequence[SimulatedSite],
    articles: Sequence[SimulatedArticle],
    recent: dict[tuple[int, str], list[int]],
) -> list[int]:
    """Links to other sites: recent articles, more often of sites that many link to."""
    chosen: list[int] = []
    n_subjects = 8
    for _ in range(1 + _poisson(rng, OUTSIDE)):
        stays = rng.random() < SAME_SUBJECT
        subject = article.subject if stays else rng.randrange(n_subjects)
        other = "zh" if site.language == "en" else "en"
        language = site.language if rng.random() < SAME_LANGUAGE else other
        pool = recent[subject, language]
        if not pool:
            continue
        places = [int(rng.expovariate(1 / RECENT)) for _ in range(CANDIDATES)]
        found = [pool[-1 - place] for place in places if place < len(pool)]
        found = [n for n in found if articles[n].site != site.number and n not in chosen]
        if found:
            weights = [sites[articles[n].site].weight * articles[n].density for n in found]
            chosen.append(rng.choices(found, weights)[0])
    return chosen


def _link_farm(
    rng: random.Random,
    article: SimulatedArticle,
    site: SimulatedSite,
    articles: Sequence[SimulatedArticle],
    farms: dict[int, list[int]],
) -> None:
    """Every page of a farm links to others of it, and those back: all hosts hold together."""
    pool = [n for n in farms[site.farm] if articles[n].site != site.number]
    for other in rng.sample(pool, min(8, len(pool))):
        article.links.append(other)
        articles[other].links.append(article.number)
    farms[site.farm].append(article.number)


def _pick(
    rng: random.Random, sites: Sequence[SimulatedSite], articles: Sequence[SimulatedArticle]
) -> Picks:
    hubs: dict[int, list[int]] = defaultdict(list)
    for site in sites:
        if site.kind is SiteKind.HUB:
            hubs[site.subjects[0]].append(site.number)
    picks = Picks()
    for article in articles:
        if sites[article.site].kind is SiteKind.SPAM:
            continue
        is_good = article.density >= GOOD_DENSITY or article.listed_from > article.published
        chance = PICKED_GOOD if is_good else PICKED
        for hub in hubs[article.subject]:
            if rng.random() < chance:
                day = article.listed_from + rng.expovariate(24 / PICK_H)
                picks.by_hub[hub].append((day, article.number))
    picks.sort()
    return picks


def _poisson(rng: random.Random, mean: float) -> int:
    """A Poisson count, by exponential waiting times."""
    count, waited = 0, rng.expovariate(1.0)
    while waited < mean:
        count, waited = count + 1, waited + rng.expovariate(1.0)
    return count
