"""What a digest's mail has in addition to pages: changes, alerts, rising terms, quiet topics."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import msgspec
from django.db.models import Max
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from crawler.api.tables import Harvest
from topics.charts.news_rows import terms_on
from topics.delivery import alerts
from topics.delivery.mime import full_address, one_line
from topics.delivery.rules.event_sentences import shown_event, stored_event
from topics.delivery.rules.events import Event
from topics.delivery.sections import ChosenPage, topics_of_digest
from topics.models import AlertRule, Digest, DigestIssue, PageChange, Topic
from topics.pages.opening import open_address_outside
from topics.rules.parts import ALERTS, CHANGES, QUIET, TERMS, parse_parts

#: Most lines of each part.
MAX_CHANGES: Final = 5
MAX_ALERTS: Final = 10
MAX_TERMS: Final = 5
MAX_CHARS: Final = 300
#: A term is compared with the weeks before; it rises with twice its share, on enough pages.
BEFORE: Final = timedelta(weeks=4)
RISE: Final = 2.0
LEAST_WITH_TERM: Final = 3
LEAST_BEFORE: Final = 10
MAX_PAGES: Final = 2000


class MailLine(msgspec.Struct, frozen=True):
    """One line of a part: its text, its link, and further details."""

    text: str
    url: str = ""
    detail: str = ""


class MailPart(msgspec.Struct, frozen=True):
    """A part of a mail: its name of `topics.rules.parts`, its heading, and its lines.

    `n_found` is how many watched pages changed, also those without a line; 0 in other parts, and
    in those that were stored before it was counted.
    """

    name: str
    heading: str
    lines: tuple[MailLine, ...]
    n_found: int = 0


def parts_of(
    digest: Digest, pages: Sequence[ChosenPage], covers_from: datetime, now: datetime
) -> list[MailPart]:
    """The parts of an issue that covers a time and holds some pages, in the digest's language.

    Each change and alert is in one mail: the times that mails cover do not overlap.
    """
    wanted = parse_parts(digest.besides)
    topics = topics_of_digest(digest)
    changed = _changed(digest, topics, covers_from, now)
    last_mail = _last_mail(digest, covers_from)
    with translation.override(digest.language):
        found = {
            CHANGES: (_("Changes of watched pages"), _changes(digest, changed)),
            ALERTS: (_("Alerts"), _alerts(digest, topics, pages, last_mail, now)),
            TERMS: (_("Rising terms"), _terms(topics, covers_from, now)),
            QUIET: (_("Quiet topics"), _quiet(digest, topics, pages)),
        }
        parts = [
            MailPart(name, heading, tuple(lines), len(changed) if name == CHANGES else 0)
            for name, (heading, lines) in found.items()
            if name in wanted
        ]
    return [part for part in parts if part.lines]


def n_changes(parts: Sequence[MailPart]) -> int:
    """Return how many watched pages changed: an issue with one is not empty."""
    return sum(part.n_found or len(part.lines) for part in parts if part.name == CHANGES)


def restored(rows: Sequence[object]) -> list[MailPart]:
    """Parts from JSON."""
    return [msgspec.convert(row, MailPart) for row in rows]


def _changed(
    digest: Digest, topics: Sequence[Topic], since: datetime, now: datetime
) -> list[tuple[Topic, PageChange]]:
    """The latest change of each watched page."""
    latest: dict[int, tuple[Topic, PageChange]] = {}
    for topic in topics:
        rows = PageChange.objects.visible_to(digest.topic.owner, topic)
        rows = rows.filter(found__gt=since, found__lte=now).select_related("url__site")
        for row in rows.select_related("url__page"):
            latest.setdefault(row.url_id, (topic, row))
    return list(latest.values())


def _changes(digest: Digest, changed: Sequence[tuple[Topic, PageChange]]) -> Iterator[MailLine]:
    for topic, row in changed[:MAX_CHANGES]:
        event = Event(topic, "", row.found, change=row)
        shown = shown_event(event, AlertRule.Watches.CHANGES, digest.zone)
        words = one_line(f"{shown.site} · {shown.extract}", MAX_CHARS)
        yield MailLine(one_line(shown.title), full_address(shown.path), words)
    left = changed[MAX_CHANGES:]
    if left:
        more = ngettext("%(count)d more changed page", "%(count)d more changed pages", len(left))
        path = reverse("topic_changes", args=[left[0][0].slug])
        yield MailLine(more % {"count": len(left)}, full_address(path))


def _last_mail(digest: Digest, covers_from: datetime) -> datetime:
    """Return since when no mail named an alert: alerts alone do not make an issue a mail."""
    since = covers_from
    # By its number, not its relation: a digest in a preview may not be stored yet.
    issues = DigestIssue.objects.filter(digest=digest.pk)
    for state, begin, end in issues.values_list("state", "covers_from", "covers_until"):
        if state == DigestIssue.State.EMPTY and end >= since:
            since = min(since, begin)
        elif state not in DigestIssue.NOT_DELIVERED or begin < since:
            break  # It was sent, or the digest was off after it.
    return since


def _alerts(
    digest: Digest,
    topics: Sequence[Topic],
    pages: Sequence[ChosenPage],
    since: datetime,
    now: datetime,
) -> Iterator[MailLine]:
    """Events, and alerts whose pages are not in the mail anyway; best first."""
    events = alerts.listed_events(topics).filter(fired__gt=since, fired__lte=now)
    changes = AlertRule.Watches.CHANGES
    lines = []
    events = events.exclude(kind=changes)
    shown_events = list(events[:MAX_ALERTS])
    for row in shown_events:
        shown = shown_event(stored_event(row), row.kind, digest.zone)
        lines.append(
            MailLine(one_line(shown.title), full_address(shown.path), one_line(shown.detail))
        )
    listed = alerts.alerts_of(topics).filter(fired__gt=since, fired__lte=now)
    here = [page.harvest.url_id for page in pages]
    rows = listed.exclude(harvest__url__in=here).order_by("-score", "pk")
    n_events = len(shown_events) if len(shown_events) < MAX_ALERTS else events.count()
    n_more = rows.count() + n_events
    shown_rows = rows.select_related("harvest__url__site", "harvest__url__page")
    for alert in shown_rows[: MAX_ALERTS - len(lines)]:
        url = alert.harvest.url
        score = _("score %(score).2f") % {"score": alert.score}
        lines.append(
            MailLine(
                one_line(alert.harvest.title),
                open_address_outside(url.url),
                f"{url.site.name} · {score}",
            )
        )
    yield from lines
    n_more -= len(lines)
    if n_more > 0:
        more = ngettext("%(count)d more alert", "%(count)d more alerts", n_more)
        yield MailLine(more % {"count": n_more}, full_address(reverse("alert_list")))


def _terms(topics: Sequence[Topic], since: datetime, now: datetime) -> Iterator[MailLine]:
    """Terms on a much larger share of the new pages than in the weeks before."""
    found: list[tuple[float, MailLine]] = []
    for topic in topics:
        new, before = _counted(topic, since, now), _counted(topic, since - BEFORE, since)
        if before.total < LEAST_BEFORE:
            continue
        for term, count in new.terms.items():
            usual = before.terms[term] / before.total
            share = count / new.total
            if count < LEAST_WITH_TERM or share < RISE * usual:
                continue
            text = _("%(topic)s: on %(count)d of %(total)d new pages, before on %(old)d of %(all)d")
            facts = {"topic": topic.name, "count": count, "total": new.total}
            facts |= {"old": before.terms[term], "all": before.total}
            address = f"{topic.get_absolute_url()}?{urlencode({'term': term})}"
            found.append((share - usual, MailLine(term, full_address(address), text % facts)))
    found.sort(key=lambda one: (-one[0], one[1].text))
    yield from (line for _share, line in found[:MAX_TERMS])


class _Counts(msgspec.Struct, frozen=True):
    terms: Counter[str]
    total: int


def _counted(topic: Topic, since: datetime, until: datetime) -> _Counts:
    """Return how many pages of a period have each term, and how many pages there are."""
    rows = Harvest.objects.kept().filter(crawl=topic.crawl_id, baseline=False)
    rows = rows.filter(first_seen__gt=since, first_seen__lte=until).one_per_story()
    newest = list(rows.order_by("-first_seen").values_list("pk", flat=True)[:MAX_PAGES])
    terms = terms_on(topic, Harvest.objects.filter(pk__in=newest))
    return _Counts(Counter(term for some in terms.values() for term in some), len(newest))


def _quiet(
    digest: Digest, topics: Sequence[Topic], pages: Sequence[ChosenPage]
) -> Iterator[MailLine]:
    """One line with the topics without a page in the mail, if it has several topics."""
    busy = {page.topic.pk for page in pages}
    quiet = [topic for topic in topics if topic.pk not in busy]
    if len(topics) < 2 or not quiet:
        return
    zone, names = ZoneInfo(digest.zone), []
    for topic in quiet:
        rows = Harvest.objects.kept().filter(crawl=topic.crawl_id, baseline=False)
        last = rows.aggregate(last=Max("first_seen"))["last"]
        facts = {"topic": one_line(topic.name)}
        if last is None:
            names.append(_("%(topic)s (no new page yet)") % facts)
        else:
            facts["day"] = f"{last.astimezone(zone):%Y-%m-%d}"
            names.append(_("%(topic)s (last new page %(day)s)") % facts)
    yield MailLine(pgettext("between words of a list", ", ").join(names))
