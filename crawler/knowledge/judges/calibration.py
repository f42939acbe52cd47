"""From a judge's logits to probabilities, with an unlabelled background."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.judges.logistic import sigmoid

Vector = NDArray[np.float64]

#: Strength of the belief that one page in twenty is on topic, in pages.
PRIOR_ON, PRIOR_OFF = 1.0, 19.0
#: Share of the fit's own probability in the result. Where pages separate well, both readings are 1
#: to the last digit; without this share the best page would equal the next.
DOUBT = 0.02
#: Weight of the reading that takes the background for off topic, beside the other's.
NEGATIVE_SHARE = 0.7
#: Log-odds past which a reading of five examples is not believed: 1 in 400.
SUREST = 6.0
#: Most that log-odds are raised for the share of topic pages, and steps to find how much.
MOST_RAISED = 2 * SUREST
_HALVINGS = 40
_ROUNDS = 60
_LEAST_VARIANCE = 1e-6


@dataclass(frozen=True, slots=True)
class LogisticCurve:
    """A logistic curve: probability sigmoid(slope * logit + offset); slope > 0."""

    slope: float
    offset: float

    def probability(self, logits: Vector) -> Vector:
        """Probability of each logit."""
        return sigmoid(self.log_odds(logits))

    def log_odds(self, logits: Vector) -> Vector:
        """Return its log-odds."""
        return self.slope * logits + self.offset


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probability from two readings of the unlabelled background.

    `as_negative` counts every background page as off topic. That is too low where the background
    holds topic pages. `as_mixture` takes the background for a mixture of both. That is too high
    where near misses look like topic pages. The weighted mean of their log-odds, each within
    ±`SUREST`, is better than either on both corpora; see docs/research/judges.md. `rise` is added
    to that mean, so that different logits have different probabilities however far they are raised.
    """

    as_negative: LogisticCurve
    as_mixture: LogisticCurve
    rise: float = 0.0

    def probability(self, logit: float) -> float:
        """Probability that a page with this logit is on topic, in [0, 1]."""
        return float(self.probabilities(np.array([logit]))[0])

    def probabilities(self, logits: Vector) -> Vector:
        """`probability` of each logit."""
        negative = np.clip(self.as_negative.log_odds(logits), -SUREST, SUREST)
        mixture = np.clip(self.as_mixture.log_odds(logits), -SUREST, SUREST)
        mean = NEGATIVE_SHARE * negative + (1 - NEGATIVE_SHARE) * mixture
        sure = sigmoid(mean + self.rise)
        chances: Vector = (1 - DOUBT) * sure + DOUBT * sigmoid(logits)
        return chances

    def raised(self, by: float) -> "Calibration":
        """Return the same with these log-odds added."""
        return replace(self, rise=self.rise + by)

    def rise_to(self, share: float, logits: Vector, *, least: float = 0.0) -> float:
        """Log-odds to add so that the mean probability of these logits is a share.

        In [`least`, `MOST_RAISED`]: by default never less than nothing, as the share may be
        too low.
        """
        low, high = least, MOST_RAISED
        if float(self.raised(low).probabilities(logits).mean()) >= share:
            return low
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            too_low = float(self.raised(middle).probabilities(logits).mean()) < share
            low, high = (middle, high) if too_low else (low, middle)
        return low


def calibrate(on: Vector, background: Vector) -> Calibration:
    """Fit a calibration.

    Parameters
    ----------
    on, background : ndarray of float64, shape (n,)
        Left-out logits of pages known to be on topic (at least one) and of background
        pages (at least two). Both must be samples: pages picked because of their
        rank, as rated ones are, would bend the curve.
    """
    negative = platt_line(on, background)
    mixture = mixture_line(on, background)
    # Positive pages below the background say nothing of how the two mix.
    return Calibration(negative, mixture if mixture.slope > 0 else negative)


def platt_line(on: Vector, off: Vector) -> LogisticCurve:
    """Logistic regression of one number, with Platt's smoothed targets.

    References
    ----------
    J. Platt, "Probabilistic outputs for support vector machines", 1999, section 2.2.
    """
    logits = np.concatenate([on, off])
    centre, scale = float(logits.mean()), max(float(logits.std()), 1e-9)
    x = np.column_stack([(logits - centre) / scale, np.ones(len(logits))])
    high, low = (len(on) + 1) / (len(on) + 2), 1 / (len(off) + 2)
    targets = np.concatenate([np.full(len(on), high), np.full(len(off), low)])
    line = np.array([0.0, np.log((len(on) + 1) / (len(off) + 1))])
    for _ in range(_ROUNDS):
        chances = sigmoid(x @ line)
        slope = x.T @ (chances - targets)
        hessian = (x * (chances * (1 - chances))[:, None]).T @ x
        step = np.linalg.solve(hessian + 1e-9 * np.eye(2), slope)  # all logits may be one
        # Far from the goal Newton's step overshoots for ever: halve it until it helps.
        while _loss(x @ (line - step), targets) > _loss(x @ line, targets) + 1e-12:
            step = step / 2
        line = line - step
        if np.abs(step).max() < 1e-8:
            break
    steepness = max(float(line[0]), 1e-6) / scale
    return LogisticCurve(steepness, float(line[1]) - steepness * centre)


def _loss(logits: Vector, targets: Vector) -> float:
    """Cross entropy of targets in [0, 1]."""
    return float((np.logaddexp(0.0, logits) - targets * logits).sum())


def mixture_line(on: Vector, background: Vector) -> LogisticCurve:
    """Two normal distributions of one variance, the background a mixture of both.

    Expectation and maximisation from the median outwards; `on` is known to belong to
    the higher one, and the share of topic pages has a beta prior with mean 1/20.
    """
    high, low = float(on.mean()), float(np.median(background))
    variance = float(background.var()) + _LEAST_VARIANCE
    share = PRIOR_ON / (PRIOR_ON + PRIOR_OFF)
    for _ in range(_ROUNDS):
        member = _line(high, low, variance, share).probability(background)
        n_on, n_off = float(member.sum()) + len(on), float((1 - member).sum())
        share = (float(member.sum()) + PRIOR_ON) / (len(background) + PRIOR_ON + PRIOR_OFF)
        high = float(on.sum() + member @ background) / n_on
        low = float((1 - member) @ background) / max(n_off, _LEAST_VARIANCE)
        spread = ((on - high) ** 2).sum() + member @ (background - high) ** 2
        spread += (1 - member) @ (background - low) ** 2
        variance = float(spread) / (n_on + n_off) + _LEAST_VARIANCE
    return _line(high, low, variance, share)


def _line(high: float, low: float, variance: float, share: float) -> LogisticCurve:
    """Bayes' rule for two normal distributions of one variance."""
    slope = (high - low) / variance
    odds = float(np.log(share / (1 - share)))
    return LogisticCurve(slope, odds - (high**2 - low**2) / (2 * variance))
