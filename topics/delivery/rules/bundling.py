"""Put waiting alerts into messages when a rule's pace and quiet hours allow it."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Min, QuerySet
from django.urls import reverse
from django.utils import translation
from django.utils.translation import ngettext

from focusweb.database import write_transaction
from focusweb.failpoints import pass_point
from topics.delivery.channels import opt_in
from topics.delivery.channels.base import Message, MessageItem, Target, TargetError
from topics.delivery.channels.deliveries import add_delivery, written_message
from topics.delivery.channels.registry import find_kind
from topics.delivery.mime import MAX_EXTRACT, MAX_WHY, full_address, one_line
from topics.delivery.rules.event_sentences import event_items
from topics.delivery.rules.events import is_over
from topics.models import Alert, AlertRule, Channel, Delivery, Notice, SiteControl
from topics.pages.opening import open_address_outside
from topics.pages.rows import rows_of_crawls

logger = logging.getLogger(__name__)

#: Pages in one message; the others are on the alerts page.
MAX_ITEMS: Final = 20
#: Longer than a local day.
_SENT_LATELY: Final = timedelta(days=2)


def bundle_all(now: datetime) -> int:
    """Make the messages that are due. Return how many."""
    waiting = Notice.objects.filter(delivery=None, dropped=False, rule__active=True)
    usable = waiting.filter(channel__in=Channel.objects.usable())
    pairs = usable.order_by("rule", "channel").values_list("rule", "channel").distinct()
    return sum(bundle(rule, channel, now) is not None for rule, channel in pairs)


def bundle(rule_pk: int, channel_pk: int, now: datetime) -> Delivery | None:
    """Make the message of a rule for a channel if one is due; None if not."""
    with write_transaction():
        # Of two processes the second waits here, and finds nothing that waits.
        rule = AlertRule.objects.select_for_update().filter(pk=rule_pk, active=True).first()
        channel = Channel.objects.usable().select_related("owner").filter(pk=channel_pk).first()
        if rule is None or channel is None:
            return None
        try:
            made = _bundle(rule, channel, now)
        except TargetError as error:
            # A plugin fails: the alerts wait, and other channels get theirs.
            logger.warning("channel %s: a message could not be written: %s", channel.pk, error)
            return None
        pass_point("bundle.half")
    pass_point("bundle.made")
    return made


def waiting_notices(rule: AlertRule, channel: Channel) -> list[Notice]:
    """Alerts of a rule that wait for a channel, best first; of events, those not seen first."""
    rows = _waiting(rule, channel)
    rows = rows.select_related("alert__topic__crawl", "alert__harvest__url__site")
    rows = rows.select_related("event__topic__crawl", "event__change__url__site")
    rows = rows.select_related("event__change__url__page", "alert__harvest__url__page")
    return list(rows.order_by("-alert__score", "event__seen", "pk"))


def _waiting(rule: AlertRule, channel: Channel) -> QuerySet[Notice]:
    return rule.notices.filter(channel=channel, delivery=None, dropped=False)


def sent_lately(rule: AlertRule, channel: Channel, now: datetime) -> list[datetime]:
    """When the messages of a rule for a channel were made in the last days."""
    rows = Delivery.objects.filter(rule=rule, channel=channel, created__gt=now - _SENT_LATELY)
    return list(rows.values_list("created", flat=True))


def _bundle(rule: AlertRule, channel: Channel, now: datetime) -> Delivery | None:
    kind = find_kind(channel.kind)
    _forget_what_others_sent(rule, channel)
    first = _waiting(rule, channel).aggregate(first=Min("created"))["first"]
    if first is None or kind is None:
        return None
    if rule.is_muted(now):
        return None
    # Pages are read only when the message is due: in quiet hours this runs at every tick.
    if not rule.pace().may_send(now, first, sent_lately(rule, channel, now)):
        return None
    waiting = waiting_notices(rule, channel)
    true = [notice for notice in waiting if _still_true(notice, now)]
    gone = [notice.pk for notice in waiting if notice not in true]
    Notice.objects.filter(pk__in=gone).update(dropped=True)
    if not true:
        return None

    def write(target: Target) -> tuple[str, bytes]:
        message = _message(rule, channel, true, target, now)
        return written_message(kind, message, target)

    key = f"rule-{rule.pk}-{channel.pk}-{max(notice.pk for notice in true)}"
    delivery = add_delivery(channel, key, write, now, rule=rule)
    if delivery is not None:
        Notice.objects.filter(pk__in=[notice.pk for notice in true]).update(delivery=delivery)
    return delivery


def _forget_what_others_sent(rule: AlertRule, channel: Channel) -> None:
    """Delete what waits of changes that another rule has put into a message for the channel.

    A silence or a busy day is not the same for two rules: their days and zones may differ.
    """
    sent = Notice.objects.filter(channel=channel, event__change__isnull=False)
    changes = sent.exclude(delivery=None).values("event__change")
    _waiting(rule, channel).filter(event__change__in=changes).delete()


def _still_true(notice: Notice, now: datetime) -> bool:
    """Whether a page is still kept and its site not blocked since, or a silence goes on."""
    if notice.event is not None:
        return not is_over(notice.event, now)
    alert = notice.alert
    assert alert is not None, "a notice is of an alert or an event"
    blocked = SiteControl.objects.filter(
        topic=alert.topic, site=alert.harvest.url.site, rule=SiteControl.Rule.BLOCK
    )
    return alert.harvest.kept and not blocked.exists()


def _message(
    rule: AlertRule, channel: Channel, notices: Sequence[Notice], target: Target, now: datetime
) -> Message:
    """What a channel gets of some alerts or events, in its language."""
    with translation.override(channel.language):
        some = notices[:MAX_ITEMS]
        shown = alert_items([one.alert for one in some if one.alert is not None], now)
        shown += event_items([one.event for one in some if one.event is not None], rule.zone)
        heading = one_line(rule.name)
        count = {"count": len(notices), "rule": heading}
        subject = ngettext("%(rule)s: %(count)d alert", "%(rule)s: %(count)d alerts", len(notices))
        return Message(
            kind="alerts",
            uid=target.uid,
            subject=one_line(f"{shown[0].title} · {heading}")
            if shown and len(notices) == 1
            else subject % count,
            heading=heading,
            lang=channel.language,
            made=now,
            items=shown,
            note=_note(notices, now),
            n_more=len(notices) - len(shown),
            zone=rule.zone,
            url=full_address(reverse("alert_list")),
            settings_url=full_address(reverse("rule_detail", args=[rule.pk])),
            stop_url=full_address(opt_in.STOP.path(channel)),
            sent_by=opt_in.sender_of(channel),
        )


def _note(notices: Sequence[Notice], now: datetime) -> str:
    oldest = min(notice.created for notice in notices)
    hours = (now - oldest) // timedelta(hours=1)
    if hours < 1:
        return ""
    text = ngettext(
        "These alerts waited up to %(hours)d hour, because of quiet hours, mute or limits.",
        "These alerts waited up to %(hours)d hours, because of quiet hours, mute or limits.",
        hours,
    )
    return text % {"hours": hours}


def alert_items(alerts: Sequence[Alert], now: datetime) -> list[MessageItem]:
    """Return the pages of some alerts, in their order, in the active language."""
    pages = rows_of_crawls(((alert.topic.crawl, alert.harvest) for alert in alerts), now)
    found = [
        (alert.topic, pages[alert.harvest_id]) for alert in alerts if alert.harvest_id in pages
    ]
    return [
        MessageItem(
            title=one_line(row.title),
            url=open_address_outside(row.harvest.url.url),
            site=row.site.name,
            topic=one_line(topic.name),
            extract=one_line(str(row.extract), MAX_EXTRACT),
            why=one_line(row.why, MAX_WHY),
            score=row.harvest.score,
            first_seen=row.first_seen,
            published=row.published,
            new_site=row.new_site,
            lang=row.harvest.page.language,
            has_article=row.harvest.page.has_article,
        )
        for topic, row in found
    ]
