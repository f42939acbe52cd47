"""The links a crawl followed from a seed to its pages, for many pages at once."""

from collections.abc import Iterable

from crawler.models import Crawl, Url

MAX_HOPS = 12


def paths_from_seed(crawl: Crawl, url_ids: Iterable[int]) -> dict[int, list[Url]]:
    """The URLs from a seed to each page, as followed; one query per level, not per page."""
    wanted = set(url_ids)
    parents: dict[int, int | None] = {}
    urls: dict[int, Url] = {}
    level = wanted
    for _hop in range(MAX_HOPS):
        if not level:
            break
        for entry in crawl.frontier.filter(url_id__in=level).select_related("url"):
            parents[entry.url_id] = entry.parent_id
            urls[entry.url_id] = entry.url
        level = {
            parent
            for child in level
            if (parent := parents.get(child)) is not None and parent not in parents
        }
    return {url_id: _walk(url_id, parents, urls) for url_id in wanted}


def _walk(url_id: int, parents: dict[int, int | None], urls: dict[int, Url]) -> list[Url]:
    path: list[Url] = []
    current: int | None = url_id
    while current in urls and len(path) < MAX_HOPS:
        path.append(urls[current])
        current = parents[current]
        if current in {url.pk for url in path}:
            break
    return path[::-1]
