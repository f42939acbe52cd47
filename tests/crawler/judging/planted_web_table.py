"""How better pages and farms fare in many planted webs.

    python -m tests.crawler.judging.planted_web_table

Prints what `test_new_beats_old.py` holds bounds of, for more webs, and what farms reach that are
young or that several honest sites link to.
"""

import os
import sys
from collections.abc import Iterator

import django

N_WEBS = 100
N_FARM_WEBS = 8


def lines() -> Iterator[str]:
    """What is printed."""
    from tests.crawler.judging.planted_web import MANY, OLD_DAYS, OTHERS, POPULAR, YOUNG_DAYS

    yield "sites that link to the old page: webs; better page ahead by the score, in the list"
    for linked_by in (MANY, POPULAR):
        n_webs, by_score, listed = better_pages_ahead(linked_by)
        yield f"{linked_by[0]} to {linked_by[1]}: {n_webs}; {by_score}, {listed}"
    yield "share of topic words on a farm's pages; sites that link to it; days since they were"
    yield "published: places among the first ten by the score"
    thin, dense = OTHERS
    for n_forums, days in ((1, OLD_DAYS), (1, YOUNG_DAYS), (2, OLD_DAYS), (3, OLD_DAYS)):
        for share in (thin, (thin + dense) / 2, dense):
            n_places, most, n_all = farm_places(share, n_forums, days)
            places = f"{n_places} of {n_all}, at most {most} of one web"
            yield f"{share:.2f}; {n_forums}; {days:.0f}: {places}"


def better_pages_ahead(linked_by: tuple[int, int]) -> tuple[int, int, int]:
    """Webs that kept both pages, and in how many the better one is first: by score, listed."""
    from tests.crawler.judging.planted_web import NEW, OLD, planted_web

    n_webs = by_score = listed = 0
    for seed in range(N_WEBS):
        web = planted_web(seed, linked_by=linked_by)
        if {NEW, OLD} <= web.scores.keys():
            n_webs += 1
            by_score += web.scores[NEW] > web.scores[OLD]
            listed += web.listed().index(NEW) < web.listed().index(OLD)
    return n_webs, by_score, listed


def farm_places(share: float, n_forums: int, days: float) -> tuple[int, int, int]:
    """First places of farms of all five shapes, the most of one web, and all first places."""
    from tests.crawler.judging.planted_web import planted_web
    from tests.crawler.ranking.test_farms import SHAPES

    places = []
    for shape in SHAPES.values():
        for seed in range(N_FARM_WEBS):
            web = planted_web(seed, shape, farm_share=share, n_forums=n_forums, farm_days=days)
            places.append(sum("farm" in url for url in web.first_by_score()))
    return sum(places), max(places), 10 * len(places)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    django.setup()
    for line in lines():
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
