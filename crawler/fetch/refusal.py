"""Say why a response is not a page: its status, or the kind of its body."""

import re
from collections.abc import Mapping
from typing import Final

from crawler.errors import FetchError
from crawler.fetch.fetched import Fetched
from crawler.fetch.retry_after import parse_retry_after
from crawler.page.lists.listing import listing_kind
from crawler.page.pdf.pdf_pages import is_pdf
from crawler.reasons import Reason
from focusweb.clock import utc_now

_STATUS: Final = {
    401: Reason.ACCESS_DENIED,
    403: Reason.ACCESS_DENIED,
    404: Reason.GONE,
    410: Reason.GONE,
    429: Reason.TOO_MANY_REQUESTS,
}
_PDF_TYPES: Final = ("application/pdf", "application/x-pdf")
_HTML_TYPES: Final = ("text/html", "application/xhtml+xml")
# These headers are reliable, so content that looks like markup is not a page.
_NEVER_HTML: Final = ("text/plain", "application/json", "text/css", "text/javascript")

#: What a body never starts with when it is a page (the closed list).
_BINARY: Final = (
    b"%!PS",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"RIFF",
    b"Rar!",
    b"7z\xbc\xaf",
    b"\x7fELF",
    b"MZ\x90",
    b"ID3",
    b"OggS",
    b"\x00\x00\x00\x18ftyp",
    b"\x00\x00\x00\x20ftyp",
    b"\xd0\xcf\x11\xe0",
    b"wOFF",
    b"wOF2",
)
_PDF_ENDING = re.compile(r"\.pdf(?:\?|$)", re.IGNORECASE)
# What was passed is never tried otherwise: thirty comments have a billion ways to be cut.
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]{0,200}>\s*+)?(?><!--.{0,1000}?-->\s*)*+"
    rb"<(?:!doctype\s+html|html|head|body|title|script|meta|div|h1|table|p|a|br|style)[\s>]",
    re.IGNORECASE | re.DOTALL,
)


def is_called_pdf(url: str, fields: Mapping[str, str]) -> bool:
    """True if the header fields of a response, or its URL, name a PDF file."""
    return _type_of(fields) in _PDF_TYPES or _PDF_ENDING.search(url) is not None


def _type_of(fields: Mapping[str, str]) -> str:
    return fields.get("content-type", "").partition(";")[0].strip().lower()


def refusal(fetched: Fetched) -> FetchError | None:
    """Return why an answer cannot become a page, or None if it may.

    Redirects and 304 are not refused: the caller handles them.
    """
    return status_refusal(fetched) or _content_refusal(fetched)


def status_refusal(fetched: Fetched) -> FetchError | None:
    """Return why the status alone rules the answer out, or None."""
    status = fetched.status
    if status == 206:
        return FetchError(
            Reason.INCOMPLETE, "answered with part of a page (206), which was not requested"
        )
    if status < 300 or status == 304 or fetched.redirect_to:
        return None
    if status < 400:
        return FetchError(Reason.BAD_RESPONSE, f"answered {status}, which leads nowhere")
    reason = _STATUS.get(status, Reason.CLIENT_ERROR if status < 500 else Reason.SERVER_ERROR)
    return FetchError(reason, f"answered {status}", _retry_after_s(fetched))


def _retry_after_s(fetched: Fetched) -> float | None:
    value = fetched.headers.get("retry-after", "")
    if fetched.status not in (429, 503) or not value:
        return None
    return parse_retry_after(value, utc_now())


def _content_refusal(fetched: Fetched) -> FetchError | None:
    body = fetched.body
    if not body or fetched.status == 304 or fetched.redirect_to:
        return None
    kind = _type_of(fetched.headers)
    if listing_kind(body, fetched.url):
        return None  # Feeds and sitemaps come under every content type there is.
    if is_pdf(body):
        return None
    if body.startswith(_BINARY):
        return FetchError(Reason.NOT_HTML, f"called {kind or 'nothing'}, starts {body[:8]!r}")
    if kind in _HTML_TYPES:
        return None
    if kind in _NEVER_HTML or not _HTML_START.match(body, 0, 4096):
        return FetchError(Reason.NOT_HTML, f"content type {kind[:80] or 'missing'}")
    return None
