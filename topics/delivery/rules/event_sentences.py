"""The sentence for an event: in messages, on the alerts page, and in a simulation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from topics.changes.words import DiffKind
from topics.delivery.channels.base import MessageItem
from topics.delivery.mime import MAX_EXTRACT, full_address, one_line
from topics.delivery.rules.events import Event
from topics.models import AlertRule, PageChange, RuleEvent, Topic


@dataclass(frozen=True, slots=True)
class ShownEvent:
    """An event in the reader's language.

    Attributes
    ----------
    path : str
        Our page about it.
    site : str
        Where the page is that changed; "" for others.
    extract : str
        The words that changed; "" for others.
    """

    topic: Topic
    title: str
    detail: str
    path: str
    moment: datetime
    site: str = ""
    extract: str = ""
    language: str = ""


def shown_event(event: Event, kind: str, zone: str) -> ShownEvent:
    """Return what happened, in the active language and in the time of a zone."""
    topic, facts = event.topic, event.facts
    if event.change is not None:
        return _shown_change(event, event.change)
    path, name = reverse("topic_detail", args=[topic.slug]), {"topic": topic.name}
    title = detail = ""
    match kind:
        case AlertRule.Watches.SPIKE:
            text = ngettext(
                "%(topic)s: %(count)d new page on %(day)s",
                "%(topic)s: %(count)d new pages on %(day)s",
                facts["count"],
            )
            title = text % (name | {"count": facts["count"], "day": facts["day"]})
            # A median: half a page at most.
            detail = _("A usual day before had %(usual)s.") % {"usual": f"{facts['usual']:g}"}
        case AlertRule.Watches.SILENCE:
            text = ngettext(
                "%(topic)s: no new page for %(count)d day",
                "%(topic)s: no new page for %(count)d days",
                facts["days"],
            )
            title = text % (name | {"count": facts["days"]})
            detail = _silence_detail(facts, zone)
        case AlertRule.Watches.TROUBLE:
            path = reverse("run_list", args=[topic.slug])
            title = _("%(topic)s: no source could be visited since %(when)s") % (
                name | {"when": _wall(facts["since"], zone)}
            )
            detail = _("The list of runs says why.")
        case _:
            title = _("%(topic)s: a page that you watch has changed") % name
            detail = _("The change itself is no longer stored.")
    return ShownEvent(topic, title, detail, path, event.moment)


def stored_event(row: RuleEvent) -> Event:
    """Return an event as it was found."""
    return Event(row.topic, row.key, row.happened, row.facts, row.change)


def event_items(rows: Sequence[RuleEvent], zone: str) -> list[MessageItem]:
    """Events as the items of a message, in the active language."""
    items = []
    for row in rows:
        shown = shown_event(stored_event(row), row.kind, zone)
        items.append(
            MessageItem(
                title=one_line(shown.title),
                url=full_address(shown.path),
                site=shown.site,
                topic=one_line(shown.topic.name),
                extract=one_line(shown.extract, MAX_EXTRACT),
                why=shown.detail,
                score=0.0,
                first_seen=shown.moment,
                published=shown.moment,
                lang=shown.language,
            )
        )
    return items


def _shown_change(event: Event, change: PageChange) -> ShownEvent:
    page = getattr(change.url, "page", None)
    marks = {DiffKind.INSERTED: "＋", DiffKind.DELETED: "－", DiffKind.SAME: ""}
    words = "".join(
        f"[{marks[DiffKind(kind)]}{text.strip()}] " if DiffKind(kind) is not DiffKind.SAME else text
        for kind, text in change.summary
    )
    counts = {"inserted": change.n_inserted, "deleted": change.n_deleted}
    return ShownEvent(
        topic=event.topic,
        title=(page.title if page else "") or change.url.url,
        detail=_("This page that you watch has changed. Words: %(inserted)d new, %(deleted)d gone.")
        % counts,
        path=reverse("change_detail", args=[event.topic.slug, change.pk]),
        moment=event.moment,
        site=change.url.site.name,
        extract=words,
        language=page.language if page else "",
    )


def _silence_detail(facts: Mapping[str, Any], zone: str) -> str:
    if not facts["visited"]:
        return _("No source was visited in this time, so new pages may have been missed.")
    return _("Sources were visited last at %(when)s, so nothing new was found there.") % {
        "when": _wall(facts["visited"], zone)
    }


def _wall(moment: str, zone: str) -> str:
    return f"{datetime.fromisoformat(moment).astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}"
