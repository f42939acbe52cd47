"""How better pages and farms fare in many planted webs, as a table.

`python -m tests.crawler.judging.planted_web_table` prints what `test_new_beats_old.py` holds
bounds of, for more webs, and what farms of dense pages reach.
"""

import os
import sys

import django

N_WEBS = 100
N_FARM_WEBS = 8


def main() -> None:
    """Print both tables."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    django.setup()
    from tests.crawler.judging import planted_web

    print("sites that link to the old page; webs; better page ahead by score; in the list")
    for linked_by in (planted_web.MANY, planted_web.POPULAR):
        print(*linked_by, *better_pages_ahead(linked_by), sep="\t", flush=True)
    thin, dense = planted_web.OTHERS
    print("share of topic words on farm pages; first places of a farm; most in one web; of")
    for share in (thin, (thin + dense) / 2, dense):
        print(f"{share:.2f}", *farm_places(share), sep="\t", flush=True)


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


def farm_places(share: float) -> tuple[int, int, int]:
    """Places of farms among the first ten by score: of all webs, most of one, and places in all."""
    from tests.crawler.judging.planted_web import planted_web
    from tests.crawler.ranking.test_farms import SHAPES

    places = []
    for shape in SHAPES.values():
        for seed in range(N_FARM_WEBS):
            scores = planted_web(seed, shape, farm_share=share).scores
            best = sorted(scores, key=lambda url: -scores[url])[:10]
            places.append(sum("farm" in url for url in best))
    return sum(places), max(places), 10 * len(places)


if __name__ == "__main__":
    sys.exit(main())
