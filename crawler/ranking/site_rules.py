"""What a person's word on a site does to the score of its pages."""

from typing import Final

from crawler.ranking.scorers import MAX_SHARE, Opinion, ScoredPage

RAISE: Final = "raise"
LOWER: Final = "lower"
PIN: Final = "pin"
BLOCK: Final = "block"


class SiteRules:
    """Raises or lowers pages of sites as the person said; other rules move no score."""

    name = "site"

    def opinion(self, page: ScoredPage) -> Opinion | None:
        """Return its opinion: the reason is the rule."""
        if page.rule == RAISE:
            return Opinion(MAX_SHARE, RAISE)
        return Opinion(-MAX_SHARE, LOWER) if page.rule == LOWER else None
