"""What a person's word on a site does to the score of its pages."""

from dataclasses import replace
from typing import Final

from crawler.ranking.score import PageScore

RAISE: Final = "raise"
LOWER: Final = "lower"
PIN: Final = "pin"
BLOCK: Final = "block"

#: A raised page gains so much of what it lacks to 1, a lowered one loses so much of what it has.
SHARE: Final = 0.3


def with_rule(score: PageScore, rule: str) -> PageScore:
    """Add a person's word on the page's site as a part of its own, "site".

    Parameters
    ----------
    score : PageScore
        Of links and content; at most 1.
    rule : str
        `RAISE`, `LOWER`, `PIN` or `BLOCK`, or "" for none. Only `RAISE` and `LOWER` move a score.

    Returns
    -------
    PageScore
        Still in [0, 1], and of two pages of one site the better stays the better
        (*Resolved*: the papers know no such part).
    """
    if not rule and "site" not in score.parts and not score.site_rule:
        return score
    parts = {name: value for name, value in score.parts.items() if name != "site"}
    if rule not in (RAISE, LOWER):
        return replace(score, parts=parts, site_rule="")
    return replace(
        score, parts=parts | {"site": moved_by(sum(parts.values()), rule)}, site_rule=rule
    )


def moved_by(value: float, rule: str) -> float:
    """How far a rule moves a score in [0, 1]."""
    if rule == RAISE:
        return SHARE * (1 - value)
    return -SHARE * value if rule == LOWER else 0.0
