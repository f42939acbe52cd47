"""The links a crawl followed from a seed to its pages, for many pages at once."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

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

#: Brought a page that was a seed, and the same for one that a person took away since.
_SEEDS = "pasted"
_FORMER_SEEDS = "pasted before"
_BEGINNINGS = {
    "": gettext_lazy("A seed of this topic."),
    _SEEDS: gettext_lazy("A seed of this topic."),
    _FORMER_SEEDS: gettext_lazy("It was a seed of this topic."),
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
    SELECT entry.url_id, entry.parent_id, entry.redirects_to_id, entry.memo, entry.depth_hops,
           url.url, url.site_id
    FROM (SELECT DISTINCT url_id FROM way) step
    JOIN crawler_frontierentry entry ON entry.crawl_id = %s AND entry.url_id = step.url_id
    JOIN crawler_url url ON url.id = entry.url_id
"""


@dataclass(frozen=True, slots=True)
class Path:
    """The URLs from a seed to a page, and which source brought the seed.

    `is_cut` is True if the first ones are not there: of a long path only the last `MAX_HOPS` are,
    and pages before them may have been deleted with their site. `n_clicks` counts the links among
    the steps: one that redirects to the next takes no click.
    """

    steps: tuple[Url, ...]
    source: str = ""
    is_cut: bool = False
    n_clicks: int = 0

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
    wanted, seeds = sorted(set(url_ids)), frozenset(crawl.profile.seeds)
    known: dict[int, _Step] = {}
    for some in chunks(wanted):
        rows = select_rows(
            _WAYS.format(places=places(some)), [crawl.pk, *some, crawl.pk, MAX_HOPS, crawl.pk]
        )
        for url_id, parent, redirects_to, memo, depth, address, site in rows:
            url = Url(pk=url_id, url=address, site_id=site)
            source = str(unpack_notes(memo).get("source", ""))
            if source == _SEEDS and address not in seeds:
                source = _FORMER_SEEDS
            known[url_id] = _Step(url, parent, redirects_to, source, depth)
    return {url_id: _walk(url_id, known) for url_id in wanted}


@dataclass(frozen=True, slots=True)
class _Step:
    """A page on a way, the page it was found on, and the one that it redirects to."""

    url: Url
    parent: int | None
    redirects_to: int | None
    source: str
    depth: int

    @property
    def is_orphan(self) -> bool:
        """True if the page it was found on was deleted with its site."""
        return self.parent is None and self.depth > 0 and not self.source


def _walk(url_id: int, known: Mapping[int, _Step]) -> Path:
    path: list[_Step] = []
    current: int | None = url_id
    while current is not None and current in known and len(path) < MAX_HOPS:
        path.append(known[current])
        current = known[current].parent
        if current in {step.url.pk for step in path}:
            break
    if not path:
        return Path(())
    first = path[-1]
    is_cut = first.is_orphan or (len(path) == MAX_HOPS and current is not None)
    n_clicks = sum(before.redirects_to != step.url.pk for step, before in pairwise(path))
    return Path(tuple(step.url for step in path[::-1]), first.source, is_cut, n_clicks)


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
