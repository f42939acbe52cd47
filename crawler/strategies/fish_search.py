"""Fish-Search: schools of fish that live on while they find food."""

from collections.abc import Sequence
from math import inf

from crawler.page.parsed import ParsedPage
from crawler.strategies.base import JudgedPage, Rating
from crawler.strategies.order import ByPriority
from focusweb.parameters import Parameter, gettext_noop, require

#: What a link is worth: on a relevant page, on another page, past the width.
FED, HUNGRY, LATE = 1.0, 0.5, 0.0


class FishSearch(ByPriority):
    """Links of relevant pages first; a line that finds nothing for too long dies out.

    Parameters
    ----------
    width : int, default 10
        Links of an off-topic page that are followed soon; others wait.
    depth : int, default 3
        Off-topic pages in a row after which links are dropped.
    factor : float, default 1.5
        How many times the width of a relevant page's links are followed first.

    Raises
    ------
    ValueError
        If a parameter is not positive.

    References
    ----------
    P. De Bra, R. Post, "Information retrieval in the World-Wide Web: making client-based searching
    feasible", 1994; as described in Shark-Search, section 2.
    """

    name = "fish_search"
    parameters = (
        Parameter(
            "width",
            10,
            gettext_noop("links followed early from an off-topic page"),
            1,
            inf,
            is_whole=True,
        ),
        Parameter(
            "depth",
            3,
            gettext_noop("drop links after this many off-topic pages in a row"),
            1,
            inf,
            is_whole=True,
        ),
        Parameter(
            "factor",
            1.5,
            gettext_noop("relevant pages may have this many times as many links followed"),
            0,
            inf,
            frozenset({0.0}),
        ),
    )

    def __init__(self, width: int = 10, depth: int = 3, factor: float = 1.5) -> None:
        require(self, width=width, depth=depth, factor=factor)
        self._width, self._depth, self._factor = int(width), int(depth), factor

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        if judged.kept:
            first, width, depth = FED, int(self._factor * self._width), self._depth
        else:
            first, width = HUNGRY, self._width
            depth = int(judged.memo.get("depth", self._depth)) - 1
        if depth <= 0:
            return [None] * len(page.links)
        memo = {"depth": depth}
        early = Rating(first, {"parent": first}, memo)
        late = Rating(LATE, {"parent": LATE}, memo)
        return [early if place < width else late for place in range(len(page.links))]
