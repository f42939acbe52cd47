"""The demo web: its sources read from a folder, its pages dated from today.

How the sources are written says `fixtures/demo_web/README.md`.
"""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path
from string import Template
from typing import Final

from crawler.errors import ConfigurationError
from focusweb.demo.markup import plain_text, render_markup

SITE_FILE: Final = "site.txt"
TEMPLATE_FILE: Final = "template.html"
PAGE_SUFFIX: Final = ".page"
DATE_PLACES: Final = ("time", "meta", "jsonld", "text", "none")
#: In the data folder; its time of change is when the demo's clock started.
CLOCK_FILE: Final = "demo_clock"
#: How long the demo's clock goes on, in minutes.
MINUTES: Final = 10
_FEED_ENTRIES: Final = 10


@dataclass(frozen=True, slots=True)
class DemoPage:
    """A rendered page of the demo web.

    `text` is what it says without markup, for the search; `is_listed` is
    False for a page that the demo's search engine does not know. A page with a `minute`
    appears so long after the demo's clock has started; `moved_to` is where its URL leads.
    """

    url: str
    title: str
    language: str
    summary: str
    published: datetime
    text: str
    html: bytes
    is_listed: bool
    minute: int = 0
    moved_to: str = ""


@dataclass(frozen=True, slots=True)
class DemoFile:
    """What is served as it is: robots.txt and feeds."""

    body: bytes
    content_type: str


@dataclass(frozen=True, slots=True)
class DemoSite:
    """A site's description of itself."""

    host: str
    name: str
    language: str
    tagline: str
    feed: str
    template: Template


@dataclass(frozen=True, slots=True, eq=False)
class DemoWeb:
    """All sites by host; pages and files by (host, path)."""

    sites: Mapping[str, DemoSite]
    pages: Mapping[tuple[str, str], DemoPage]
    files: Mapping[tuple[str, str], DemoFile]


class LivingWeb:
    """The demo web with a clock: after the first crawl, something new appears every minute.

    Parameters
    ----------
    folder : Path
        Sources of the demo web.
    opened : datetime
        Moment from which the old pages are dated back.
    clock : Path
        File whose time of change is the clock's start; the clock stands while there is none.
    """

    def __init__(self, folder: Path, opened: datetime, clock: Path) -> None:
        self._folder, self._opened, self._clock = folder, opened, clock
        self._lock = threading.Lock()
        self._web: tuple[int, DemoWeb] | None = None

    def at(self, now: datetime) -> DemoWeb:
        """Return the web as it is at a moment."""
        started = clock_start(self._clock)
        minute = min(max(int((now - started).total_seconds() // 60), 0), MINUTES) if started else 0
        with self._lock:
            if self._web is None or self._web[0] != minute:
                web = read_demo_web(self._folder, self._opened, started=started, minute=minute)
                self._web = minute, web
            return self._web[1]


def clock_start(clock: Path) -> datetime | None:
    """Return when the demo's clock was started; None if it was not."""
    try:
        return datetime.fromtimestamp(clock.stat().st_mtime, UTC)
    except FileNotFoundError:
        return None


def read_demo_web(
    folder: Path, now: datetime, *, started: datetime | None = None, minute: int = 0
) -> DemoWeb:
    """Read the demo web as it is `minute` minutes after `started`; date old pages from `now`.

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
        read = [
            _read_page(
                path, site, _address(path.relative_to(site_file.parent)), started or now, now
            )
            for path in sorted(site_file.parent.rglob(f"*{PAGE_SUFFIX}"))
        ]
        there = [
            page for page in sorted(read, key=lambda page: page.minute) if page.minute <= minute
        ]
        if not there:
            continue
        sites[site.host] = site
        for page in there:
            # A later page at the same address is what the earlier one has become.
            pages[site.host, page.url.removeprefix(f"http://{site.host}")] = page
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


def _read_page(
    path: Path, site: DemoSite, address: str, started: datetime, now: datetime
) -> DemoPage:
    fields, markup = _read_source(path)
    minute = _whole_number(fields, "minute", path) if "minute" in fields else 0
    age = 0 if minute else _whole_number(fields, "age_days", path)
    place = fields.get("date_in", "time")
    if place not in DATE_PLACES:
        raise ConfigurationError(
            f"{path}, field date_in: must be one of {', '.join(DATE_PLACES)}, got {place!r}"
        )
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    page = DemoPage(
        url=f"http://{site.host}{fields.get('address', address)}",
        title=_field(fields, "title", path),
        language=fields.get("language", site.language),
        summary=fields.get("summary", ""),
        published=started + timedelta(minutes=minute) if minute else today - timedelta(days=age),
        text=plain_text(markup),
        html=b"",
        is_listed=fields.get("listed", "yes") == "yes",
        minute=minute,
        moved_to=fields.get("moved_to", ""),
    )
    return _rendered(page, site, markup, place)


def _whole_number(fields: Mapping[str, str], name: str, path: Path) -> int:
    value = _field(fields, name, path)
    if not value.isdigit():
        raise ConfigurationError(f"{path}, field {name}: must be a whole number, got {value!r}")
    return int(value)


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
    own = [
        page
        for (host, path), page in pages.items()
        if host == site.host and path != "/" and not page.moved_to
    ]
    if not own:
        raise ConfigurationError(f"{site.host}/{SITE_FILE}, field feed: the site has no articles")
    newest = sorted(own, key=lambda page: page.published, reverse=True)[:_FEED_ENTRIES]
    return DemoFile(_atom(site, newest).encode("utf-8"), "application/atom+xml")


def _atom(site: DemoSite, pages: Sequence[DemoPage]) -> str:
    """Render some pages, newest first, as an Atom feed (RFC 4287)."""
    title, home = escape(site.name), f"http://{site.host}"
    items = "".join(
        f"<entry><id>{escape(page.url)}</id><title>{escape(page.title)}</title>"
        f'<link rel="alternate" type="text/html" href="{escape(page.url)}"/>'
        f"<published>{page.published.isoformat()}</published>"
        f"<updated>{page.published.isoformat()}</updated>"
        f"<summary>{escape(page.summary)}</summary></entry>\n"
        for page in pages
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{escape(home)}/</id><title>{title}</title>"
        f"<updated>{pages[0].published.isoformat()}</updated>"
        f"<author><name>{title}</name></author>"
        f'<link rel="self" href="{escape(home + site.feed)}"/>\n{items}</feed>\n'
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
