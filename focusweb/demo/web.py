"""The demo web: its sources read from a folder, its pages dated from today.

How the sources are written says `fixtures/demo_web/README.md`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path
from string import Template
from typing import Final

from crawler.errors import ConfigurationError
from focusweb.demo.feed import FeedEntry, render_atom
from focusweb.demo.markup import plain_text, render_markup

SITE_FILE: Final = "site.txt"
TEMPLATE_FILE: Final = "template.html"
PAGE_SUFFIX: Final = ".page"
DATE_PLACES: Final = ("time", "meta", "jsonld", "text", "none")
_FEED_ENTRIES: Final = 10


@dataclass(frozen=True, slots=True)
class DemoPage:
    """A rendered page of the demo web.

    `text` is what it says without markup, for the search; `is_listed` is
    False for a page that the demo's search engine does not know.
    """

    url: str
    title: str
    language: str
    summary: str
    published: datetime
    text: str
    html: bytes
    is_listed: bool


@dataclass(frozen=True, slots=True)
class DemoFile:
    """What is served as it is: robots.txt and feeds."""

    body: bytes
    content_type: str


@dataclass(frozen=True, slots=True)
class DemoSite:
    """What a site says about itself."""

    host: str
    name: str
    language: str
    tagline: str
    feed: str
    template: Template


@dataclass(frozen=True, slots=True)
class DemoWeb:
    """All sites by host; pages and files by (host, path)."""

    sites: Mapping[str, DemoSite]
    pages: Mapping[tuple[str, str], DemoPage]
    files: Mapping[tuple[str, str], DemoFile]


def read_demo_web(folder: Path, now: datetime) -> DemoWeb:
    """Read every site of the demo web and date its pages back from `now`.

    Raises
    ------
    ConfigurationError
        Naming the file and the field that is missing or wrong.
    """
    sites: dict[str, DemoSite] = {}
    pages: dict[tuple[str, str], DemoPage] = {}
    files: dict[tuple[str, str], DemoFile] = {}
    for site_file in sorted(folder.glob(f"*/{SITE_FILE}")):
        site = _read_site(site_file)
        sites[site.host] = site
        for path in sorted(site_file.parent.rglob(f"*{PAGE_SUFFIX}")):
            address = _address(path.relative_to(site_file.parent))
            pages[site.host, address] = _read_page(path, site, address, now)
        robots = site_file.parent / "robots.txt"
        if robots.is_file():
            files[site.host, "/robots.txt"] = DemoFile(robots.read_bytes(), "text/plain")
        if site.feed:
            files[site.host, site.feed] = _feed(site, pages)
    if not sites:
        raise ConfigurationError(f"{folder}: no demo web here (no */{SITE_FILE})")
    return DemoWeb(sites, pages, files)


def _read_site(path: Path) -> DemoSite:
    fields, _ = _read_source(path)
    return DemoSite(
        host=path.parent.name,
        name=_field(fields, "name", path),
        language=_field(fields, "language", path),
        tagline=_field(fields, "tagline", path),
        feed=fields.get("feed", ""),
        template=Template((path.parent / TEMPLATE_FILE).read_text(encoding="utf-8")),
    )


def _read_page(path: Path, site: DemoSite, address: str, now: datetime) -> DemoPage:
    fields, markup = _read_source(path)
    age = _field(fields, "age_days", path)
    if not age.isdigit():
        raise ConfigurationError(f"{path}, field age_days: must be a whole number, got {age!r}")
    place = fields.get("date_in", "time")
    if place not in DATE_PLACES:
        raise ConfigurationError(
            f"{path}, field date_in: must be one of {', '.join(DATE_PLACES)}, got {place!r}"
        )
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    page = DemoPage(
        url=f"http://{site.host}{address}",
        title=_field(fields, "title", path),
        language=fields.get("language", site.language),
        summary=fields.get("summary", ""),
        published=today - timedelta(days=int(age)),
        text=plain_text(markup),
        html=b"",
        is_listed=fields.get("listed", "yes") == "yes",
    )
    return _rendered(page, site, markup, place)


def _rendered(page: DemoPage, site: DemoSite, markup: str, date_place: str) -> DemoPage:
    html = site.template.substitute(
        language=page.language,
        title=escape(page.title),
        site=escape(site.name),
        tagline=escape(site.tagline),
        head=_head(page, site, date_place),
        byline=_byline(page, date_place),
        body=render_markup(markup),
    )
    return replace(page, html=html.encode("utf-8"))


def _head(page: DemoPage, site: DemoSite, date_place: str) -> str:
    """Render what the page says about itself to machines."""
    lines = ['<meta charset="utf-8">', f"<title>{escape(page.title)} - {escape(site.name)}</title>"]
    if page.summary:
        lines.append(f'<meta name="description" content="{escape(page.summary)}">')
    if date_place == "meta":
        date = page.published.isoformat()
        lines.append(f'<meta property="article:published_time" content="{date}">')
    if date_place == "jsonld":
        data = {
            "@context": "https://schema.org",
            "@type": "Article",
            "headline": page.title,
            "datePublished": page.published.isoformat(),
        }
        text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
        lines.append(f'<script type="application/ld+json">{text}</script>')
    if site.feed:
        lines.append(f'<link rel="alternate" type="application/atom+xml" href="{site.feed}">')
    return "\n".join(lines)


def _byline(page: DemoPage, date_place: str) -> str:
    """Render the line under the title; only some pages give their date there."""
    day = page.published
    if page.language == "zh":
        date = f"发布时间：{day.year}年{day.month}月{day.day}日"
    else:
        date = f"Published {day.day} {day:%B} {day.year}"
    if date_place == "time":
        return f'<p class="byline"><time datetime="{day:%Y-%m-%d}">{date}</time></p>'
    return f'<p class="byline">{date}</p>' if date_place == "text" else ""


def _feed(site: DemoSite, pages: Mapping[tuple[str, str], DemoPage]) -> DemoFile:
    """List the newest articles of a site; its front page is not an article."""
    own = [page for (host, path), page in pages.items() if host == site.host and path != "/"]
    if not own:
        raise ConfigurationError(f"{site.host}/{SITE_FILE}, field feed: the site has no articles")
    newest = sorted(own, key=lambda page: page.published, reverse=True)[:_FEED_ENTRIES]
    entries = [FeedEntry(page.url, page.title, page.summary, page.published) for page in newest]
    home = f"http://{site.host}/"
    return DemoFile(
        render_atom(site.name, home, site.feed, entries).encode("utf-8"), "application/atom+xml"
    )


def _address(relative: Path) -> str:
    """Return the path under which a source file is served."""
    bare = "/" + relative.with_suffix("").as_posix()
    return bare.removesuffix("index") if bare.endswith("/index") else f"{bare}.html"


def _read_source(path: Path) -> tuple[dict[str, str], str]:
    """Split a source file into its header fields and its body."""
    header, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    fields: dict[str, str] = {}
    for number, line in enumerate(header.splitlines(), start=1):
        name, colon, value = line.partition(":")
        if not colon:
            raise ConfigurationError(f"{path} line {number}: must be 'field: value', got {line!r}")
        fields[name.strip()] = value.strip()
    return fields, body


def _field(fields: Mapping[str, str], name: str, path: Path) -> str:
    if not fields.get(name):
        raise ConfigurationError(f"{path}, field {name}: is missing")
    return fields[name]
