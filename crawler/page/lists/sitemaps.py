"""Read sitemaps: plain and news ones, indices of others, gzipped, and lists of lines."""

import zlib
from dataclasses import dataclass
from typing import Any, Final

from crawler.errors import FetchError, ParseError
from crawler.page.clean import clean_line
from crawler.page.lists.xml_text import iterate_xml, local_name, text_of
from crawler.page.url import canonical_url, domain_of, normalise_link
from crawler.reasons import Reason

#: What the protocol allows: entries of a file, and its size unpacked.
MAX_URLS: Final = 50_000
MAX_BYTES: Final = 50 * 1024 * 1024
_GZIP: Final = b"\x1f\x8b"
_ROOTS: Final = frozenset({"urlset", "sitemapindex"})


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """An address in a sitemap.

    Attributes
    ----------
    url : str
        Canonical.
    title : str
        A news sitemap's; else "".
    published, changed : str
        As written; "" for none. What `changed` (lastmod) says is not to be trusted blindly.
    """

    url: str
    title: str = ""
    published: str = ""
    changed: str = ""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """A sitemap's pages and the further sitemaps it names, each once, in its order.

    `note` says what was left out.
    """

    pages: tuple[SitemapEntry, ...] = ()
    sitemaps: tuple[SitemapEntry, ...] = ()
    note: str = ""


def read_sitemap(body: bytes, url: str, content_type: str = "") -> Sitemap:
    """Read a sitemap.

    Parameters
    ----------
    body : bytes
        Of the answer, without content encoding; a gzipped file is unpacked.
    url : str
        Canonical URL it came from. Only URLs of its own registrable domain count, so that a site
        speaks for itself. An index that names itself is not followed again.
    content_type : str, default ""
        The Content-Type header.

    Returns
    -------
    Sitemap
        At most `MAX_URLS` entries of each kind.

    Raises
    ------
    ParseError
        EMPTY; UNREADABLE_LIST for other formats, or a gzip file that is damaged or unpacks to more
        than `MAX_BYTES`.

    References
    ----------
    The sitemaps.org protocol; Google's news extension.
    """
    if body.startswith(_GZIP):
        body = _unpacked(body)
    start = body[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start:
        raise ParseError(Reason.EMPTY, "a sitemap of no bytes")
    lines = [] if start.startswith(b"<") else _lines(body)
    reader = _Reader(url)
    if lines:
        for line in lines[: MAX_URLS + 1]:
            reader.add(reader.pages, {"loc": line})
    else:
        elements = iterate_xml(body, content_type, _ROOTS)
        root = next(elements, None)
        name = "nothing" if root is None else local_name(root)
        if name not in _ROOTS:
            raise ParseError(
                Reason.UNREADABLE_LIST, f"no sitemap: its root element is <{name[:40]}>"
            )
        for element in elements:
            into = reader.sitemaps if local_name(element) == "sitemap" else reader.pages
            reader.add(into, _fields(element))
    return reader.sitemap()


class _Reader:
    """Sorts entries, and counts what is left out."""

    def __init__(self, url: str) -> None:
        self.pages: dict[str, SitemapEntry] = {}
        self.sitemaps: dict[str, SitemapEntry] = {}
        self._url = url
        self._domain = domain_of(url)
        self._n_foreign = self._n_bad = self._n_over = 0

    def add(self, into: dict[str, SitemapEntry], fields: dict[str, str]) -> None:
        if "loc" not in fields:
            return
        try:
            url = normalise_link(canonical_url(fields["loc"].strip(), self._url))
        except FetchError:
            self._n_bad += 1
            return
        if domain_of(url) != self._domain:
            self._n_foreign += 1
        elif len(into) >= MAX_URLS:
            self._n_over += 1
        elif url != self._url:
            entry = SitemapEntry(
                url,
                clean_line(fields.get("title", ""), 300),
                fields.get("publication_date", "").strip()[:100],
                fields.get("lastmod", "").strip()[:100],
            )
            into.setdefault(url, entry)

    def sitemap(self) -> Sitemap:
        counts = {
            "of other sites": self._n_foreign,
            "that are not web addresses": self._n_bad,
            f"beyond the first {MAX_URLS}": self._n_over,
        }
        left_out = [f"{count} {what}" for what, count in counts.items() if count]
        note = f"left out {', '.join(left_out)}" if left_out else ""
        return Sitemap(tuple(self.pages.values()), tuple(self.sitemaps.values()), note)


def _fields(element: Any) -> dict[str, str]:
    """An entry's own children, and those of its news element."""
    fields: dict[str, str] = {}
    for child in element.iterchildren("*"):
        name = local_name(child)
        if name == "news":
            fields |= _fields(child)
        elif len(child) == 0:
            fields.setdefault(name, text_of(child))
    return fields


def _lines(body: bytes) -> list[str]:
    """Addresses of a text sitemap; none if its first line is none."""
    lines = [line.strip() for line in body.decode("utf-8-sig", "replace").splitlines()]
    lines = [line for line in lines if line]
    return lines if lines and lines[0].lower().startswith(("http://", "https://")) else []


def _unpacked(body: bytes) -> bytes:
    stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        unpacked = stream.decompress(body, MAX_BYTES + 1)
    except zlib.error as error:
        raise ParseError(
            Reason.UNREADABLE_LIST, f"no sitemap: damaged gzip data ({error})"
        ) from error
    if len(unpacked) > MAX_BYTES:
        raise ParseError(Reason.UNREADABLE_LIST, f"no sitemap: unpacks to over {MAX_BYTES} bytes")
    return unpacked
