"""What a paper claims, what was found here, and whether the two agree."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

from crawler.replay.metrics import paired_interval
from focusweb.charts.line_chart import LineChart


class Outcome(StrEnum):
    """Whether a claim holds here."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT = "not"


@dataclass(frozen=True, slots=True)
class Margin:
    """A difference of two figures: its mean, and the 95 % bootstrap interval of that.

    Attributes
    ----------
    what : str
        Of which figures; above 0 is what the claim says.
    """

    what: str
    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.what}: {self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a paper beside our figures.

    Attributes
    ----------
    text : str
        What the paper says.
    paper, ours : str
        Its figure and ours, as shown.
    measured : str
        What our figure is.
    reason : str
        Why it does not hold, or not in full; "" if it is reproduced.
    margins : tuple of Margin
        On which the outcome rests, by labels and then by text where both were measured.
    """

    text: str
    paper: str
    ours: str
    measured: str
    outcome: Outcome
    reason: str
    margins: tuple[Margin, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What an experiment gives.

    Attributes
    ----------
    figures : mapping
        Every number, by name; plain values for JSON.
    """

    claims: tuple[Claim, ...]
    figures: Mapping[str, object]
    charts: Mapping[str, LineChart]


#: Called after each finished piece of work.
Progress = Callable[[], object]


def claim(
    text: str,
    *,
    paper: str,
    ours: str,
    measured: str,
    margins: Sequence[Sequence[Margin]],
    unless: str,
    least: float = 0.0,
) -> Claim:
    """Make a claim whose outcome follows from its margins.

    Parameters
    ----------
    text, paper, ours, measured : str
        As in `Claim`.
    margins : sequence of sequence of Margin
        One sequence for each measure of the claim, never empty.
    unless : str
        The reason, if the claim is not reproduced.
    least : float, default 0
        What a margin must be above.
    """
    outcome = together(ahead(some, least) for some in margins)
    reason = "" if outcome is Outcome.REPRODUCED else unless
    shown = tuple(margin for some in margins for margin in some)
    return Claim(text, paper, ours, measured, outcome, reason, shown)


def margin(what: str, ours: Mapping[str, float], theirs: Mapping[str, float]) -> Margin:
    """Return the difference of two figures, paired by topic or by web."""
    low, high = paired_interval(ours, theirs, seed=0)
    return Margin(what, fmean(ours[name] - theirs[name] for name in ours), low, high)


def ahead(margins: Sequence[Margin], least: float = 0.0) -> Outcome:
    """Return whether differences are above `least`.

    Reproduced if every interval is; partly if one interval is, or every mean; else not.
    """
    if all(margin.low > least for margin in margins):
        return Outcome.REPRODUCED
    is_one = any(margin.low > least for margin in margins)
    if is_one or all(margin.mean > least for margin in margins):
        return Outcome.PARTLY
    return Outcome.NOT


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the verdict of several measures of one claim: theirs if they agree, else partly."""
    found = set(outcomes)
    return found.pop() if len(found) == 1 else Outcome.PARTLY


def by_labels_and_text(figures: Iterable[str]) -> str:
    """Figures by people's labels, then by text."""
    return " / by text: ".join(figures)
