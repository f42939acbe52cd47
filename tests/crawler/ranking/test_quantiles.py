"""A page's standing is its place by relevance among the pages kept."""

from datetime import UTC, datetime, timedelta

import pytest

from crawler.knowledge.content_value import ContentValue
from crawler.ranking.quantiles import FEWEST_PAGES, Quantiles, first_until
from crawler.ranking.score import (
    AbsoluteRanker,
    PaperRanker,
    PercentileRanker,
    Ranker,
    absolute_content,
    density_value,
)

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
EVEN = [n / 100 for n in range(101)]
CROWDED = [0.5, *[0.97 + n / 10_000 for n in range(99)]]
#: Half of the pages are at the top.
TIED = [*[n / 100 for n in range(50)], *[1.0] * 50]
ALIKE = [0.9] * 30


def quantiles_of(relevances: list[float], densities: list[float]) -> Quantiles:
    """The tables of pages that are all trusted."""
    return Quantiles.of(relevances, densities, [1.0] * len(relevances))


BOTH = quantiles_of(EVEN, EVEN)


def place(values: list[float], value: float) -> float:
    """The place of a page by relevance, and at once by density: both are dealt with alike."""
    alike = [0.5] * len(values)
    by_relevance = quantiles_of(values, alike).of_page(value, 0.5)
    by_density = quantiles_of(alike, values).of_page(0.5, value)
    assert by_relevance and by_density
    assert by_relevance.by_relevance == by_density.by_density
    assert by_relevance.by_density == by_density.by_relevance == 0.5
    return by_relevance.by_relevance


@pytest.mark.parametrize(
    ("values", "value", "share"),
    [
        (EVEN, 0.37, 0.37),
        (EVEN, 0.0, 0.0),
        (EVEN, 1.0, 1.0),
        (CROWDED, 0.4, 0.0),
        (CROWDED, 0.9799, 1.0),
        (TIED, 1.0, 0.75),
        (TIED, 0.1, 0.1),
        (ALIKE, 0.9, 0.5),
        (ALIKE, 0.8, 0.0),
        (ALIKE, 0.95, 1.0),
    ],
)
def test_the_share_of_lesser_pages_is_reported(
    values: list[float], value: float, share: float
) -> None:
    assert place(values, value) == pytest.approx(share, abs=0.051)


def test_pages_that_crowd_at_the_top_are_spread() -> None:
    assert place(CROWDED, 0.978) - place(CROWDED, 0.972) > 0.5


@pytest.mark.parametrize("values", [EVEN, CROWDED, TIED, ALIKE])
def test_a_better_page_never_stands_lower(values: list[float]) -> None:
    shares = [place(values, n / 1000) for n in range(1001)]

    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1


def test_both_places_count_alike() -> None:
    places = BOTH.of_page(0.2, 0.8)

    assert places and places.mean == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("n_pages", "is_known"), [(0, False), (FEWEST_PAGES - 1, False), (20, True)]
)
def test_few_pages_place_none(n_pages: int, is_known: bool) -> None:
    quantiles = quantiles_of([0.6] * n_pages, [0.6] * n_pages)

    assert quantiles.is_known is is_known
    assert (quantiles.of_page(0.8, 0.8) is not None) is is_known


def test_stuffed_pages_push_no_fair_one_down() -> None:
    fair, stuffed = [n / 200 for n in range(101)], [0.99] * 50
    with_farm = Quantiles.of(fair + stuffed, fair + stuffed, [1.0] * 101 + [0.05] * 50)

    assert with_farm == quantiles_of(fair, fair)
    assert not Quantiles.of(stuffed, stuffed, [0.05] * 50).is_known


@pytest.mark.parametrize(
    ("ranker", "table", "counted", "by"),
    [
        (PercentileRanker(), BOTH, 0.6, "standing"),
        (PercentileRanker(), Quantiles(), 0.37, "relevance"),
        (PaperRanker(), BOTH, 0.2, "terms"),
        (AbsoluteRanker(), BOTH, absolute_content(0.37, density_value(0.83, 0.5)), "value"),
        (AbsoluteRanker(), Quantiles(), absolute_content(0.37, density_value(1, 1)), "value"),
    ],
)
def test_each_ranker_counts_content_in_its_way(
    ranker: Ranker, table: Quantiles, counted: float, by: str
) -> None:
    content = ContentValue(0.2, ("cell",), 5, density=0.83)
    score = ranker.score(
        content, 0.37, ("a.test",), 1, weights=(0.6, 0.4), scale=1.0, quantiles=table
    )

    assert score.counted == pytest.approx(counted) and score.counted_by == by
    assert score.parts == pytest.approx({"link": 0.3, "content": 0.4 * counted})
    assert score.value == sum(score.parts.values())


