"""What a paper claims, what was found here, and whether the two agree."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from focusweb.line_chart import LineChart


class Outcome(StrEnum):
    """Whether a claim holds here."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT = "not"


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a paper beside our figures.

    Attributes
    ----------
    text : str
        What the paper says.
    paper, ours : str
        Its figure and ours, as shown.
    outcome : Outcome
    reason : str
        Why it holds, or why it does not.
    """

    text: str
    paper: str
    ours: str
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """What an experiment gives.

    Attributes
    ----------
    claims : tuple of Claim
    figures : mapping
        Every number, by name; plain values for JSON.
    charts : mapping of str to LineChart
    """

    claims: tuple[Claim, ...]
    figures: Mapping[str, object]
    charts: Mapping[str, LineChart]


#: Called after each finished piece of work.
Progress = Callable[[], object]


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """The verdict of several measures of one claim: theirs if they agree, else partly."""
    found = set(outcomes)
    return found.pop() if len(found) == 1 else Outcome.PARTLY


def told_both(by_labels_and_text: Iterable[str]) -> str:
    """Figures by people's labels, then by text."""
    return " / by text: ".join(by_labels_and_text)


def outcome_of(holds: bool, *, partly: bool = False) -> Outcome:
    """The verdict on a claim that holds, holds in part, or does not."""
    if holds:
        return Outcome.REPRODUCED
    return Outcome.PARTLY if partly else Outcome.NOT
