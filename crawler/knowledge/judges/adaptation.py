"""How a topic's threshold and vector follow what an interval brought [P3]."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from crawler.knowledge.vectors import linear_combination, strongest, unit

#: P3's first threshold.
FIRST_THRESHOLD = 0.15
#: Terms a revised vector keeps (*Resolved*).
N_TERMS = 200


@dataclass(frozen=True, slots=True)
class AdaptationConstants:
    """The constants of P3's adaptation, each at the middle of the paper's range.

    Attributes
    ----------
    wanted : int
        S, pages wanted per interval, >= 1.
    tighten, tighten_more, loosen : float
        alpha in (1, 1.1), beta in (1.1, 1.5), gamma in (0.9, 1).
    poor : float
        mu in (0.1, 0.5): an interval with a smaller share of relevant pages is poor.
    lowest, highest : float
        Limits of the threshold (*Resolved*).

    Raises
    ------
    ValueError
        If a constant is outside its range.
    """

    wanted: int
    tighten: float = 1.05
    tighten_more: float = 1.3
    loosen: float = 0.95
    poor: float = 0.3
    lowest: float = 0.05
    highest: float = 0.6

    def __post_init__(self) -> None:
        ranges = {
            "tighten": (1.0, 1.1),
            "tighten_more": (1.1, 1.5),
            "loosen": (0.9, 1.0),
            "poor": (0.1, 0.5),
        }
        if self.wanted < 1:
            raise ValueError(f"wanted must be at least 1 page, got {self.wanted}")
        for name, (low, high) in ranges.items():
            if not low < getattr(self, name) < high:
                raise ValueError(
                    f"{name} must be between {low} and {high}, got {getattr(self, name)}"
                )
        if not 0 < self.lowest <= self.highest:
            raise ValueError(f"need 0 < lowest <= highest, got {self.lowest} and {self.highest}")


@dataclass(frozen=True, slots=True)
class Adaptation:
    """Where a topic's threshold stands after some intervals.

    Attributes
    ----------
    threshold : float
        thd, the cosine from which a page is relevant.
    n_intervals : int
        T, intervals so far.
    n_fetched, n_relevant : int
        F_T and R_T, pages of all intervals so far.
    """

    threshold: float = FIRST_THRESHOLD
    n_intervals: int = 0
    n_fetched: int = 0
    n_relevant: int = 0


def adapt(state: Adaptation, fetched: int, relevant: int, pace: AdaptationConstants) -> Adaptation:
    """Count an interval and move the threshold; once per interval, never per page.

    Parameters
    ----------
    fetched, relevant : int
        f_T and r_T, pages and relevant pages of the interval, 0 <= r_T <= f_T.

    Returns
    -------
    Adaptation
        With the threshold higher if more came than wanted, in the interval and in all
        (by `tighten_more` if few of them were relevant), lower if less came.

    Raises
    ------
    ValueError
        If `relevant` is negative or larger than `fetched`.

    References
    ----------
    [P3, adaptation rules 1 to 3]; *Resolved*: rule 2 replaces rule 1.
    """
    if not 0 <= relevant <= fetched:
        raise ValueError(f"need 0 <= relevant <= fetched, got {relevant} of {fetched}")
    counted = replace(
        state,
        n_intervals=state.n_intervals + 1,
        n_fetched=state.n_fetched + fetched,
        n_relevant=state.n_relevant + relevant,
    )
    expected = pace.wanted * counted.n_intervals
    factor = 1.0
    if fetched > pace.wanted and counted.n_fetched > expected:
        factor = pace.tighten_more if relevant < pace.poor * fetched else pace.tighten
    elif fetched < pace.wanted and counted.n_fetched < expected:
        factor = pace.loosen
    threshold = min(max(state.threshold * factor, pace.lowest), pace.highest)
    return replace(counted, threshold=threshold)


def revise(
    topic: Mapping[str, float],
    relevant: Sequence[tuple[Mapping[str, float], float]],
    irrelevant: Sequence[tuple[Mapping[str, float], float]],
    *,
    pinned: Collection[str],
    gain: float = 0.5,
    loss: float = 0.25,
) -> dict[str, float]:
    """Move a topic's vector towards relevant and away from irrelevant pages (Rocchio).

    Parameters
    ----------
    topic : mapping of str to float
        The vector before, of norm 1.
    relevant, irrelevant : sequence of (vector, weight)
        Pages as vectors of norm 1 with their trust, > 0; thumbs have more.
    pinned : collection of str
        Manual terms: they never leave the vector, nor weigh less than before.
    gain, loss : float
        eta and zeta, >= 0.

    Returns
    -------
    dict of str to float
        Of norm 1, no weight below 0, at most 200 terms besides the pinned ones. What
        the pages brought weighs at most as much as the vector before (drift guard).

    References
    ----------
    [P3]; J. Rocchio, "Relevance feedback in information retrieval", 1971; *Resolved*.
    """
    moved = linear_combination([(1, _mean(relevant, gain)), (-1, _mean(irrelevant, loss))])
    length = sum(weight * weight for weight in moved.values()) ** 0.5
    scale = min(1.0, 1.0 / length) if length else 0.0
    revised = linear_combination([(1, topic), (scale, moved)])
    kept = dict(strongest({t: w for t, w in revised.items() if w > 0}, N_TERMS))
    for term in pinned:
        if term in topic:
            kept[term] = max(topic[term], kept.get(term, 0.0))
    return unit(kept)


def _mean(pages: Sequence[tuple[Mapping[str, float], float]], times: float) -> dict[str, float]:
    total = sum(weight for _, weight in pages)
    return linear_combination((times * weight / total, vector) for vector, weight in pages)
