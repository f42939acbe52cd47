"""What must hold of digests and alerts at every moment; each function gives the breaches."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Count, F, Q, QuerySet

from topics.delivery.alerts import MAX_AGE
from topics.models import Alert, DigestIssue, DigestItem

#: A sender this much past its time should have been given up.
GRACE = timedelta(minutes=3)
State = DigestIssue.State


def delivery_breaches(now: datetime) -> Iterator[str]:
    """I2: what is delivered agrees with its row, and nothing is delivered twice."""
    yield from digest_breaches(now)
    yield from alert_breaches()


def digest_breaches(now: datetime) -> Iterator[str]:
    """An issue is in one state that its row agrees with, and repeats no delivered page."""
    issues = DigestIssue.objects.all()
    for issue in issues.exclude(state__in=State.values):
        yield f"issue {issue.pk}: unknown state {issue.state!r}"
    for issue in issues.filter(state=State.SENDING).filter(
        Q(held_by="") | Q(held_until=None) | Q(held_until__lt=now - GRACE)
    ):
        yield f"issue {issue.pk}: being sent, but without a sender"
    written = (State.RENDERED, State.SENDING, State.SENT, State.FILED, State.UNCERTAIN)
    for issue in issues.filter(state__in=written, message=b""):
        yield f"issue {issue.pk}: {issue.state}, but there is no mail"
    for issue in issues.filter(state=State.FAILED, problem=""):
        yield f"issue {issue.pk}: failed without a reason"
    delivered = DigestItem.objects.filter(issue__in=issues.delivered(), issue__asked_again=False)
    for kind in ("url", "story"):
        repeated = (
            delivered.exclude(**{kind: None})
            .order_by()
            .values("issue__digest", kind)
            .annotate(n=Count("pk"))
            .filter(n__gt=1)
        )
        for row in repeated:
            yield f"digest {row['issue__digest']}: {kind} {row[kind]} delivered {row['n']} times"


def alert_breaches() -> Iterator[str]:
    """An alert is of a page of its topic that was young and good enough; a story has one.

    One alert per story also keeps seen alerts seen: only a second alert, for a copy of the page,
    would need attention again.
    """
    alerts = Alert.objects.order_by("pk")
    for alert in alerts.exclude(state__in=Alert.State.values):
        yield f"alert {alert.pk}: unknown state {alert.state!r}"
    for alert in alerts.exclude(harvest__crawl__topic=F("topic")):
        yield f"alert {alert.pk}: its page is of another topic"
    for alert in alerts.filter(score__lt=F("needed")):
        yield f"alert {alert.pk}: score {alert.score}, {alert.needed} needed"
    for alert in alerts.filter(harvest__baseline=True):
        yield f"alert {alert.pk}: its page was there when the topic began"
    for alert in _too_old(alerts):
        yield f"alert {alert.pk}: its page was older than {MAX_AGE.days} days"
    # By the page's own story, not the alert's: that one the table keeps apart by itself.
    delivered = alerts.exclude(harvest__story=None).order_by().values("topic", "harvest__story")
    for row in delivered.annotate(n=Count("pk")).filter(n__gt=1):
        yield f"topic {row['topic']}: story {row['harvest__story']} alerted {row['n']} times"


def _too_old(alerts: QuerySet[Alert]) -> QuerySet[Alert]:
    floor = F("fired") - MAX_AGE
    # A page that was fetched since may show an older date by now: that was unknown then.
    unchanged = Q(harvest__url__page__fetched__lte=F("fired"))
    return alerts.filter(
        Q(harvest__first_seen__lt=floor) | (unchanged & Q(harvest__published__lt=floor))
    )
