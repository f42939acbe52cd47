"""What must hold of digests and alerts at every moment; each function gives the breaches."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Count, Q

from topics.models import DigestIssue, DigestItem

#: A sender this much past its time should have been given up.
GRACE = timedelta(minutes=3)
State = DigestIssue.State


def delivery_breaches(now: datetime) -> Iterator[str]:
    """I2: an issue is in one state that its row agrees with, and tells nothing told before."""
    issues = DigestIssue.objects.all()
    for issue in issues.exclude(state__in=State.values):
        yield f"issue {issue.pk}: unknown state {issue.state!r}"
    for issue in issues.filter(state=State.SENDING).filter(
        Q(held_by="") | Q(held_until=None) | Q(held_until__lt=now - GRACE)
    ):
        yield f"issue {issue.pk}: being sent by nobody"
    written = (State.RENDERED, State.SENDING, State.SENT, State.FILED, State.UNCERTAIN)
    for issue in issues.filter(state__in=written, message=b""):
        yield f"issue {issue.pk}: {issue.state}, but there is no mail"
    for issue in issues.filter(state=State.FAILED, problem=""):
        yield f"issue {issue.pk}: failed without a reason"
    told = DigestItem.objects.filter(issue__in=issues.told(), issue__asked_again=False)
    for kind in ("url", "story"):
        repeated = (
            told.exclude(**{kind: None}).order_by().values("issue__digest", kind)
            .annotate(n=Count("pk")).filter(n__gt=1)
        )  # fmt: skip
        for row in repeated:
            yield f"digest {row['issue__digest']}: {kind} {row[kind]} told {row['n']} times"
