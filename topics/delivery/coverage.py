"""How the topics of a digest were watched: the basis of a mail that says "nothing new"."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Q, Sum
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from crawler.api.tables import Run, RunQuerySet
from topics.delivery.mime import one_line
from topics.delivery.sections import topics_of_digest
from topics.models import Digest, DigestIssue, Topic
from topics.models.delivery import DigestIssueQuerySet
from topics.reasons import stop_sentence
from topics.rules import schedule
from topics.sources.lines import source_lines

#: A run may be late by so much, and have fetched nothing yet.
GRACE: Final = timedelta(hours=1)
#: After this time without a mail the reader gets a sign of life, by how often a digest comes.
QUIET: Final = {
    Digest.Frequency.DAILY: timedelta(days=7),
    Digest.Frequency.WEEKLY: timedelta(days=28),
}
#: Least time between two mails without pages.
MIN_NOTICE_GAP: Final = timedelta(days=7)
#: A change of the clocks, or a worker that was busy, makes no day of waiting.
_SLACK: Final = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How a topic was watched.

    Attributes
    ----------
    since : datetime
        When the reader last received a mail; what is counted begins there.
    n_runs, n_fetched : int
        Runs, and pages they fetched.
    n_failing, n_sources : int
        Sources that failed on their last visit, of all sources.
    unwatched_since : datetime or None
        Since then nothing could be fetched, though a run was due.
    why : str
        How the last run ended that fetched nothing; "" if there was none.
    unwatched : tuple of str
        The topics that this is about; empty if it is about all topics of the digest, or none.
    """

    since: datetime
    n_runs: int = 0
    n_fetched: int = 0
    n_failing: int = 0
    n_sources: int = 0
    unwatched_since: datetime | None = None
    why: str = ""
    unwatched: tuple[str, ...] = ()


def coverage_of(
    digest: Digest,
    covers_from: datetime,
    now: datetime,
    *,
    before: DigestIssue | None = None,
    seen_from: datetime | None = None,
) -> Coverage:
    """Return how a digest's topics were watched.

    `before` is the issue that reports it, `seen_from` when the first of its pages was found. The
    first issue also has pages from before the digest was set up, and counts the runs that found
    them.
    """
    since = _last_contact(digest, covers_from, before)
    if seen_from is not None and not _issues(digest, before).exists():
        since = min(since, seen_from)
    topics = topics_of_digest(digest)
    runs = Run.objects.filter(crawl__in=[topic.crawl_id for topic in topics], started__lt=now)
    counted = runs.filter(Q(ended=None) | Q(ended__gt=since))
    lines = [line for topic in topics for line in source_lines(topic, now)]
    # A topic that could not be watched is named, whatever the others found.
    found = ((topic.name, *_unwatched_since(topic, runs, covers_from, now)) for topic in topics)
    blind = [(moment, why, name) for name, moment, why in found if moment is not None]
    # Since the latest of these times, none of them could be.
    unwatched_since, why, _name = max(blind, default=(None, "", ""))
    return Coverage(
        since=since,
        n_runs=counted.count(),
        n_fetched=counted.aggregate(n=Sum("fetched"))["n"] or 0,
        n_failing=sum(line.failing_since is not None for line in lines),
        n_sources=len(lines),
        unwatched_since=unwatched_since,
        why=why,
        unwatched=tuple(name for *_, name in blind) if len(blind) < len(topics) else (),
    )


def is_notice_due(digest: Digest, watch: Coverage, now: datetime) -> bool:
    """True if a reader who wants no empty mails gets one in this case.

    No mail must mean that nothing is new. So a topic that could not be watched is reported at once,
    and after a long silence an empty mail is sent. Neither comes twice within a week, and neither
    for a topic that its owner has switched off.
    """
    if not any(topic.active for topic in topics_of_digest(digest)):
        return False
    words = _mails(_issues(digest, None)).filter(items=None).first()
    last = words.covers_until if words is not None else None
    if last is not None and now - last >= MIN_NOTICE_GAP - _SLACK:
        last = None
    if watch.unwatched_since is not None and (last is None or last < watch.unwatched_since):
        return True
    silent = now - watch.since >= QUIET[Digest.Frequency(digest.frequency)] - _SLACK
    return silent and last is None


def waited_long(digest: Digest, covers_from: datetime, now: datetime) -> bool:
    """True if pages have waited for others as long as a reader goes without a mail at most."""
    return now - covers_from >= QUIET[Digest.Frequency(digest.frequency)] - _SLACK


def warning(watch: Coverage, zone: str) -> str:
    """Return the sentence for a topic that could not be watched; "" for one that was."""
    if watch.unwatched_since is None:
        return ""
    why = stop_sentence(watch.why).what if watch.why else _("No run took place.")
    text = _("No source could be checked since %(when)s, so this digest may be incomplete. %(why)s")
    when = watch.unwatched_since.astimezone(ZoneInfo(zone))
    facts = {"when": f"{when:%Y-%m-%d %H:%M} {zone}", "why": why}
    if watch.unwatched:
        text = _(
            "%(topics)s: no source could be checked since %(when)s, so this digest may be"
            " incomplete. %(why)s"
        )
        facts["topics"] = listed(watch.unwatched)
    return text % facts


def listed(topics: Sequence[str]) -> str:
    """Return the names of topics as a list, each as one line."""
    return pgettext("between words of a list", ", ").join(map(one_line, topics))


def _issues(digest: Digest, before: DigestIssue | None) -> DigestIssueQuerySet:
    """The newest first; by its number, as a digest in a preview may not be stored yet."""
    issues = DigestIssue.objects.filter(digest=digest.pk)
    return issues if before is None else issues.filter(pk__lt=before.pk)


def _mails(issues: DigestIssueQuerySet) -> DigestIssueQuerySet:
    """Those that reached the reader, or may have."""
    return issues.exclude(state__in=(*DigestIssue.NOT_DELIVERED, DigestIssue.State.EMPTY))


def _last_contact(digest: Digest, covers_from: datetime, before: DigestIssue | None) -> datetime:
    """When the reader last received a mail, or began to wait for one."""
    issues = _issues(digest, before)
    newest, oldest, mail = issues.first(), issues.last(), _mails(issues).first()
    if newest is None or oldest is None or newest.covers_until < covers_from:
        return covers_from  # It was switched off in between.
    return mail.covers_until if mail is not None else oldest.covers_from


def _unwatched_since(
    topic: Topic, runs: RunQuerySet, covers_from: datetime, now: datetime
) -> tuple[datetime | None, str]:
    """Since when nothing could be fetched, if not once in all that an issue covers, and why."""
    runs = runs.filter(crawl=topic.crawl_id)
    newest = runs.filter(fetched__gt=0).order_by("-started").first()
    last = None
    if newest is not None:
        last = newest.ended or max(newest.started, newest.progress_at)
    since = last or covers_from
    overdue = schedule.next_run(topic.schedule(), since) + GRACE < now
    if not topic.active or not overdue or (last is not None and last >= covers_from):
        return None, ""
    failed = (
        runs.filter(started__gte=since, fetched=0).exclude(ended=None).order_by("-started").first()
    )
    return since, failed.stop_reason if failed is not None else ""
