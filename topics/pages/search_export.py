"""The pages of a search or of a topic as a file: CSV, JSON, Markdown or WARC."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from crawler.api.tables import Harvest
from focusweb.plugins import Offer
from topics.models import Topic
from topics.pages.csv_file import csv_text
from topics.pages.search_results import FoundPage
from topics.pages.warc_file import as_warc
from topics.rules.days import day_of
from topics.search.query import parse_query
from topics.search.snippet import mark_all

#: Most pages in one file.
MAX_EXPORTED = 1000
#: Most characters or bytes of a plugin's file.
MAX_FILE_CHARS = 50_000_000
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~-])")
_COLUMNS = (
    *("title", "url", "site", "topic", "score", "published", "first_seen", "language"),
    "extract",
)


class Exporter(Protocol):
    """One kind of file, registered by name."""

    @property
    def name(self) -> str:
        """The ending of the file, such as "csv"."""

    @property
    def label(self) -> str:
        """What people call it."""

    @property
    def content_type(self) -> str:
        """Its media type, such as "text/csv"."""

    def write(self, query: str, pages: Sequence[FoundPage]) -> str | bytes:
        """Return the pages that a query found, as text or bytes."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """An exporter made of a function."""

    name: str
    label: str
    content_type: str
    write: Callable[[str, Sequence[FoundPage]], str | bytes]


def as_csv(query: str, pages: Sequence[FoundPage]) -> str:
    """One line a page; a cell that would be a formula begins with an apostrophe."""
    return csv_text(_COLUMNS, ([row[name] for name in _COLUMNS] for row in map(_row, pages)))


def as_json(query: str, pages: Sequence[FoundPage]) -> str:
    """One object: the query, and a list of pages."""
    rows = [_row(page) for page in pages]
    return json.dumps({"query": query, "pages": rows}, ensure_ascii=False, indent=1)


def as_markdown(query: str, pages: Sequence[FoundPage]) -> str:
    """Return a list of links with their extracts."""
    lines = [f"# {_escaped(query)}", ""]
    for page in pages:
        row = _row(page)
        address = str(row["url"]).replace("(", "%28").replace(")", "%29").replace(" ", "%20")
        date = day_of(page.harvest.published or page.harvest.first_seen)
        lines.append(f"- [{_escaped(row['title'])}]({address}), {_escaped(row['site'])}, {date}")
        if row["extract"]:
            lines.append(f"  {_escaped(row['extract'])}")
    return "\n".join([*lines, ""])


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """What an exporter wrote, and its media type."""

    body: bytes
    content_type: str


def export_file(offer: Offer, query: str, pages: Sequence[FoundPage]) -> ExportedFile | None:
    """Have an exporter write some pages; None if it is a plugin's and fails."""

    def write() -> ExportedFile:
        body, kind = offer.item.write(query, pages), offer.item.content_type
        if not isinstance(body, str | bytes):
            raise TypeError(f"{type(body).__name__} is neither text nor bytes")
        if offer.is_foreign and len(body) > MAX_FILE_CHARS:
            raise ValueError(f"a file of {len(body)} characters is too long")
        if isinstance(body, bytes):
            return ExportedFile(body, kind)
        return ExportedFile(body.encode(), f"{kind}; charset=utf-8")

    written: ExportedFile | None
    written, _error = offer.call(write)
    return written


def exported_pages(topic: Topic, limit: int | None = None) -> list[FoundPage]:
    """Return the pages that a topic keeps, best first, without the search index."""
    if topic.crawl is None:
        return []
    own = Harvest.objects.kept().filter(crawl=topic.crawl, url__page__noindex=False)
    ordered = own.select_related("url__site", "url__page").order_by("-score", "pk")
    query = parse_query(f'topic:"{topic.slug}"')
    return [
        FoundPage(harvest, topic, mark_all(harvest.title, query), []) for harvest in ordered[:limit]
    ]


def _row(page: FoundPage) -> dict[str, Any]:
    harvest = page.harvest
    return {
        "title": harvest.title,
        "url": harvest.url.url,
        "site": harvest.url.site.name,
        "topic": page.topic.name if page.topic else "",
        "score": round(harvest.score, 4),
        "published": harvest.published.isoformat() if harvest.published else "",
        "first_seen": harvest.first_seen.isoformat(),
        "language": harvest.page.language,
        "extract": " ".join(str(fragment) for fragment in page.fragments),
    }


def _escaped(text: object) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(str(text).split()))


OUR_EXPORTERS = (
    TextFile("csv", "CSV", "text/csv", as_csv),
    TextFile("json", "JSON", "application/json", as_json),
    TextFile("md", "Markdown", "text/markdown", as_markdown),
    TextFile("warc", "WARC", "application/warc", as_warc),
)
