"""A snapshot's pages, parsed once: what every replay of it reads."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from crawler.errors import ParseError
from crawler.evaluation.parse_cache import cache_file, load_pages, save_pages
from crawler.evaluation.snapshot import Snapshot, SnapshotPage, snapshot_key
from crawler.page.parse import parse_page
from crawler.page.parsed import ParsedPage

#: Pages a process parses before it answers.
CHUNK = 100


def parse_snapshot(
    snapshot: Snapshot,
    *,
    n_processes: int = 2,
    progress: Callable[[int], object] = lambda n: None,
    cache: Path | None = None,
) -> dict[str, ParsedPage]:
    """Parse every page, by its `snapshot_key`; pages without text are left out.

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
    chunks = [pages[start : start + CHUNK] for start in range(0, len(pages), CHUNK)]
    parsed: dict[str, ParsedPage] = {}
    with ProcessPoolExecutor(n_processes) as processes:
        for chunk, found in zip(chunks, processes.map(_parse, chunks), strict=True):
            parsed.update(found)
            progress(len(chunk))
    return parsed


def _parse(pages: Sequence[SnapshotPage]) -> Mapping[str, ParsedPage]:
    return dict(_parse_each(pages))


def _parse_each(pages: Sequence[SnapshotPage]) -> Iterator[tuple[str, ParsedPage]]:
    for page in pages:
        key = snapshot_key(page.url)
        try:
            parsed = parse_page(page.body, one_scheme(page.url), "text/html; charset=utf-8")
        except ParseError:
            continue  # an empty page: crawls see that it is not there
        links = [replace(link, url=one_scheme(link.url)) for link in parsed.links]
        canonical = one_scheme(parsed.canonical)
        yield key, replace(parsed, text="", links=links, canonical=canonical)


def one_scheme(url: str) -> str:
    """The URL with http in place of https."""
    return "http" + url[5:] if url.startswith("https:") else url
