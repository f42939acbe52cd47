"""What must hold of the crawler's tables at every moment; each function gives the breaches."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import F, Q

from crawler.models import Assignment, FrontierEntry, Page, Run, Site
from crawler.page.duplicates.copies import content_hash
from crawler.reasons import Reason, StopReason

State = FrontierEntry.State

#: A lease this much older than its end should have been taken back.
GRACE = timedelta(seconds=60)


def page_breaches() -> Iterator[str]:
    """I1, the part of the tables: each page's text is the one its hash was made of."""
    for page in Page.objects.exclude(content_hash="").iterator(chunk_size=500):
        if page.content_hash != content_hash(page.text):
            yield f"page {page.pk}: its text is not the one that was stored"


def frontier_breaches(now: datetime) -> Iterator[str]:
    """I3: every URL is in exactly one state that the rest of its row agrees with.

    Ready or resting, or leased under an open assignment that is not overdue, or ended
    with a page or a reason. A site is held only by an open assignment.
    """
    entries = FrontierEntry.objects.all()
    for entry in entries.exclude(state__in=State.values):
        yield f"frontier {entry.pk}: unknown state {entry.state!r}"
    for entry in entries.filter(state=State.LEASED).filter(
        Q(assignment=None) | Q(assignment__closed__isnull=False)
    ):
        yield f"frontier {entry.pk}: leased without an open assignment"
    for entry in entries.filter(state=State.NEW, assignment__closed=None, assignment__isnull=False):
        yield f"frontier {entry.pk}: waits, yet assignment {entry.assignment_id} holds it"
    fetched = (Reason.FETCHED, Reason.NOINDEX, Reason.NO_ENTRIES)
    for entry in entries.filter(state=State.DONE, reason__in=fetched, url__page=None):
        yield f"frontier {entry.pk}: fetched, but there is no page"
    for entry in entries.filter(state=State.DONE, reason=Reason.FETCHED).exclude(
        url__harvests__crawl=F("crawl")
    ):
        yield f"frontier {entry.pk}: fetched, but never judged"
    for assignment in Assignment.objects.filter(closed=None, leased_until__lt=now - GRACE):
        yield f"assignment {assignment.pk}: its lease ended at {assignment.leased_until}"
    for site in Site.objects.exclude(held_by="").filter(held_until__lt=now - GRACE):
        yield f"site {site.name}: held by {site.held_by} until {site.held_until}"


def silent_ends() -> Iterator[str]:
    """I8: whatever stopped says why."""
    ended = FrontierEntry.objects.filter(
        state__in=(State.DONE, State.FAILED, State.QUARANTINED)
    ).exclude(reason__in=list(Reason))
    for entry in ended:
        yield f"frontier {entry.pk}: {entry.state} without a reason ({entry.reason!r})"
    resting = FrontierEntry.objects.filter(state=State.NEW, attempts__gt=0, reason="")
    for entry in resting:
        yield f"frontier {entry.pk}: waits after {entry.attempts} tries without a reason"
    runs = Run.objects.filter(ended__isnull=False).exclude(stop_reason__in=list(StopReason))
    for run in runs:
        yield f"run {run.pk}: ended without a stop reason ({run.stop_reason!r})"
