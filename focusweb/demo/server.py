"""The demo web as a web: sites by host name, a search engine, and a view for people.

A browser cannot resolve `*.demo.test`, so under its own address the server
lists all sites and shows each page as `/host/path`, links rewritten to match.
"""

import hashlib
import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache
from html import escape
from typing import Final
from urllib.parse import parse_qs, unquote

from focusweb.demo.loopback_server import Application, Request, Response
from focusweb.demo.search import DemoResult, DemoSearch, searxng_json
from focusweb.demo.web import DemoPage, DemoWeb

SEARCH_HOST: Final = "search.demo.test"
_BROWSE_HOSTS: Final = ("127.0.0.1", "localhost")
_MAX_PAGE_NUMBER: Final = 1000
_FRAME: Final = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="robots" content="noindex"><title>{title}</title></head>\n'
    "<body><h1>{title}</h1>\n{body}\n</body></html>\n"
)


def demo_application(web_now: Callable[[], DemoWeb]) -> Application:
    """Answer by Host header with the pages of the demo web as it is at each request."""

    def answer(request: Request) -> Response:
        web = web_now()
        path, _, query = request.target.partition("?")
        if request.host == SEARCH_HOST:
            return _answer_search(_search_over(web), path, parse_qs(query))
        if request.host in _BROWSE_HOSTS:
            return browse(web, path)
        return _answer_site(web, request, unquote(path))

    return answer


@lru_cache(maxsize=2)
def _search_over(web: DemoWeb) -> DemoSearch:
    return DemoSearch.over(web.pages.values())


def _answer_site(web: DemoWeb, request: Request, path: str) -> Response:
    """Serve a page or file of one site, or 304 if the client has it already."""
    page = web.pages.get((request.host, path))
    if page and page.moved_to:
        return Response(301, headers={"Location": page.moved_to})
    if page:
        return _conditional(request, page)
    file = web.files.get((request.host, path))
    if file:
        return Response(200, file.body, file.content_type)
    site = web.sites.get(request.host)
    where = f"on {site.name}" if site else "in the demo web: there is no such host"
    return _message(404, "Not found", f"<p>This page is not {escape(where)}.</p>")


def _conditional(request: Request, page: DemoPage) -> Response:
    tag = f'"{hashlib.sha256(page.html).hexdigest()[:20]}"'
    headers = {
        "ETag": tag,
        "Last-Modified": format_datetime(page.published, usegmt=True),
        "Cache-Control": "max-age=0",
    }
    if _is_unchanged(request, tag, page.published):
        return Response(304, headers=headers)
    return Response(200, page.html, headers=headers)


def _is_unchanged(request: Request, tag: str, modified: datetime) -> bool:
    """Compare validators; the tag decides alone where there is one (RFC 9110, 13.1.3)."""
    tags = request.headers.get("if-none-match")
    if tags is not None:
        known = {known.strip().removeprefix("W/") for known in tags.split(",")}
        return tag in known or "*" in known
    since = request.headers.get("if-modified-since")
    if since is None:
        return False
    try:
        moment = parsedate_to_datetime(since)
    except ValueError:
        return False
    return modified <= (moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _answer_search(search: DemoSearch, path: str, query: dict[str, list[str]]) -> Response:
    """Speak SearXNG's API: JSON when `format=json`, else a page for people."""
    if path not in ("/", "/search"):
        return _message(404, "Not found", "<p>Search at /search?q=...</p>")
    words = query.get("q", [""])[0].strip()
    style = query.get("format", ["html"])[0]
    if style not in ("json", "html"):
        return _message(403, "Forbidden", "<p>Only the formats html and json are served.</p>")
    if path == "/search" and not words:
        return _message(400, "No query", "<p>Say what to search for: /search?q=...</p>")
    results = search.find(words)
    number = query.get("pageno", ["1"])[0]
    page_number = min(int(number), _MAX_PAGE_NUMBER) if number.isdecimal() and int(number) else 1
    if style == "json":
        return Response(200, searxng_json(words, results, page_number), "application/json")
    return _message(200, "Demo search", _search_page(words, results))


def _search_page(words: str, results: list[DemoResult]) -> str:
    items = "\n".join(
        f'<li><a href="{escape(result.url)}">{escape(result.title)}</a>'
        f"<p>{escape(result.content)}</p></li>"
        for result in results
    )
    form = f'<form action="/search"><input name="q" value="{escape(words)}"></form>'
    return f"{form}\n<ol>\n{items}\n</ol>"


def browse(web: DemoWeb, path: str, prefix: str = "") -> Response:
    """Show the demo web to a browser that cannot resolve its host names.

    `path` is `/host/path`; links lead to `prefix` followed by such a path.
    """
    host, slash, rest = unquote(path).lstrip("/").partition("/")
    if not host:
        items = "\n".join(
            f'<li lang="{site.language}"><a href="{prefix}/{site.host}/">{escape(site.name)}</a> '
            f"{escape(site.tagline)}</li>"
            for site in web.sites.values()
        )
        return _message(200, "The demo web", f"<ul>\n{items}\n</ul>")
    file = web.files.get((host, slash + rest))
    if file:
        return Response(200, file.body, file.content_type)
    page = web.pages.get((host, slash + rest))
    if not page:
        return _message(404, "Not found", "<p>This page is not in the demo web.</p>")
    if page.moved_to:
        return browse(web, page.moved_to.removeprefix("http:/"), prefix)
    html = page.html.decode("utf-8")
    html = re.sub(r'href="/(?!/)', f'href="{prefix}/{host}/', html)
    return Response(200, re.sub(r'href="http://', f'href="{prefix}/', html).encode("utf-8"))


def _message(status: int, title: str, body: str) -> Response:
    return Response(status, _FRAME.format(title=escape(title), body=body).encode("utf-8"))
