"""Pages stuffed with a topic's words: they are kept, but nothing they claim counts."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.page_matrix import PageMatrix, Vector
from crawler.page.parsed import PageTerms

#: A page looks stuffed from this share of topic terms among its words on, and this over the
#: root of their number more: of few words many may be the topic's by chance. From `RISE`
#: more on it is. Honest pages among the first of a topic have at most .85 of 90 words, .75
#: of 120 and .58 of 300.
ALONE: Final = 0.6
BY_LENGTH: Final = 2.5
RISE: Final = 0.08
#: Less is enough where few words stand for all of them: by Herdan's C, the logarithm of the
#: distinct words over that of all. Of honest pages on topic with a share of .4 none of a
#: topic's first has a C under .69.
SHARE: Final = (0.4, 0.55)
FEW_WORDS: Final = (0.69, 0.65)
#: Stuffed pages stand last, but in an order.
MOST_DOUBT: Final = 0.95
#: Pages with less trust look stuffed: they are listed apart from the news, are not delivered, and
#: make no page a hub.
LEAST_TRUST: Final = 0.5
#: From so many kept pages on a site is known by them.
KNOWN_BY: Final = 3
#: One in so many pages of domains that exchange links: of a single domain more must be stuffed.
GROUP_SHARE: Final = 8
#: What explanations call the part of a score that is taken away.
STUFFED: Final = "stuffed"
#: Shorter pages may be a mere heading.
LEAST_WORDS: Final = 60


def stuffing_score(share: float, n_words: int, n_distinct: int) -> float:
    """Return how far a page looks stuffed.

    Parameters
    ----------
    share : float
        Of its words that are topic terms, in [0, 1].
    n_words, n_distinct : int
        Its words, stop words left out, and how many different ones.

    Returns
    -------
    float
        In [0, 1].

    References
    ----------
    A. Ntoulas, M. Najork, M. Manasse, D. Fetterly, "Detecting spam web pages through content
    analysis", WWW 2006, sections 4.4 and 4.6: pages that repeat themselves are rarely natural.
    G. Herdan, "Type-token mathematics", 1960.
    """
    found = _stuffing(np.array([share]), np.array([n_words]), np.array([n_distinct]))
    return float(found[0])


def is_farm(n_pages: int, n_stuffed: int) -> bool:
    """True for a site of which so many pages are kept, if too many of them look stuffed.

    Of a few kept pages most must be, of more than a dozen a quarter: honest sites have hardly
    any, and a farm's pages do not all repeat as much.
    """
    if n_pages < KNOWN_BY:
        return False
    return 2 * n_stuffed > n_pages or (n_stuffed >= KNOWN_BY and 4 * n_stuffed >= n_pages)


def farms_among(
    n_pages: Mapping[str, int], n_stuffed: Mapping[str, int], links: Iterable[tuple[str, str]]
) -> frozenset[str]:
    """Return the domains that look like farms: by their own pages, or by those of linked domains.

    Parameters
    ----------
    n_pages, n_stuffed : mapping of str to int
        Kept pages of each domain, and those that look stuffed. Of the other domains that these
        and the domains that exchange links with them link to, the kept pages too.
    links : iterable of (str, str)
        Source and target domain of links in articles: all those from and to the domains with a
        stuffed page, and from the domains of `stuffed_groups`.

    Returns
    -------
    frozenset of str
        Domains by `is_farm`. Domains of a group that exchanges links, if one in `GROUP_SHARE` of
        its pages looks stuffed (*Resolved*): those with such a page, and those that link mostly
        within the group, by the domains they link to and how many of their pages are kept. And
        domains with a page that looks stuffed which link to a farm, or which a farm links to, and
        so on.

    References
    ----------
    B. Wu, B. Davison, "Identifying link farm spam pages", WWW 2005: farms exchange links.
    """
    targets = _targets(links)
    farms = {domain for domain, n in n_stuffed.items() if is_farm(n_pages[domain], n)}
    stuffed = {domain for domain, n in n_stuffed.items() if n}
    for group in _stuffed_groups(n_pages, n_stuffed, targets):
        farms |= {
            one
            for one in group
            if one in stuffed
            or 2 * _weight(targets[one] & group, n_pages) > _weight(targets[one], n_pages)
        }
    beside = {domain: set(targets.get(domain, ())) for domain in stuffed}
    for source, found in targets.items():
        for target in found & stuffed:
            beside[target].add(source)
    doubtful = stuffed - farms
    found = set(farms)
    while found:
        found = {domain for domain in doubtful if beside[domain] & found}
        farms |= found
        doubtful -= found
    return frozenset(farms)


def stuffed_groups(
    n_pages: Mapping[str, int], n_stuffed: Mapping[str, int], links: Iterable[tuple[str, str]]
) -> list[Set[str]]:
    """Groups of domains that exchange links and have too many pages that look stuffed.

    Which of their domains are farms depends on all that these link to. Takes the kept pages of
    all domains that exchange links with those with a stuffed page, and all links of the latter.
    """
    return list(_stuffed_groups(n_pages, n_stuffed, _targets(links)))


def _stuffed_groups(
    n_pages: Mapping[str, int], n_stuffed: Mapping[str, int], targets: Mapping[str, Set[str]]
) -> Iterator[Set[str]]:
    for group in _exchanging([domain for domain, n in n_stuffed.items() if n], targets):
        n, n_of_these = (
            sum(counts.get(domain, 0) for domain in group) for counts in (n_pages, n_stuffed)
        )
        if n_of_these >= KNOWN_BY and GROUP_SHARE * n_of_these >= n:
            yield group


def _targets(links: Iterable[tuple[str, str]]) -> Mapping[str, Set[str]]:
    targets: dict[str, set[str]] = defaultdict(set)
    for source, target in links:
        if source != target:
            targets[source].add(target)
    return targets


def _weight(domains: Set[str], n_pages: Mapping[str, int]) -> int:
    """How much some domains count together: each by its kept pages, at most `KNOWN_BY`.

    Most domains of a young farm have one page so far, and link to nothing. They must not count as
    much as those that are known.
    """
    return sum(min(n_pages.get(domain, 0), KNOWN_BY) for domain in domains)


def _exchanging(stuffed: Collection[str], targets: Mapping[str, Set[str]]) -> Iterator[Set[str]]:
    """Groups of domains connected by links both ways, one end of which has a stuffed page."""
    exchanged: dict[str, set[str]] = defaultdict(set)
    for source in stuffed:
        for target in targets.get(source, ()):
            if source in targets.get(target, ()):
                exchanged[source].add(target)
                exchanged[target].add(source)
    rest = set(exchanged)
    while rest:
        group, found = set[str](), {rest.pop()}
        while found:
            group |= found
            found = set().union(*(exchanged[one] for one in found)) - group
        rest -= group
        yield group


def links_by_source(known: Mapping[str, Collection[str]]) -> Iterator[tuple[str, str]]:
    """Each link of the targets by source."""
    for source, found in known.items():
        yield from ((source, target) for target in found)


def trust_of(page: PageTerms, topic_terms: Collection[str]) -> float:
    """Return how far a page is trusted, in (0, 1]: 1 but for what is stuffed with topic terms."""
    share = float(page.counts()[page.is_among(topic_terms)].sum()) / max(len(page), 1)
    if share <= SHARE[0]:
        return 1.0  # Most pages: no rule begins below.
    return 1 - MOST_DOUBT * stuffing_score(share, len(page), len(page.vocabulary))


def trusts_in(pages: PageMatrix, topic_terms: Collection[str]) -> Vector:
    """Trust in each page, as `trust_of` gives it, shape (n_pages,)."""
    is_topic = np.fromiter((term in topic_terms for term in pages.terms), np.float64)
    n_words = np.maximum(pages.lengths, 1)
    share = pages.sums(pages.counts * is_topic[pages.columns]) / n_words
    n_distinct = np.bincount(pages.rows, minlength=len(pages))
    found: Vector = 1 - MOST_DOUBT * _stuffing(share, n_words, n_distinct)
    return found


def _stuffing(share: Vector, n_words: NDArray[np.float64], n_distinct: NDArray[np.int64]) -> Vector:
    long_enough = n_words >= LEAST_WORDS
    herdan = np.log(np.maximum(n_distinct, 1)) / np.log(np.maximum(n_words, 2))
    repeats = _ramp(share, SHARE) * _ramp(-herdan, (-FEW_WORDS[0], -FEW_WORDS[1]))
    alone = _ramp(share - BY_LENGTH / np.sqrt(np.maximum(n_words, 1)), (ALONE, ALONE + RISE))
    found: Vector = np.where(long_enough, np.maximum(alone, repeats), 0.0)
    return found


def _ramp(values: Vector, ends: tuple[float, float]) -> Vector:
    """0 up to the first end, 1 from the second on."""
    start, end = ends
    found: Vector = np.clip((values - start) / (end - start), 0.0, 1.0)
    return found
