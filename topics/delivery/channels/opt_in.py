"""Have the reader of an address agree before anything else is sent there, or stop all of it."""

from datetime import datetime
from typing import Final

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from focusweb.database import write_transaction
from focusweb.mail_server import MailServer
from topics.delivery import mime, smtp
from topics.delivery.confirmation import MAX_AGE, note_link
from topics.delivery.handover import SendResult
from topics.delivery.signed_links import SignedLink
from topics.models import Channel

#: Without signing in, each leads to a form that confirms its channel, or stops it.
CONFIRM: Final = SignedLink("confirm_channel", "topics.delivery.channels.confirm")
STOP: Final = SignedLink("stop_channel", "topics.delivery.channels.stop")


def send_link(channel: Channel, server: MailServer, now: datetime) -> SendResult:
    """Mail the link that confirms a channel to its reader.

    Raises
    ------
    TooManyLinksError
        If its owner, or the address, got too many of them lately.
    """
    with write_transaction():
        proof = note_link(channel.owner, channel.target, now)
        Channel.objects.filter(pk=channel.pk).update(asked=now)
    outcome = smtp.send(server, _mail(channel, now), settings.MAIL_FROM, channel.target)
    if not outcome.sent and outcome.certain:
        proof.delete()
    return outcome


def sender_of(channel: Channel) -> str:
    """The user who has messages sent to another reader; "" if it is the user's own address."""
    is_own = channel.target == channel.owner.email
    return "" if is_own else mime.one_line(channel.owner.get_username())


def find_channel(link: SignedLink, token: str) -> Channel | None:
    """Return the channel that a link confirms or stops; None if the link is forged."""
    return link.find(token, Channel.objects.select_related("owner"))


def has_expired(channel: Channel, now: datetime) -> bool:
    """True if a link was not used in time, or its reader has stopped the channel since."""
    if channel.stopped is not None:
        return True
    return channel.confirmed is None and (channel.asked is None or channel.asked + MAX_AGE <= now)


def confirm_channel(channel: Channel, now: datetime) -> None:
    """Mark a channel as confirmed; the second time changes nothing."""
    Channel.objects.filter(pk=channel.pk, confirmed=None).update(confirmed=now)


def stop_channel(channel: Channel, now: datetime) -> None:
    """Mark a channel as stopped; only a new channel can be confirmed again."""
    Channel.objects.filter(pk=channel.pk, stopped=None).update(stopped=now)


def _mail(channel: Channel, now: datetime) -> bytes:
    context = {
        "owner": mime.one_line(channel.owner.get_username()),
        "address": channel.target,
        "days": MAX_AGE.days,
        "link": mime.full_address(CONFIRM.path(channel)),
    }
    with translation.override(channel.language):
        subject = _("Confirm your address for FocusWeb")
        template = "mail/confirm_channel.txt"
        return mime.text_mail("confirm", subject, channel.target, template, context, now)
