"""A page's score: what the ranker gives it, and the opinions of scorers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crawler.knowledge.content_value import ContentValue
from crawler.knowledge.profile import CrawlSettings
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.score import PageScore, Ranker
from crawler.ranking.scorers import PageName, ScoredPage, Scorer, with_opinion


@dataclass(frozen=True, slots=True)
class Ranking:
    """Everything that decides a page's score beside the page."""

    settings: CrawlSettings
    ranker: Ranker
    quantiles: Quantiles
    scorers: Sequence[Scorer]

    def score(
        self,
        content: ContentValue,
        relevance: float,
        page: PageName,
        *,
        sites: Sequence[str] = (),
        n_sites: int | None = None,
        votes: float = 0.0,
    ) -> PageScore:
        """Score a page.

        `sites` link to it. Pass `n_sites` where only their number is known, or where an
        explanation names fewer than there are. `votes` is what they count together, LN.
        """
        score = self.ranker.score(
            content,
            relevance,
            sites,
            votes,
            weights=(self.settings.link_weight, self.settings.content_weight),
            scale=self.settings.link_scale,
            quantiles=self.quantiles,
        )
        if n_sites is not None and n_sites != score.n_sites:
            score = replace(score, n_sites=n_sites)
        rule = self.settings.rule_of(page.site)
        for scorer in self.scorers:
            known = ScoredPage(
                page.url, page.title, page.site, rule, relevance, score.value, score.n_sites
            )
            opinion = scorer.opinion(known)
            if opinion is not None:
                score = with_opinion(score, scorer.name, opinion)
        return score
