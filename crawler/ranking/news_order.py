"""The order in which news are listed: by score and age, with places for new sites."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from crawler.ranking.freshness import freshness_weight, is_new_site
from crawler.ranking.new_site_slots import Candidate, with_reserved


@dataclass(frozen=True, slots=True)
class NewsPage:
    """A page that is news, as far as its place depends on it.

    Attributes
    ----------
    score : float
        In [0, 1].
    dated : datetime
        When it was published, else when it was first seen.
    """

    key: int
    score: float
    dated: datetime
    domain: str
    site_first_seen: datetime


def news_order(
    pages: Iterable[NewsPage], half_life: int, baseline_end: datetime | None, now: datetime
) -> list[int]:
    """Keys of news in the order they are listed.

    `half_life` is in days, 0 for none; `baseline_end` as for `is_new_site`.
    """
    ranked = sorted(
        pages,
        key=lambda page: (-page.score * freshness_weight(now - page.dated, half_life), page.key),
    )
    candidates = [
        Candidate(page.key, page.domain, is_new_site(page.site_first_seen, baseline_end, now))
        for page in ranked
    ]
    return [one.key for one in with_reserved(candidates)]
