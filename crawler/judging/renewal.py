"""Renew the scores of kept pages, after what was found since."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from crawler.judging.score import Ranking
from crawler.knowledge.profile import CrawlSettings
from crawler.messages import Scored
from crawler.ranking.link_age import RECENT, recent_since
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.score import WRITTEN, PageScore, Ranker
from crawler.ranking.scorers import Scorer
from crawler.ranking.votes import for_age


class RankedPages(Protocol):
    """The kept pages of a crawl, as a ranking sees them."""

    def kept_pages(self, now: datetime | None = None, links_since: int = 0) -> Sequence[Scored]:
        """Return every kept page with its votes as known now, and its age if `now` is given.

        Only links found since a day, in days from 1970-01-01, count.
        """

    def rescore(self, scores: Mapping[int, PageScore], scale: float, quantiles: Quantiles) -> None:
        """Renew the scores of kept pages, and keep by what they were scored."""

    def quantiles(self) -> Quantiles:
        """Return the quantiles as of the last ranking."""

    def group_stories(self) -> None:
        """Group kept pages into stories by event; a page never changes its story."""


def links_since(settings: CrawlSettings, now: datetime) -> int:
    """Return the first day, in days from 1970-01-01, whose new links count; 0 for all."""
    return recent_since(now) if settings.link_value == RECENT else 0


def renew_scores(
    board: RankedPages,
    settings: CrawlSettings,
    ranker: Ranker,
    scorers: Sequence[Scorer],
    now: datetime,
    *,
    everything: bool = False,
    least: float = WRITTEN,
) -> None:
    """Bring every kept page's score and story up to date with what was found since.

    With `everything`, also of pages whose score stays: how their links count has changed.
    A score that moves by less than `least` stays as it is.
    """
    board.group_stories()
    pages, scale = board.kept_pages(now, links_since(settings, now)), settings.link_scale
    quantiles = Quantiles.of(
        [page.relevance for page in pages],
        [page.content.density for page in pages],
        [page.content.trust for page in pages],
        typical=board.quantiles().typical,
        first=[page.is_first for page in pages],
    )
    ranking = Ranking(settings, ranker, quantiles, scorers)
    changed = {}
    for page in pages:
        sites, score = page.votes.sites, ranked(ranking, page)
        same_links = (page.n_sites, page.scale) == (len(sites), scale)
        if everything or not same_links or abs(score.value - page.score) > least:
            changed[page.key] = score
    board.rescore(changed, scale, quantiles)


def ranked(ranking: Ranking, page: Scored) -> PageScore:
    """Return the score of a kept page by the votes and the age known now."""
    votes = for_age(page.votes.total, page.age_days, page.votes.share)
    return ranking.score(
        page.content, page.relevance, page.name, sites=page.votes.sites, votes=votes
    )
