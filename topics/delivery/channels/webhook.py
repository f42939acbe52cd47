"""Webhooks: JSON posted to a URL, signed as Standard Webhooks (standardwebhooks.com) are."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crawler.api.outgoing import Door, FetchConfig, FetchError, Limits
from crawler.api.pages import canonical_url
from topics.delivery.channels.base import RETRY_DELAYS, Message, Target, TargetError
from topics.delivery.handover import SendResult

#: Short: a receiver should take a message and work on it later.
LIMITS = Limits(first_byte_s=10.0, exchange_s=20.0, wire_bytes=65_536, decoded_bytes=65_536)
MAX_ANSWER = 300
#: With this status the receiver refuses all further messages.
GONE = 410


def open_door() -> Door:
    """A door for messages: private addresses are forbidden unless the operator named them."""
    return Door(FetchConfig("FocusWeb/0.1 (webhook)", allowed_hosts=allowed_hosts(), limits=LIMITS))


def allowed_hosts() -> frozenset[str]:
    """Receivers as "host:port" that the operator allows on private addresses and without TLS."""
    return frozenset(settings.WEBHOOK_HOSTS)


class Webhook:
    """A URL that takes JSON."""

    name = "webhook"
    label = gettext_lazy("webhook")
    hint = gettext_lazy("an https URL that accepts JSON, such as https://example.org/hook")
    signs = True
    needs_consent = False
    repeatable = True
    retry_delays: Sequence[timedelta] = RETRY_DELAYS

    def __init__(
        self, door: Callable[[], Door] = open_door, clock: Callable[[], float] = time.time
    ) -> None:
        self._door = door
        self._clock = clock

    def check(self, address: str) -> str:
        try:
            url = canonical_url(address, any_port=True)
        except FetchError as error:
            raise TargetError(_("This is not an http or https address.")) from error
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        if parts.scheme != "https" and f"{parts.hostname}:{port}" not in allowed_hosts():
            raise TargetError(
                _("The address must begin with https://, or the operator must allow its host.")
            )
        return url

    def write(self, message: Message, target: Target) -> bytes:
        body = {
            "type": message.kind,
            "id": message.uid,
            "created": message.made.isoformat(),
            "subject": message.subject,
            "note": message.note,
            "url": message.url,
            "n_more": message.n_more,
            "items": [
                {
                    "title": item.title,
                    "url": item.url,
                    "site": item.site,
                    "topic": item.topic,
                    "extract": item.extract,
                    "why": item.why,
                    "score": round(item.score, 4),
                    "first_seen": item.first_seen.isoformat(),
                    "published": item.published.isoformat() if item.published else None,
                    "new_site": item.new_site,
                    "language": item.lang,
                }
                for item in message.items
            ],
        }
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")

    def send(self, body: bytes, target: Target) -> SendResult:
        moment = int(self._clock())
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "webhook-id": target.uid,
            "webhook-timestamp": str(moment),
            "webhook-signature": signature(target.secret, target.uid, moment, body),
        }
        try:
            with self._door() as door:
                answer = door.post(target.address, body, headers=headers)
        except FetchError as error:
            return SendResult(False, certain=False, problem=_short(str(error)))
        said = _short(f"{answer.status} {answer.body[:2000].decode('utf-8', 'replace')}")
        if 200 <= answer.status < 300:
            return SendResult(True, answer=said)
        if answer.redirect_to:
            said = _short(f"{said} redirects to {answer.redirect_to}; redirects are not followed")
        return SendResult(False, problem=said, answer=said, hopeless=answer.status == GONE)


def signature(secret: str, uid: str, moment: int, body: bytes) -> str:
    """Return the value of `webhook-signature`: HMAC-SHA256 over name, time and body."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{uid}.{moment}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def _short(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:MAX_ANSWER]
