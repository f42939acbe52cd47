"""Chat services through the package apprise, which is optional and makes its own requests.

Those requests do not pass the fetch door. So only services with an address of their own are let
in, and an ntfy server of one's own only if the operator allows its host.
"""

import json
import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from urllib.parse import urlsplit

import apprise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from topics.delivery.channels.base import (
    RETRY_DELAYS,
    Message,
    MessageItem,
    Target,
    TargetError,
)
from topics.delivery.channels.webhook import allowed_hosts
from topics.delivery.handover import SendResult

#: Services whose messages go to the service's own host.
SCHEMES: Final = ("wecombot", "feishu", "lark", "dingtalk", "tgram", "slack")
#: Push messages: `ntfys://TOPIC` goes to ntfy.sh, with a path to a server of one's own.
PUSH: Final = ("ntfy", "ntfys")
_PORTS: Final = {"ntfy": 80, "ntfys": 443}
#: What chat services show of a message.
MAX_CHARS: Final = 3500
#: How apprise logs an exchange that broke, which may have been after the message was taken.
_BROKEN: Final = "connection error"
#: How it logs that no connection came about.
_NEVER_SENT: Final = ("establish a new connection", "nameresolutionerror", "connect timeout")


class Chat:
    """A chat or push service, by its apprise URL."""

    name = "chat"
    label = gettext_lazy("chat or push service")
    hint = gettext_lazy(
        "an Apprise URL: wecombot://, feishu://, lark://, dingtalk://, tgram://, slack:// or ntfys://"
    )
    signs = False
    needs_consent = False
    repeatable = False
    retry_delays: Sequence[timedelta] = RETRY_DELAYS

    def check(self, address: str) -> str:
        try:
            parts = urlsplit(address.strip())
            # A Telegram bot's token looks like a host with a wrong port.
            port = (parts.port or _PORTS[parts.scheme]) if parts.scheme in PUSH else 0
        except ValueError as error:
            raise TargetError(_("This is not an Apprise URL.")) from error
        known = ", ".join((*SCHEMES, *PUSH))
        if parts.scheme not in (*SCHEMES, *PUSH):
            raise TargetError(_("The URL must begin with one of %(known)s.") % {"known": known})
        # What follows "?" could make the service or apprise load something from elsewhere.
        if parts.query or parts.fragment:
            raise TargetError(_("The URL must end before its “?”."))
        is_own = parts.scheme in PUSH and (parts.path.strip("/") != "" or "@" in parts.netloc)
        if is_own and f"{parts.hostname}:{port}" not in allowed_hosts():
            raise TargetError(_("The operator must allow this server (FOCUSWEB_WEBHOOK_HOSTS)."))
        if apprise.Apprise.instantiate(address.strip()) is None:
            raise TargetError(_("This is not a complete URL of that service."))
        return address.strip()

    def write(self, message: Message, target: Target) -> bytes:
        lines = [message.note, *(_line(item) for item in message.items), message.url]
        body = "\n\n".join(line for line in lines if line)
        if len(body) > MAX_CHARS:
            body = body[:MAX_CHARS].rsplit("\n\n", 1)[0] + f"\n\n… {message.url}"
        return json.dumps({"title": message.subject, "body": body}, ensure_ascii=False).encode()

    def send(self, body: bytes, target: Target) -> SendResult:
        content = json.loads(body)
        service = apprise.Apprise()
        if not service.add(target.address):
            return SendResult(False, problem=_("This is not a complete URL of that service."))
        with apprise.LogCapture(level=logging.DEBUG) as log:  # type: ignore[no-untyped-call]
            sent = service.notify(title=content["title"], body=content["body"])
            said = log.getvalue()
        if sent:
            return SendResult(True, answer="accepted")
        problem = _warnings(said)
        certain = _BROKEN not in said.lower() or any(one in said.lower() for one in _NEVER_SENT)
        return SendResult(False, certain=certain, problem=problem, answer=problem)


def _line(item: MessageItem) -> str:
    extract = item.extract[:300]
    place = f"{item.site}  {item.url}".strip()
    return "\n".join(part for part in (item.title, place, extract) if part)


def _warnings(log: str) -> str:
    """What apprise warned of; its debug lines may hold a token."""
    warned = [line for line in log.splitlines() if "WARNING" in line or "ERROR" in line]
    return " ".join(" ".join(warned).split())[-300:] or _("The service did not accept it.")
