"""The two ends of the scale: breadth-first, and who knows every linked page's label."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from crawler.page.parsed import ParsedPage
from crawler.page.scope import is_worth_fetching

#: Keys each page links to, among the pages that are held, in page order.
Graph = Mapping[str, Sequence[str]]


def followable_links(pages: Mapping[str, ParsedPage]) -> dict[str, list[str]]:
    """The links a crawl may follow, from every page that is held."""
    graph = {}
    for key, page in pages.items():
        links = () if page.nofollow else page.links
        targets = (
            link.url.partition("://")[2]
            for link in links
            if not link.nofollow and is_worth_fetching(link.url)
        )
        graph[key] = [target for target in targets if target in pages and target != key]
    return graph


def breadth_first_order(graph: Graph, seeds: Iterable[str]) -> list[str]:
    """Return every page reached from the seeds, nearest first; in a layer, first found first."""
    order = list(dict.fromkeys(seed for seed in seeds if seed in graph))
    known = set(order)
    for key in order:
        for target in graph[key]:
            if target not in known:
                known.add(target)
                order.append(target)  # the loop goes on over it
    return order


def link_label_order(graph: Graph, seeds: Iterable[str], relevant: frozenset[str]) -> list[str]:
    """Return the crawl of someone who sees the true label of each link's target.

    A link to a relevant page is always followed first. Without one, the link of a relevant page
    comes before another's, first found first. The oracle cannot see further than one link, so it is
    not an upper bound, but no real crawl has more information.
    """
    tickets = count()
    waiting = [(0, 0, next(tickets), seed) for seed in dict.fromkeys(seeds) if seed in graph]
    known = {key for *_, key in waiting}
    order = []
    while waiting:
        key = heapq.heappop(waiting)[-1]
        order.append(key)
        for target in graph[key]:
            if target not in known:
                known.add(target)
                entry = (target not in relevant, key not in relevant, next(tickets), target)
                heapq.heappush(waiting, entry)
    return order
