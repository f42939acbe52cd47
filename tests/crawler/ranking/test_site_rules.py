"""A person's word on a site is a part of the score like the others."""

import pytest

from crawler.knowledge.content_value import ContentValue
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.score import PageScore, PaperRanker
from crawler.ranking.scorers import ScoredPage, with_opinion
from crawler.ranking.site_rules import BLOCK, LOWER, PIN, RAISE, SiteRules

CONTENTS = [0.0, 0.1, 0.45, 0.5, 1.0]


def score(content: float, n_sites: int = 3):  # type: ignore[no-untyped-def]
    content_value = ContentValue(content, (), 20)
    return PaperRanker().score(
        content_value, 0.5, (), n_sites, weights=(0.7, 0.3), scale=1.0, quantiles=Quantiles()
    )


def with_rule(plain: PageScore, rule: str) -> PageScore:
    opinion = SiteRules().opinion(
        ScoredPage("http://a.test/", "Soup", "a.test", rule, 0.5, plain.value, plain.n_sites)
    )
    return with_opinion(plain, SiteRules.name, opinion) if opinion else plain


@pytest.mark.parametrize("rule", [RAISE, LOWER])
@pytest.mark.parametrize("n_sites", [0, 3, 10_000])
def test_parts_sum_to_a_score_that_stays_in_range_and_in_order(rule: str, n_sites: int) -> None:
    moved = [with_rule(score(content, n_sites), rule) for content in CONTENTS]
    values = [one.value for one in moved]

    assert all(sum(one.parts.values()) == one.value for one in moved)
    assert all(set(one.parts) == {"link", "content", "site"} for one in moved)
    assert all(0 <= value <= 1 for value in values)
    assert values == sorted(values)


def test_a_raised_page_gains_and_a_lowered_one_loses() -> None:
    plain = score(0.5)

    assert with_rule(plain, RAISE).value == pytest.approx(plain.value + 0.3 * (1 - plain.value))
    assert with_rule(plain, LOWER).value == pytest.approx(0.7 * plain.value)


@pytest.mark.parametrize("rule", ["", PIN, BLOCK])
def test_other_rules_leave_the_score_alone(rule: str) -> None:
    plain = score(0.5)

    assert with_rule(plain, rule) == plain
