"""How often a source brings something new: Gamma beliefs that forget, fast and slowly."""

import math
from dataclasses import dataclass, replace
from typing import Final

from crawler.revisit.listed import Growth

#: What was seen so long ago counts half, in each of the beliefs. A steady source is known
#: best by a long memory, one that changes its habits by a short one; which of them a source
#: is shows in how well each foretells its visits.
HALF_LIVES_DAYS: Final = (2.0, 14.0, 90.0)
#: A right guess so long ago speaks half as loud for the belief that made it.
EVIDENCE_HALF_LIFE_DAYS: Final = 14.0


@dataclass(frozen=True, slots=True)
class Belief:
    """A Gamma distribution over new on-topic items per day, of one half-life.

    Attributes
    ----------
    half_life_days : float
        > 0.
    alpha : float
        Items seen, with the prior's; > 0.
    beta : float
        Days watched, with the prior's; > 0.
    evidence : float
        Logarithm of how well it foretold the visits, up to a constant that all share.
    """

    half_life_days: float
    alpha: float
    beta: float
    evidence: float = 0.0

    @property
    def per_day(self) -> float:
        """Expected new items per day, > 0."""
        return self.alpha / self.beta


@dataclass(frozen=True, slots=True)
class Rate:
    """What is believed of the new on-topic items a source brings per day.

    Attributes
    ----------
    prior_alpha, prior_beta : float
        Every belief returns to this rate without visits; > 0.
    beliefs : tuple of Belief
        One per half-life.
    """

    prior_alpha: float
    prior_beta: float
    beliefs: tuple[Belief, ...]

    @classmethod
    def expected(cls, n_items: float, days: float) -> "Rate":
        """What is believed before the first visit: as if so many items came in so many days."""
        beliefs = tuple(Belief(half_life, n_items, days) for half_life in HALF_LIVES_DAYS)
        return cls(n_items, days, beliefs)

    @property
    def per_day(self) -> float:
        """Expected new items per day, > 0."""
        best = max(belief.evidence for belief in self.beliefs)
        weights = [math.exp(belief.evidence - best) for belief in self.beliefs]
        pairs = zip(weights, self.beliefs, strict=True)
        return math.fsum(w * belief.per_day for w, belief in pairs) / math.fsum(weights)

    def after(self, days: float, n_new: float) -> "Rate":
        """Learn from a visit.

        Parameters
        ----------
        days : float
            Since the last visit, >= 0.
        n_new : float
            New on-topic items found, >= 0; a fraction for what is expected.

        Raises
        ------
        ValueError
            If either is negative.

        References
        ----------
        Crawl methods C7: g = 2^(-days/half-life), alpha = alpha0 + (alpha - alpha0) g + n,
        beta = beta0 + (beta - beta0) g + days. *Resolved*: instead of one half-life of 14
        days there are several, averaged by the evidence for each
        (`docs/research/simulation.md`).
        """
        if days < 0 or n_new < 0:
            raise ValueError(f"days and items must not be negative, got {days} and {n_new}")
        return replace(self, beliefs=tuple(self._learn(b, days, n_new) for b in self.beliefs))

    def after_growth(self, grew: Growth) -> "Rate":
        """Learn from the dates in a list, as if it had been visited after each stretch."""
        rate = self
        for n_new in grew.counts:
            rate = rate.after(grew.days, n_new)
        return rate

    def _learn(self, belief: Belief, days: float, n_new: float) -> Belief:
        kept = 2.0 ** (-days / belief.half_life_days)
        alpha = self.prior_alpha + (belief.alpha - self.prior_alpha) * kept
        beta = self.prior_beta + (belief.beta - self.prior_beta) * kept
        faded = belief.evidence * 2.0 ** (-days / EVIDENCE_HALF_LIFE_DAYS)
        evidence = faded + _log_chance(n_new, alpha, beta, days)
        return replace(belief, alpha=alpha + n_new, beta=beta + days, evidence=evidence)


def _log_chance(n_new: float, alpha: float, beta: float, days: float) -> float:
    """Logarithm of the chance of `n_new` items in some days, up to a term of `n_new` alone.

    The negative binomial distribution: Poisson counts of a Gamma rate. Visits in one moment carry
    no information.
    """
    if days == 0:
        return 0.0
    counted = math.lgamma(alpha + n_new) - math.lgamma(alpha)
    return counted + alpha * math.log(beta / (beta + days)) - n_new * math.log(beta + days)


#: Prior of a source that was never visited: of any, and of feeds and section pages.
ANY_SOURCE: Final = Rate.expected(0.3, 2.0)
FEED: Final = Rate.expected(0.3, 1.0)
