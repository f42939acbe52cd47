"""Headers of static files, which are answered before the middleware that makes the others."""

from typing import Final
from wsgiref.headers import Headers

_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def add_static_headers(headers: Headers, path: str, url: str) -> None:
    """Let a file be nothing but what it is, and for this site only."""
    for name, value in _HEADERS.items():
        headers[name] = value
