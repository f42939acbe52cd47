"""The articles of a web snapshot as documents to search: parsed once, kept as JSON lines."""

import json
from collections.abc import Iterator
from pathlib import Path

from crawler.errors import ParseError
from crawler.page.article.site_frame import SiteFrame
from crawler.page.parse import parse_page
from crawler.page.parsed import ParsedPage
from crawler.page.url import site_of
from crawler.replay.snapshot import SnapshotPage, read_snapshot
from topics.search.document import Document

#: Characters of an article that are searched: enough for an order, and indexed in a minute.
MAX_CHARS = 3000


def read_documents(folder: Path, cache: Path) -> tuple[list[Document], list[str]]:
    """Return the pages of a snapshot as documents, and their addresses: `urls[document.id]`."""
    file = cache / f"{folder.name}.texts.jsonl"
    if not file.exists():
        written = file.with_suffix(".new")
        with written.open("w", encoding="utf-8") as stream:
            for page in _articles(list(read_snapshot(folder).pages.values())):
                row = {"url": page.url, "title": page.title, "text": page.text}
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        written.replace(file)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    documents = [Document(n, row["title"], row["text"][:MAX_CHARS]) for n, row in enumerate(rows)]
    return documents, [row["url"] for row in rows]


def _articles(pages: list[SnapshotPage]) -> Iterator[ParsedPage]:
    """Parse pages, without the lines that are frame on their site."""
    frames: dict[str, SiteFrame] = {}
    parsed: list[ParsedPage | None] = []
    for page in pages:
        found = _parse(page, frozenset())
        parsed.append(found)
        if found:
            frames.setdefault(site_of(found.url), SiteFrame()).learn(found.url, found.frame_lines)
    lines = {site: frame.lines() for site, frame in frames.items()}
    for page, found in zip(pages, parsed, strict=True):
        if found is None:
            continue
        frame = lines[site_of(found.url)]
        again = found if frame.isdisjoint(found.frame_lines) else _parse(page, frame)
        if again:
            yield again


def _parse(page: SnapshotPage, frame: frozenset[int]) -> ParsedPage | None:
    try:
        return parse_page(page.body, page.url, "text/html; charset=utf-8", site_frame=frame)
    except ParseError:
        return None  # an empty page: crawls see that it is not there
