"""The links a crawl followed from a seed to its pages, for many pages at once."""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crawler.api.tables import (
    Crawl,
    Harvest,
    Url,
    chunks,
    places,
    select_rows,
    unpack_notes,
)
from topics.models import Topic
from topics.pages.blocks import Line

MAX_HOPS = 12

_BEGINNINGS = {
    "": gettext_lazy("A seed of this topic."),
    "pasted": gettext_lazy("A seed of this topic."),
    "pinned": gettext_lazy("On a site that you pinned."),
    "searxng": gettext_lazy("Found by a search of this topic."),
    "providers": gettext_lazy("Found by a search of this topic."),
    "feeds": gettext_lazy("Listed in a feed."),
    "sitemaps": gettext_lazy("Listed in a sitemap."),
    "hubs": gettext_lazy("This page led to relevant pages before."),
    "linking": gettext_lazy("Links to a seed, as a search provider says."),
    "backlinks": gettext_lazy("Links to pages found before."),
    "scouts": gettext_lazy("Relevant pages link to its site."),
    "refresh": gettext_lazy("Known before and checked again."),
}


#: Entries of some pages, and of the pages they were found on, and so on.
_WAYS = """
    WITH RECURSIVE way (url_id, hop) AS (
        SELECT url_id, 1 FROM crawler_frontierentry WHERE crawl_id = %s AND url_id IN ({places})
        UNION
        SELECT entry.parent_id, way.hop + 1
        FROM way JOIN crawler_frontierentry entry
          ON entry.crawl_id = %s AND entry.url_id = way.url_id
        WHERE way.hop < %s AND entry.parent_id IS NOT NULL
    )
    SELECT entry.url_id, entry.parent_id, entry.memo, entry.depth_hops, url.url, url.site_id
    FROM (SELECT DISTINCT url_id FROM way) step
    JOIN crawler_frontierentry entry ON entry.crawl_id = %s AND entry.url_id = step.url_id
    JOIN crawler_url url ON url.id = entry.url_id
"""


@dataclass(frozen=True, slots=True)
class Path:
    """The URLs from a seed to a page, and which source brought the seed.

    `is_cut` is True if the first ones are not there: of a long path only the last `MAX_HOPS` are,
    and pages before them may have been deleted with their site.
    """

    steps: tuple[Url, ...]
    source: str = ""
    is_cut: bool = False

    def __iter__(self) -> Iterator[Url]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def beginning(self) -> str:
        """Where the path began, as a sentence."""
        if self.is_cut:
            return _("The path is longer: its first steps are not shown.")
        if self.source in _BEGINNINGS:
            return str(_BEGINNINGS[self.source])
        return _("Found by the source %(name)s.") % {"name": self.source}


def paths_from_seed(crawl: Crawl, url_ids: Iterable[int]) -> dict[int, Path]:
    """Return the URLs from a seed to each page, as followed; one query for all pages and levels."""
    wanted = sorted(set(url_ids))
    parents: dict[int, int | None] = {}
    urls: dict[int, Url] = {}
    sources: dict[int, str] = {}
    orphans: set[int] = set()
    for some in chunks(wanted):
        rows = select_rows(
            _WAYS.format(places=places(some)), [crawl.pk, *some, crawl.pk, MAX_HOPS, crawl.pk]
        )
        for url_id, parent, memo, depth, address, site in rows:
            parents[url_id] = parent
            urls[url_id] = Url(pk=url_id, url=address, site_id=site)
            sources[url_id] = str(unpack_notes(memo).get("source", ""))
            if parent is None and depth and not sources[url_id]:
                orphans.add(url_id)
    return {url_id: _walk(url_id, parents, urls, sources, orphans) for url_id in wanted}


def _walk(
    url_id: int,
    parents: Mapping[int, int | None],
    urls: Mapping[int, Url],
    sources: Mapping[int, str],
    orphans: Set[int],
) -> Path:
    path: list[Url] = []
    current: int | None = url_id
    while current is not None and current in urls and len(path) < MAX_HOPS:
        path.append(urls[current])
        current = parents[current]
        if current in {url.pk for url in path}:
            break
    if not path:
        return Path(())
    first = path[-1].pk
    is_cut = first in orphans or (len(path) == MAX_HOPS and current is not None)
    return Path(tuple(path[::-1]), sources[first], is_cut)


class PathPanel:
    """The path from a seed to a page, on the page about it."""

    name = "path"

    def heading(self) -> str:
        """Return its heading."""
        return _("Path from a seed")

    def lines(self, topic: Topic, harvest: Harvest) -> list[Line]:
        """Return the steps; the first says how the seed was found."""
        path = paths_from_seed(harvest.crawl, [harvest.url_id])[harvest.url_id]
        lines = [Line(step.url, step.url) for step in path]
        if not lines:
            return [Line(_("No path is stored for this page."))]
        return [Line(lines[0].text, lines[0].address, path.beginning()), *lines[1:]]
