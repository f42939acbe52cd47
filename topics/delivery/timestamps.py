"""Stored times that a clock wrote while it was ahead: they would stop runs and deliveries."""

from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db.models import F, QuerySet

from topics.delivery.channels.registry import channel_kinds
from topics.delivery.handover import HOLD
from topics.delivery.ledger import RETRY_DELAYS
from topics.delivery.rules.saving import MUTES
from topics.models import (
    AddressProof,
    Alert,
    AlertMatch,
    AlertRule,
    Channel,
    Delivery,
    Digest,
    DigestIssue,
    Notice,
    PageChange,
    Reading,
    RuleEvent,
    Topic,
    Visit,
)
from topics.models.ledger import LedgerState

#: What happened cannot lie further ahead; the clocks of two machines may differ by less.
MAX_SKEW: Final = timedelta(minutes=5)


def clamp_future_timestamps(now: datetime) -> int:
    """Set times further ahead than possible back to now. Return how many."""
    return (
        _next_runs(now)
        + _matches(now)
        + _past_events(now)
        + _issues(now)
        + _attempts(now)
        + _next_issues(now)
    )


def _next_runs(now: datetime) -> int:
    healed = 0
    for topic in Topic.objects.filter(next_run__gt=now):
        planned = topic.next_run
        topic.plan_next_run(now)
        if planned is not None and topic.next_run is not None and topic.next_run < planned:
            # A change of the schedule since it was read has planned it anew.
            rows = Topic.objects.filter(pk=topic.pk, next_run=planned)
            healed += rows.update(next_run=topic.next_run)
    return healed


def _matches(now: datetime) -> int:
    """Matches of rules: one that raised its alert has the time of the alert, and no other has."""
    ahead = AlertMatch.objects.filter(matched__gt=now + MAX_SKEW)
    raised = ahead.filter(matched=F("alert__fired")).update(matched=now)
    return raised + ahead.update(matched=now - timedelta(microseconds=1))


def _past_events(now: datetime) -> int:
    """Times from which on something is new, waits or counts."""
    fields: list[tuple[QuerySet[Any], str]] = [
        (Digest.objects.all(), "covered_until"),
        (Topic.objects.all(), "alerts_from"),
        # A digest or rule that checks what happened until now would leave them out.
        (Alert.objects.all(), "fired"),
        (PageChange.objects.all(), "found"),
        # Changes of a page are shown from the star on, and pages are new since the last visit.
        (Reading.objects.all(), "starred"),
        (Visit.objects.all(), "latest"),
        (Visit.objects.all(), "before"),
        (AlertRule.objects.all(), "begins"),
        (Notice.objects.all(), "created"),
        # An event in the future would hide the next silence.
        (RuleEvent.objects.all(), "happened"),
        (RuleEvent.objects.all(), "fired"),
        # The limits of a rule count the messages of this hour or day.
        (Delivery.objects.all(), "created"),
        # A link works for some days, and only so many are sent in an hour.
        (AddressProof.objects.all(), "asked"),
        (Channel.objects.all(), "asked"),
    ]
    longest = now + timedelta(hours=max(MUTES)) + MAX_SKEW
    unmuted = AlertRule.objects.filter(muted_until__gt=longest).update(muted_until=None)
    return unmuted + sum(
        rows.filter(**{f"{name}__gt": now + MAX_SKEW}).update(**{name: now})
        for rows, name in fields
    )


def _issues(now: datetime) -> int:
    """Issues of a day that has not come: the day's own issue must find its slot free."""
    rows = DigestIssue.objects.filter(created__gt=now + MAX_SKEW).select_related("digest")
    ahead = list(rows.order_by("pk"))
    for number, issue in enumerate(ahead):
        wall = now.astimezone(ZoneInfo(issue.digest.zone)) + timedelta(microseconds=number)
        issue.local_date, issue.slot = wall.date(), wall.time()
        issue.created = now
        issue.covers_from = min(issue.covers_from, now)
        issue.covers_until = min(issue.covers_until, now)
        issue.save(update_fields=["local_date", "slot", "created", "covers_from", "covers_until"])
    return len(ahead)


def _attempts(now: datetime) -> int:
    """Next attempts, and the times until which a sender may take."""
    kinds = channel_kinds().values()
    longest = max((delay for kind in kinds for delay in kind.retry_delays), default=timedelta(0))
    healed = 0
    for rows, pause in (
        (DigestIssue.objects.all(), max(RETRY_DELAYS)),
        (Delivery.objects.all(), longest),
    ):
        waiting = rows.filter(state__in=DigestIssue.WAITING)
        healed += waiting.filter(not_before__gt=now + pause + MAX_SKEW).update(not_before=now)
        sending = rows.filter(state=LedgerState.SENDING, held_until__gt=now + HOLD + MAX_SKEW)
        healed += sending.update(held_until=now + HOLD)
    return healed


def _next_issues(now: datetime) -> int:
    healed = 0
    for digest in Digest.objects.filter(active=True, next_due__gt=now):
        planned = digest.next_due
        digest.plan_next(now)
        if digest.next_due < planned:
            digest.save(update_fields=["next_due"])
            healed += 1
    return healed
