"""A page's standing is its place by relevance among the pages kept."""

import pytest

from crawler.ranking.score import ContentValue, PaperRanker, Ranker, StandingRanker
from crawler.ranking.standing import FEWEST_PAGES, Standing

EVEN = Standing.of([n / 100 for n in range(101)])
CROWDED = Standing.of([0.5, *[0.97 + n / 10_000 for n in range(99)]])
#: Half of the pages are at the top.
TIED = Standing.of([*[n / 100 for n in range(50)], *[1.0] * 50])
ALIKE = Standing.of([0.9] * 30)


@pytest.mark.parametrize(
    ("table", "relevance", "share"),
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
def test_the_share_of_less_relevant_pages_is_told(
    table: Standing, relevance: float, share: float
) -> None:
    assert table.of_page(relevance) == pytest.approx(share, abs=0.051)


def test_pages_that_crowd_at_the_top_are_spread() -> None:
    assert CROWDED.of_page(0.978) - CROWDED.of_page(0.972) > 0.5


@pytest.mark.parametrize("table", [EVEN, CROWDED, TIED, ALIKE, Standing()])
def test_a_more_relevant_page_never_stands_lower(table: Standing) -> None:
    shares = [table.of_page(n / 5000) for n in range(5001)]

    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1


@pytest.mark.parametrize(("n_pages", "share"), [(0, 0.8), (FEWEST_PAGES - 1, 0.8), (20, 1.0)])
def test_of_few_pages_the_relevance_itself_counts(n_pages: int, share: float) -> None:
    assert Standing.of([0.6] * n_pages).of_page(0.8) == share


@pytest.mark.parametrize(
    ("ranker", "table", "counted", "by"),
    [
        (StandingRanker(), EVEN, 0.37, "standing"),
        (StandingRanker(), Standing(), 0.37, "relevance"),
        (PaperRanker(), EVEN, 0.2, "terms"),
    ],
)
def test_each_ranker_counts_content_in_its_way(
    ranker: Ranker, table: Standing, counted: float, by: str
) -> None:
    content = ContentValue(0.2, ("cell",), 5)
    score = ranker.score(
        content, 0.37, ("a.test",), 1, weights=(0.6, 0.4), scale=1.0, standing=table
    )

    assert score.counted == pytest.approx(counted) and score.counted_by == by
    assert score.parts == pytest.approx({"link": 0.3, "content": 0.4 * counted})
    assert score.value == sum(score.parts.values())


@pytest.mark.parametrize("ranker", [StandingRanker(), PaperRanker()])
def test_a_page_that_is_not_trusted_loses_of_both_parts(ranker: Ranker) -> None:
    scores = [
        ranker.score(
            ContentValue(0.5, (), 20, trust), 0.8, ("a.test",), 1,
            weights=(0.7, 0.3), scale=1.0, standing=Standing(),
        )
        for trust in (1.0, 0.05)
    ]  # fmt: skip
    assert "stuffed" not in scores[0].parts
    assert scores[1].value == pytest.approx(0.05 * scores[0].value)
    assert sum(scores[1].parts.values()) == pytest.approx(scores[1].value)
