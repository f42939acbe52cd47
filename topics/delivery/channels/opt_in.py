"""Have the reader of an address agree before anything else is sent there, or stop all of it."""

from datetime import datetime
from email.policy import SMTP
from email.utils import make_msgid
from typing import Final

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from focusweb.database import write_transaction
from focusweb.mail_server import MailServer
from topics.delivery import mime, smtp
from topics.delivery.confirmation import MAX_AGE, TooManyLinksError, may_send_link, note_link
from topics.delivery.handover import SendResult
from topics.models import Channel

_CONFIRM: Final = "topics.delivery.channels.confirm"
_STOP: Final = "topics.delivery.channels.stop"


def send_link(channel: Channel, server: MailServer, now: datetime) -> SendResult:
    """Mail the link that confirms a channel to its reader.

    Raises
    ------
    TooManyLinksError
        If its owner, or the address, had too many of them lately.
    """
    with write_transaction():
        if not may_send_link(channel.owner, channel.target, now):
            raise TooManyLinksError(_("Too many links were sent recently. Try again later."))
        note_link(channel.owner, channel.target, now)
        Channel.objects.filter(pk=channel.pk).update(asked=now)
    return smtp.send(server, _mail(channel, now), settings.MAIL_FROM, channel.target)


def sender_of(channel: Channel) -> str:
    """The user who has messages sent to another reader; "" if it is the user's own address."""
    is_own = channel.target == channel.owner.email
    return "" if is_own else mime.one_line(channel.owner.get_username())


def confirm_path(channel: Channel) -> str:
    """Where a channel is confirmed by whoever has its mail."""
    return reverse("confirm_channel", args=[Signer(salt=_CONFIRM).sign(str(channel.pk))])


def stop_path(channel: Channel) -> str:
    """Where a channel is stopped by whoever has its mail; always the same."""
    return reverse("stop_channel", args=[Signer(salt=_STOP).sign(str(channel.pk))])


def channel_to_confirm(token: str) -> Channel | None:
    """The channel that a link confirms; None if the link is forged."""
    return _find(token, _CONFIRM)


def channel_to_stop(token: str) -> Channel | None:
    """The channel that a link stops; None if the link is forged."""
    return _find(token, _STOP)


def has_expired(channel: Channel, now: datetime) -> bool:
    """True if a link was not used in time, or its reader has said stop since."""
    if channel.stopped is not None:
        return True
    return channel.confirmed is None and (channel.asked is None or channel.asked + MAX_AGE <= now)


def confirm(channel: Channel, now: datetime) -> None:
    """Note that its reader agrees; the second time changes nothing."""
    Channel.objects.filter(pk=channel.pk, confirmed=None).update(confirmed=now)


def stop(channel: Channel, now: datetime) -> None:
    """Note that its reader wants nothing more; only their agreement to a new one changes that."""
    Channel.objects.filter(pk=channel.pk, stopped=None).update(stopped=now)


def _find(token: str, salt: str) -> Channel | None:
    try:
        key = Signer(salt=salt).unsign(token)
    except BadSignature:
        return None
    return Channel.objects.filter(pk=key).select_related("owner").first()


def _mail(channel: Channel, now: datetime) -> bytes:
    with translation.override(channel.language):
        subject = _("Confirm your address for FocusWeb")
        name = make_msgid("confirm", mime.sender_domain())
        message = mime.new_message(subject, mime.Envelope(name, channel.target), now)
        content = render_to_string(
            "mail/confirm_channel.txt",
            {
                "owner": mime.one_line(channel.owner.get_username()),
                "address": channel.target,
                "site": settings.BASE_URL,
                "days": MAX_AGE.days,
                "link": mime.full_address(confirm_path(channel)),
            },
        )
    message.set_content(content, cte="quoted-printable")
    message["Content-Language"] = mime.html_lang(channel.language)
    return message.as_bytes(policy=SMTP)
