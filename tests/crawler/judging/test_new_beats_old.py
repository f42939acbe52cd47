"""In planted webs a better article of a new site outranks an average one of an old site."""

from functools import cache

import pytest

from tests.crawler.judging.planted_web import (
    MANY,
    NEW,
    OLD,
    OTHERS,
    POPULAR,
    PlantedWeb,
    planted_web,
)
from tests.crawler.ranking.test_farms import SHAPES

N_WEBS = 60
N_FARM_WEBS = 8


#: How many sites link to the old page, of 24 and 5 seeds.
LINKED_BY = pytest.mark.parametrize("linked_by", [MANY, POPULAR])


@cache
def webs(linked_by: tuple[int, int]) -> list[PlantedWeb]:
    """Planted webs in which a first crawl kept both pages."""
    found = [planted_web(seed, linked_by=linked_by) for seed in range(N_WEBS)]
    return [web for web in found if {NEW, OLD} <= web.scores.keys()]


@LINKED_BY
def test_both_pages_are_found_and_kept(linked_by: tuple[int, int]) -> None:
    assert len(webs(linked_by)) >= 0.95 * N_WEBS


@LINKED_BY
def test_the_better_page_outranks_the_old_one_by_the_score_alone(
    linked_by: tuple[int, int],
) -> None:
    wins = [web.scores[NEW] > web.scores[OLD] for web in webs(linked_by)]

    assert sum(wins) >= 0.9 * len(wins)


@LINKED_BY
def test_the_better_page_is_listed_before_the_old_one(linked_by: tuple[int, int]) -> None:
    wins = [web.listed().index(NEW) < web.listed().index(OLD) for web in webs(linked_by)]

    assert sum(wins) >= 0.95 * len(wins)


@pytest.mark.parametrize(
    "share", [OTHERS[0], sum(OTHERS) / 2, OTHERS[1]], ids=["thin", "average", "dense"]
)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_farm_never_enters_the_first_ten_of_a_crawl(shape: str, share: float) -> None:
    for seed in range(N_FARM_WEBS):
        web = planted_web(seed, SHAPES[shape], farm_share=share)

        assert any("farm" in url for url in web.scores)  # a crawl meets it
        assert not [url for url in web.first_by_score() + web.listed()[:10] if "farm" in url]
