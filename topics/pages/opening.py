"""Where a page of the web opens in the reader's browser."""

from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse

#: Hosts of the demo web; no browser can resolve a name below .test (RFC 6761).
DEMO_HOSTS: Final = ".demo.test"


def open_address(url: str) -> str:
    """The URL itself, or for a page of the demo web the address at which FocusWeb shows it."""
    parts = urlsplit(url)
    if not (parts.hostname or "").endswith(DEMO_HOSTS):
        return url
    return reverse("demo_page", kwargs={"host": parts.hostname, "path": parts.path.lstrip("/")})


def open_address_outside(url: str) -> str:
    """Return the same as `open_address` as a whole URL, for mails and feeds."""
    address = open_address(url)
    return address if address == url else f"{settings.BASE_URL.rstrip('/')}{address}"
