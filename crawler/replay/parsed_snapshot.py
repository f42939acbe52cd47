"""A snapshot's pages, parsed once: what every replay of it reads."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from crawler.errors import ParseError
from crawler.page.article.site_frame import SiteFrame
from crawler.page.parse import parse_page
from crawler.page.parsed import ParsedPage
from crawler.page.url import site_of
from crawler.replay.parse_cache import cache_file, load_pages, save_pages
from crawler.replay.snapshot import Snapshot, SnapshotPage, snapshot_key

#: Pages a process parses before it answers.
CHUNK = 100
#: A page, and the lines that are frame on its site.
_ToParse = tuple[SnapshotPage, frozenset[int]]


def parse_snapshot(
    snapshot: Snapshot,
    *,
    n_processes: int = 2,
    progress: Callable[[int], object] = lambda n: None,
    cache: Path | None = None,
) -> dict[str, ParsedPage]:
    """Parse every page, by its `snapshot_key`; pages without text are left out.

    Articles are without what repeats over the pages of their site: a replay knows from its first
    page what a live crawl learns (see `crawler.page.article.site_frame`).
    http and https are one web here, so that links carry http throughout. The text is
    dropped: replays read tokens only. With a `cache` folder, pages parsed before are
    read from there, and pages parsed now are kept there.
    """
    file = cache_file(snapshot, cache) if cache else None
    parsed = load_pages(file) if file else None
    if parsed is not None:
        progress(len(snapshot.pages))
        return parsed
    parsed = _parse_all(list(snapshot.pages.values()), n_processes, progress)
    if file:
        save_pages(file, parsed)
    return parsed


def _parse_all(
    pages: Sequence[SnapshotPage], n_processes: int, progress: Callable[[int], object]
) -> dict[str, ParsedPage]:
    parsed: dict[str, ParsedPage] = {}
    with ProcessPoolExecutor(n_processes) as processes:
        for chunk, found in _in_chunks(processes, [(page, frozenset()) for page in pages]):
            parsed.update(found)
            progress(len(chunk))
        for _, found in _in_chunks(processes, _with_frame(pages, parsed)):
            parsed.update(found)
    return parsed


def _in_chunks(
    processes: Executor, pages: Sequence[_ToParse]
) -> Iterator[tuple[Sequence[_ToParse], Mapping[str, ParsedPage]]]:
    chunks = [pages[start : start + CHUNK] for start in range(0, len(pages), CHUNK)]
    return zip(chunks, processes.map(_parse, chunks), strict=True)


def _with_frame(pages: Sequence[SnapshotPage], parsed: Mapping[str, ParsedPage]) -> list[_ToParse]:
    """Pages with lines that are frame, each with the frame lines of its site."""
    learnt: dict[str, SiteFrame] = {}
    for one in parsed.values():
        learnt.setdefault(site_of(one.url), SiteFrame()).learn(one.url, one.frame_lines)
    frames = {site: frame.lines() for site, frame in learnt.items()}
    again: list[_ToParse] = []
    for page in pages:
        found = parsed.get(snapshot_key(page.url))
        frame = frames[site_of(found.url)] if found else frozenset()
        if found and not frame.isdisjoint(found.frame_lines):
            again.append((page, frame))
    return again


def _parse(pages: Sequence[_ToParse]) -> Mapping[str, ParsedPage]:
    return dict(_parse_each(pages))


def _parse_each(pages: Sequence[_ToParse]) -> Iterator[tuple[str, ParsedPage]]:
    for page, frame in pages:
        key, url = snapshot_key(page.url), one_scheme(page.url)
        try:
            parsed = parse_page(page.body, url, "text/html; charset=utf-8", site_frame=frame)
        except ParseError:
            continue  # an empty page: crawls see that it is not there
        links = [structs.replace(link, url=one_scheme(link.url)) for link in parsed.links]
        canonical = one_scheme(parsed.canonical)
        yield key, replace(parsed, text="", links=links, canonical=canonical)


def one_scheme(url: str) -> str:
    """Return the URL with http in place of https."""
    return "http" + url[5:] if url.startswith("https:") else url
