"""A test of a channel: by the same way, the same templates and the same ledger."""

import uuid
from datetime import datetime

from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from topics.delivery.channels import opt_in
from topics.delivery.channels.base import Message, Target
from topics.delivery.channels.deliveries import add_delivery, written_message
from topics.delivery.channels.registry import find_kind
from topics.delivery.mime import full_address
from topics.models import Channel, Delivery


def add_test(channel: Channel, now: datetime) -> Delivery | None:
    """Have a test sent to a channel; None if its kind is missing."""
    kind = find_kind(channel.kind)
    if kind is None:
        return None

    def write(target: Target) -> tuple[str, bytes]:
        return written_message(kind, trial_message(channel, target, now), target)

    return add_delivery(channel, f"test-{channel.pk}-{uuid.uuid4()}", write, now)


def trial_message(channel: Channel, target: Target, now: datetime) -> Message:
    """Return the text of a test."""
    with translation.override(channel.language):
        return Message(
            kind="test",
            uid=target.uid,
            subject=_("Test from FocusWeb"),
            heading=_("Test from FocusWeb"),
            lang=channel.language,
            made=now,
            note=_("This channel works. Alerts and digests that you send here look like this."),
            url=full_address(reverse("topic_list")),
            settings_url=full_address(reverse("channel_detail", args=[channel.pk])),
            stop_url=full_address(opt_in.STOP.path(channel)),
            sent_by=opt_in.sender_of(channel),
        )
