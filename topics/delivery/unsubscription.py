"""Stop a digest from inside its mail, without signing in (RFC 8058)."""

import ipaddress
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from topics.delivery.plan import switch_off
from topics.delivery.signed_links import SignedLink
from topics.models import Digest

#: Leads to a form that stops its digest, without signing in.
STOP: Final = SignedLink("unsubscribe", "topics.delivery.unsubscribing")
#: Names that lead nowhere outside the operator's own network.
_OWN: Final = (".local", ".localhost", ".test", ".internal", ".lan", ".home.arpa", ".invalid")


def find_digest(token: str) -> Digest | None:
    """Return the digest of a signed link; None if the link is forged."""
    return STOP.find(token, Digest.objects.select_related("topic__owner"))


def stop_digest(digest: Digest) -> int:
    """Switch a digest off. Return how many were on."""
    return switch_off(Digest.objects.filter(pk=digest.pk), timezone.now())


def active_digests(user: Any) -> QuerySet[Digest]:
    """Return the digests of a user that are on."""
    return Digest.objects.filter(topic__owner=user, active=True)


def stop_all(user: Any) -> int:
    """Switch every digest of a user off. Return how many were on. No mail links here."""
    return switch_off(active_digests(user), timezone.now())


def is_reachable(base_url: str) -> bool:
    """True if a mail provider could reach our address: only then is one click promised."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if parts.scheme != "https" or not host or not base_url.isascii():
        return False
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:  # a name
        return "." in host.strip(".") and not host.rstrip(".").endswith(_OWN)


def one_click_headers(stop_url: str) -> dict[str, str]:
    """The headers of RFC 8058 for an address that stops something; none where it is private."""
    if not stop_url or not is_reachable(settings.BASE_URL):
        return {}
    return {
        "List-Unsubscribe": f"<{stop_url}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