@pytest.mark.parametrize("ranker", [AbsoluteRanker(), PercentileRanker(), PaperRanker()])
def test_a_page_that_is_not_trusted_loses_of_both_parts(ranker: Ranker) -> None:
    scores = [
        ranker.score(
            ContentValue(0.5, (), 20, trust),
            0.8,
            ("a.test",),
            1,
            weights=(0.7, 0.3),
            scale=1.0,
            quantiles=Quantiles(),
        )
        for trust in (1.0, 0.05)
    ]
    assert "stuffed" not in scores[0].parts
    assert scores[1].value == pytest.approx(0.05 * scores[0].value)
    assert sum(scores[1].parts.values()) == pytest.approx(scores[1].value)


@pytest.mark.parametrize(
    ("density", "value"), [(0, 0), (0.1, 0.111), (0.168, 0.5), (0.2, 0.667), (0.3, 0.91)]
)
def test_density_counts_half_at_five_sixths_of_the_typical_one(
    density: float, value: float
) -> None:
    assert density_value(density, 0.2) == pytest.approx(value, abs=0.006)


def test_scores_of_two_topics_compare_however_dense_their_pages_are() -> None:
    """A page with twice what is typical of its topic stands alike in a dense and in a thin one."""

    def value(topic: Quantiles, density: float) -> float:
        content = ContentValue(0.4, (), 20, density=density)
        score = AbsoluteRanker().score(
            content, 0.9, (), 2.0, weights=(0.3, 0.7), scale=5.0, quantiles=topic
        )
        return score.value

    dense = quantiles_of([0.9] * 30, [0.08] * 30)
    thin = quantiles_of([0.6] * 300, [0.01] * 300)

    assert value(dense, 0.16) == pytest.approx(value(thin, 0.02))
    assert value(dense, 0.08) == pytest.approx(value(thin, 0.01))
    assert value(dense, 0.16) > value(thin, 0.01)


def test_absolute_content_is_how_surely_a_page_is_on_topic_times_its_worth() -> None:
    assert absolute_content(1, 1) == pytest.approx(1)
    assert absolute_content(1, 0) == pytest.approx(0.5)
    assert absolute_content(1, 0.5) == pytest.approx(0.75)
    assert absolute_content(0.9, 0.5) == pytest.approx(0.434, abs=0.001)


def test_a_dense_page_that_is_hardly_relevant_is_worth_less_than_a_thin_relevant_one() -> None:
    assert absolute_content(0.6, 1) < absolute_content(0.99, 0)


def test_density_counts_also_where_a_judge_gives_all_pages_little() -> None:
    assert absolute_content(0, 0) == pytest.approx(0.05)
    assert absolute_content(0, 1) == pytest.approx(0.1)


def test_the_typical_density_stays_until_it_is_off_by_half() -> None:
    first = quantiles_of([0.6] * 20, [0.20] * 20)
    assert first.typical == 0.20

    for density, typical in ((0.25, 0.20), (0.15, 0.20), (0.31, 0.31), (0.13, 0.13)):
        later = Quantiles.of([0.6] * 20, [density] * 20, [1.0] * 20, typical=first.typical)
        assert later.typical == typical


def test_pages_that_are_kept_later_do_not_change_the_typical_density() -> None:
    thin = [0.2] * 8 + [0.1] * 92
    first = [True] * 8 + [False] * 92
    few = [True] * 4 + [False] * 96

    def typical(first: list[bool]) -> float:
        same = [1.0] * len(thin)
        return Quantiles.of(same, thin, same, typical=0.2, first=first).typical

    assert typical(first) == 0.2
    # If too few of the first are left, all say what is typical.
    assert typical(few) == typical([]) == 0.1


def test_the_first_pages_are_those_of_the_first_run_and_at_least_twenty() -> None:
    days = [NOON + timedelta(days=n) for n in range(30)]

    assert first_until(None, days) is None
    assert first_until(days[0], days[: FEWEST_PAGES - 1]) is None
    assert first_until(days[0], days) == days[FEWEST_PAGES - 1]
    assert first_until(days[25], days) == days[25]


def test_few_pages_are_not_typical() -> None:
    assert quantiles_of([0.6] * 4, [0.2] * 4).typical == 0
    assert quantiles_of([0.6] * 5, [0.2] * 5).typical == 0.2
    assert Quantiles.of([], [], [], typical=0.3).typical == 0.3
