"""How often a source brings something new: a Gamma belief that forgets."""

from dataclasses import dataclass, replace
from typing import Final

#: What was seen so long ago counts half.
HALF_LIFE_DAYS: Final = 14.0


@dataclass(frozen=True, slots=True)
class Rate:
    """A Gamma distribution over new on-topic items per day.

    Attributes
    ----------
    alpha : float
        Items seen, with the prior's; > 0.
    beta : float
        Days watched, with the prior's; > 0.
    prior_alpha, prior_beta : float
        What it goes back to while nobody looks.
    """

    alpha: float
    beta: float
    prior_alpha: float
    prior_beta: float

    @property
    def per_day(self) -> float:
        """Expected new items per day, > 0."""
        return self.alpha / self.beta

    def after(self, days: float, n_new: int) -> "Rate":
        """Learn from a visit.

        Parameters
        ----------
        days : float
            Since the last visit, >= 0.
        n_new : int
            New on-topic items found, >= 0.

        Raises
        ------
        ValueError
            If either is negative.

        References
        ----------
        Crawl methods C7: g = 2^(-days/14), alpha = alpha0 + (alpha - alpha0) g + n,
        beta = beta0 + (beta - beta0) g + days.
        """
        if days < 0 or n_new < 0:
            raise ValueError(f"days and items must not be negative, got {days} and {n_new}")
        kept = 2.0 ** (-days / HALF_LIFE_DAYS)
        return replace(
            self,
            alpha=self.prior_alpha + (self.alpha - self.prior_alpha) * kept + n_new,
            beta=self.prior_beta + (self.beta - self.prior_beta) * kept + days,
        )


#: What is believed of a source nobody has looked at: of any, and of feeds and section pages.
ANY_SOURCE: Final = Rate(0.3, 2.0, 0.3, 2.0)
FEED: Final = Rate(1.0, 2.0, 1.0, 2.0)
