"""Which strategy of a comparison is better, and when the data do not show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from crawler.api.replay import clustered_interval
from topics.runs.comparison import Comparison

#: Where more of the stored pages are relevant, every strategy finds them.
MOST_WANTED: Final = 0.5
#: Pages of one host are found together, so a few hosts are a few observations.
LEAST_HOSTS: Final = 5
_SEED: Final = 1


@dataclass(frozen=True, slots=True)
class RecallDifference:
    """How many of the wanted pages a strategy found less than the best one, as shares.

    Attributes
    ----------
    low, high : float
        95 % interval of the best one's recall less this one's.
    """

    name: str
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves no doubt which of the two is better."""
        return self.low > 0 or self.high < 0


def intervals_against_best(found: Comparison, best: str) -> dict[str, RecallDifference]:
    """The interval of each other strategy against the best one; empty if it was not counted."""
    if not found.wanted_by_host:
        return {}
    own = found.curves[best].found_by_host
    return {
        name: RecallDifference(
            name,
            *clustered_interval(own, curve.found_by_host, found.wanted_by_host, seed=_SEED),
        )
        for name, curve in found.curves.items()
        if name != best
    }


def verdict(found: Comparison, ranked: Sequence[str]) -> str:
    """One sentence: which strategy is better, or why that is not known.

    `ranked` are the strategies, best first.
    """
    if len(ranked) < 2:
        return ""
    if found.n_pages and found.n_wanted / found.n_pages > MOST_WANTED:
        return _(
            "This comparison cannot tell: %(wanted)d of %(pages)d stored pages are relevant, so "
            "every strategy finds them."
        ) % {"wanted": found.n_wanted, "pages": found.n_pages}
    if not found.wanted_by_host:
        return _("Compare again to see whether the differences are more than chance.")
    n_hosts = len(found.wanted_by_host)
    if n_hosts < LEAST_HOSTS:
        return ngettext(
            "This comparison cannot tell: the relevant pages are on %(n)d site only, and pages of "
            "one site are found together.",
            "This comparison cannot tell: the relevant pages are on %(n)d sites only, and pages of "
            "one site are found together.",
            n_hosts,
        ) % {"n": n_hosts}
    best = ranked[0]
    against = intervals_against_best(found, best)
    unclear = [name for name in ranked[1:] if not against[name].is_clear]
    if not unclear:
        return _("%(best)s found more than every other strategy.") % {"best": best}
    return _("This comparison cannot tell whether %(best)s is better than %(others)s.") % {
        "best": best,
        "others": pgettext("between words of a list", ", ").join(unclear),
    }
