"""Which unlabelled pages a judge learns from: one rule for every blackboard."""

from typing import Final

#: Most background pages of a judge, and most pages of the crawl to choose them from.
N_BACKGROUND: Final = 300

#: Times a page's number, modulo 2^32, its place in a shuffle that is the same at every
#: call. Knuth's multiplicative hash (The Art of Computer Programming 3, section 6.4).
SCATTER: Final = 2_654_435_761
SCATTERED: Final = 2**32


def shuffle_key(number: int) -> int:
    """Place of a page in the shuffle, by its number."""
    return number * SCATTER % SCATTERED


def n_others(n_fetched: int) -> int:
    """Pages of any subject to add to a sample of what the crawl itself fetched.

    Half of that sample is on topic for all anybody knows, and left aside by the judge.
    """
    return max(N_BACKGROUND - min(n_fetched, N_BACKGROUND) // 2, 0)
