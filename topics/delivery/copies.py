"""Copies of an issue for channels: other readers, webhooks and chats."""

import logging
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.utils import translation

from topics.delivery import rendering
from topics.delivery.channels import opt_in
from topics.delivery.channels.base import Message, MessageItem, Target, TargetError
from topics.delivery.channels.deliveries import (
    add_delivery,
    add_unwritten,
    target_of,
    written_message,
)
from topics.delivery.channels.registry import find_kind
from topics.delivery.mime import Envelope, full_address, one_line, sender_domain
from topics.delivery.rendering import IssueText
from topics.models import Channel, Delivery, DigestIssue

logger = logging.getLogger(__name__)

#: Between two attempts to write a copy: a plugin that fails once mostly fails again.
WRITING_PAUSE: Final = timedelta(minutes=5)


def add_copies(issue: DigestIssue, text: IssueText, now: datetime) -> int:
    """Store a copy of an issue for each channel of its digest; how many are written.

    The copies are in the language of the digest. None of their links acts for its owner. A copy
    whose plugin or package is missing or fails waits until `write_copy` succeeds.
    """
    channels = issue.digest.channels.usable().select_related("owner")
    plain = _for_readers(issue, text)
    return sum(_add_copy(issue, channel, plain, now) for channel in channels)


def write_copy(row: Delivery, text: IssueText, now: datetime) -> bool:
    """Write a copy that could not be written with its issue; False if it cannot be yet.

    It is then to be tried again after `WRITING_PAUSE`.
    """
    issue = row.issue
    assert issue is not None
    try:
        subject, body = _written(issue, row.channel, _for_readers(issue, text), target_of(row))
    except TargetError as error:
        logger.warning("channel %s: a copy could not be written: %s", row.channel_id, error)
        Delivery.objects.move(row.pk, [row.State.FROZEN], not_before=now + WRITING_PAUSE)
        return False
    values = {"state": row.State.RENDERED, "subject": subject, "message": body, "not_before": None}
    return Delivery.objects.move(row.pk, [row.State.FROZEN], **values)


def _for_readers(issue: DigestIssue, text: IssueText) -> IssueText:
    pages = tuple(rendering.with_act_url(page, "") for page in text.pages)
    # Alerts and starred pages are the owner's own.
    sender = one_line(issue.digest.topic.owner.get_username())
    return replace(text, pages=pages, besides=(), sent_by=sender)


def _add_copy(issue: DigestIssue, channel: Channel, text: IssueText, now: datetime) -> bool:
    write = partial(_written, issue, channel, text)
    key = f"issue-{issue.pk}-{channel.pk}"
    try:
        return add_delivery(channel, key, write, now, issue=issue) is not None
    except TargetError as error:
        # A plugin fails: the other readers must get theirs, and this one later.
        logger.warning("channel %s: a copy could not be written: %s", channel.pk, error)
        add_unwritten(channel, key, text.subject, now, issue)
        return False


def _written(
    issue: DigestIssue, channel: Channel, text: IssueText, target: Target
) -> tuple[str, bytes]:
    stop_url = full_address(opt_in.STOP.path(channel))
    if channel.kind == "mail":
        envelope = Envelope(f"<{target.uid}@{sender_domain()}>", target.address)
        mail = rendering.write(issue.digest, replace(text, stop_url=stop_url), envelope)
        return text.subject, mail.message
    kind = find_kind(channel.kind)
    if kind is None:
        raise TargetError(f"the kind {channel.kind!r} is not there")
    with translation.override(issue.digest.language):
        return written_message(kind, _message(issue, text, target, stop_url), target)


def _message(issue: DigestIssue, text: IssueText, target: Target, stop_url: str) -> Message:
    return Message(
        kind="digest",
        uid=target.uid,
        subject=text.subject,
        heading=text.heading,
        lang=issue.digest.language,
        made=text.made,
        items=[
            MessageItem(
                title=page.title,
                url=page.url,
                site=page.site,
                topic=page.section or text.topic,
                extract=page.extract,
                why=page.why,
                score=page.score,
                first_seen=page.first_seen,
                published=page.published,
                new_site=page.new_site,
                lang=page.lang,
                has_article=page.has_article,
            )
            for page in text.pages
        ],
        note=text.warning,
        n_more=text.n_more,
        zone=text.zone,
        url=text.topic_url,
        settings_url=text.digest_url,
        stop_url=stop_url,
    )
