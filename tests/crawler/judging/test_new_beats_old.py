"""In planted webs a better article of a new site outranks an average one of an old site."""

from functools import cache

import pytest

from tests.crawler.judging.planted_web import NEW, OLD, PlantedWeb, planted_web
from tests.crawler.ranking.test_farms import SHAPES

N_WEBS = 60
N_FARM_WEBS = 3


@cache
def webs() -> list[PlantedWeb]:
    """Planted webs in which a first crawl kept both pages."""
    found = [planted_web(seed) for seed in range(N_WEBS)]
    return [web for web in found if {NEW, OLD} <= web.scores.keys()]


def test_both_pages_are_found_and_kept() -> None:
    assert len(webs()) >= 0.95 * N_WEBS


def test_the_better_page_outranks_the_old_one_by_the_score_alone() -> None:
    wins = [web.scores[NEW] > web.scores[OLD] for web in webs()]

    assert sum(wins) >= 0.9 * len(wins)


def test_the_better_page_is_listed_before_the_old_one() -> None:
    wins = [web.listed().index(NEW) < web.listed().index(OLD) for web in webs()]

    assert sum(wins) >= 0.95 * len(wins)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_farm_never_enters_the_first_ten_of_a_crawl(shape: str) -> None:
    for seed in range(N_FARM_WEBS):
        web = planted_web(seed, SHAPES[shape])
        best = sorted(web.scores, key=lambda url: -web.scores[url])[:10]

        assert any("farm" in url for url in web.scores)  # a crawl meets it
        assert not [url for url in best + web.listed()[:10] if "farm" in url]
