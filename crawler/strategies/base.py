"""What a strategy is: values it sees, and what it answers.

The crawl loop calls a strategy in three places. `rate_links` says what each link of a judged page
is worth (collector agent, many at once). `integrate` learns from an interval of judged pages and
may re-rate the frontier (manager agent, one at a time). `choose` picks what to fetch next (manager
agent). All are pure: the strategy's memory is its `State`, which the loop keeps on the blackboard.
"""

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.profile import TopicProfile
from crawler.page.parsed import PageTerms, ParsedPage

#: Words of all links to a URL, in its memo: those of a later link are added to them.
WORDS: Final = "words"
#: Above so many numbers for each end of a link, a graph's URL numbers are sorted, not tabulated.
MAX_SPREAD: Final = 8

#: What a strategy remembers of one link: plain values only, kept with the frontier entry.
#: The loop adds "parts", the named shares of the priority.
Memo = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A fetched page, what the judge said of it, and how it was reached.

    Attributes
    ----------
    key : int
        The URL's number on the blackboard.
    relevance : float
        In [0, 1].
    kept : bool
        Relevance reached the topic's threshold.
    depth_hops : int
        Links from the nearest seed; 0 for a seed.
    parent : int or None
        Key of the page whose link was followed; None for a seed.
    priority : float
        What the strategy gave the URL before it was fetched.
    memo : mapping
        What the strategy noted on the URL then.
    """

    key: int
    url: str
    site: str
    title: str
    terms: PageTerms
    relevance: float
    kept: bool
    depth_hops: int
    parent: int | None = None
    priority: float = 0.0
    memo: Memo = field(default_factory=dict)


class Rating(msgspec.Struct, frozen=True):
    """What one link is worth before it is fetched.

    Attributes
    ----------
    priority : float
        Expected worth; larger is fetched first.
    parts : mapping of str to float
        Named shares whose sum is `priority`: the reason shown to people.
    memo : mapping
        Plain values the strategy wants back when the page has been fetched.
    keep : bool
        The page is to be kept without a call of the judge [P1, direct download].
    """

    priority: float
    parts: Mapping[str, float] = msgspec.field(default_factory=dict)
    memo: Memo = msgspec.field(default_factory=dict)
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """A URL in the frontier, as a strategy sees it."""

    key: int
    url: str
    site: str
    depth_hops: int
    priority: float
    parent: int | None = None
    memo: Memo = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """The links found so far, between all known URLs.

    Attributes
    ----------
    keys : ndarray of int64, shape (n_urls,)
        The URL number of each node, ascending.
    sources, targets : ndarray of int64, shape (n_links,)
        Node positions (indices into `keys`) of each link's ends.
    in_frame : ndarray of bool, shape (n_links,), or None
        The link is in the frame of its page; None if that was not read.
    """

    keys: NDArray[np.int64]
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    in_frame: NDArray[np.bool_] | None = None

    @staticmethod
    def of_links(
        sources: NDArray[np.int64],
        targets: NDArray[np.int64],
        in_frame: NDArray[np.bool_] | None = None,
    ) -> "LinkGraph":
        """Return the graph of links given as URL numbers of both ends, shape (n_links,) each."""
        ends = np.concatenate((sources, targets))
        n_numbers = int(ends.max(initial=0)) + 1
        if n_numbers > MAX_SPREAD * len(ends):
            keys, ends = np.unique(ends, return_inverse=True)
        else:
            # To tabulate all numbers takes a twentieth of the time of sorting the ends.
            is_present = np.zeros(n_numbers, np.bool_)
            is_present[ends] = True
            keys = np.flatnonzero(is_present)
            ends = (np.cumsum(is_present) - 1)[ends]
        return LinkGraph(keys, ends[: len(sources)], ends[len(sources) :], in_frame)

    def distinct(self) -> "LinkGraph":
        """Return the same graph with each link once, wherever it is on its page."""
        # One number per link sorts many times faster than rows of two.
        numbers = np.unique(self.sources * np.int64(len(self.keys)) + self.targets)
        sources, targets = np.divmod(numbers, max(len(self.keys), 1))
        return LinkGraph(self.keys, sources, targets)


class GraphLoader(Protocol):
    """Reads the link graph found so far, with each link of a page once."""

    def __call__(self, *, in_frame: bool = False) -> LinkGraph:
        """Return the graph; with `in_frame` it says where each link is, at twice the cost."""


def _no_back_links(keys: Collection[int]) -> LinkGraph:
    nothing = np.zeros(0, np.int64)
    return LinkGraph(nothing, nothing, nothing)


@dataclass(frozen=True, slots=True)
class FrontierView:
    """What a strategy can read when it integrates or chooses.

    Attributes
    ----------
    waiting : callable
        ``waiting(n)`` gives the `n` best waiting URLs by priority, best first;
        ``waiting(None)`` gives all; of more than 20,000 the best 20,000, and what is new
        among the 10,000 found last.
    graph : callable
        ``graph()`` gives the link graph found so far, ``graph(in_frame=True)`` with the place of
        each link. Costly: call it once an interval.
    n_fetched : int
        Pages fetched by this run so far.
    back_links : callable
        ``back_links(keys)`` gives the links of stored pages that link to one of these pages,
        whoever fetched them: of those that link to most of them. Costly.
    """

    waiting: Callable[[int | None], Sequence[Waiting]]
    graph: GraphLoader
    n_fetched: int
    back_links: Callable[[Collection[int]], LinkGraph] = _no_back_links


@dataclass(frozen=True, slots=True)
class NewUrl:
    """A known URL that a strategy puts into the frontier, without a page that was fetched.

    Attributes
    ----------
    key : int
        From the graph of `FrontierView.back_links`.
    parent : int or None
        Key of the page that links to it.
    """

    key: int
    rating: Rating
    parent: int | None
    depth_hops: int


@dataclass(frozen=True, slots=True)
class Integration:
    """What a strategy concludes from an interval.

    Attributes
    ----------
    state : bytes
        Its memory from now on.
    ratings : mapping of int to Rating
        New priorities of waiting URLs, by key.
    new_urls : sequence of NewUrl
        To be put into the frontier, unless they were there before.
    """

    state: bytes
    ratings: Mapping[int, Rating] = field(default_factory=dict)
    new_urls: Sequence[NewUrl] = ()


class Strategy(Protocol):
    """One strategy. Instances hold parameters only; memory is `state`."""

    name: str

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Return the memory of a crawl that begins; `seed` feeds any chance it takes."""

    def rate_seed(self, position: int) -> Rating:
        """Return what the seed at this position of the seed list is worth."""

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        """Rate each of `page.links`, in order; None drops the link."""

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """Learn from the pages fetched since the last interval."""

    def choose(
        self, view: FrontierView, n_pages: int, state: bytes, rng: random.Random
    ) -> list[int]:
        """Keys of at most `n_pages` waiting URLs to fetch next, best first."""


@runtime_checkable
class EndingStrategy(Protocol):
    """A strategy that may end a run while URLs wait."""

    def has_ended(self, state: bytes, n_fetched: int) -> bool:
        """True if the run ends here, having fetched so many pages."""
