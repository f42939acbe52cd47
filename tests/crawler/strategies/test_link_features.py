"""What the focus order counts: how far a site's pages are believed to be like each other."""

import numpy as np
import pytest

from crawler.strategies.link_features import LEAST_PRIOR_PAGES, PRIOR_PAGES, prior_pages_of

#: Ten sites with twenty pages each.
SITES = np.repeat(np.arange(10), 20)


def test_sites_that_differ_by_chance_alone_say_little() -> None:
    worth = np.random.default_rng(4).random(len(SITES))

    assert prior_pages_of(SITES, worth) > 5 * PRIOR_PAGES


def test_sites_whose_pages_are_alike_say_much() -> None:
    noise = np.random.default_rng(4).random(len(SITES))
    worth = np.where(SITES < 5, 0.8, 0.0) + 0.2 * noise

    assert prior_pages_of(SITES, worth) == LEAST_PRIOR_PAGES


@pytest.mark.parametrize(
    ("sites", "worth"),
    [
        ([], []),
        ([0], [0.4]),
        ([0, 0, 0], [0.1, 0.9, 0.2]),
        ([0, 1, 2], [0.1, 0.9, 0.2]),
        ([0, 0, 1, 1], [0.3, 0.3, 0.3, 0.3]),
    ],
)
def test_where_sites_cannot_be_compared_the_belief_stays(
    sites: list[int], worth: list[float]
) -> None:
    found = prior_pages_of(np.array(sites, np.int64), np.array(worth))

    assert found == pytest.approx(PRIOR_PAGES)
