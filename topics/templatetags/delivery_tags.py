"""What the mails of a digest, and the pages about them, need."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django import template
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from topics.delivery.channels.base import Message, MessageItem
from topics.delivery.channels.registry import find_kind
from topics.delivery.rendering import IssueItem, IssueText
from topics.delivery.rules.event_sentences import ShownEvent, shown_event, stored_event
from topics.delivery.rules.events import Event
from topics.delivery.rules.sentences import sentence_of, simulation_sentence
from topics.delivery.rules.simulation import Simulated
from topics.models import AlertRule, Channel, RuleEvent
from topics.rules.days import day_of
from topics.templatetags.topic_tags import age

register = template.Library()
register.filter("rule_sentence", sentence_of)
register.filter("muted", AlertRule.is_muted)


@register.filter
def listed(words: Sequence[str]) -> str:
    """Words with what stands between them in the reader's language."""
    return pgettext("between words of a list", ", ").join(words)


@register.simple_tag
def page_age(page: IssueItem | MessageItem, mail: IssueText | Message) -> str:
    """How old a page is, and the day it is from."""
    if page.published is None:
        return _("date unknown, first seen %(when)s") % {"when": _when(page.first_seen, mail)}
    return _when(page.published, mail)


@register.filter
def local_and_utc(moment: datetime, zone: str) -> str:
    """Return a moment by the wall clock of a zone, and in UTC where that is another."""
    local = moment.astimezone(ZoneInfo(zone))
    if not local.utcoffset():
        return f"{local:%Y-%m-%d %H:%M} {zone}"
    return f"{local:%Y-%m-%d %H:%M} {zone} ({moment.astimezone(ZoneInfo('UTC')):%H:%M} UTC)"


def _when(moment: datetime, mail: IssueText | Message) -> str:
    with timezone.override(mail.zone):
        day = day_of(moment).isoformat()
        return _("%(age)s (%(day)s)") % {"age": age(moment, mail.made), "day": day}


@register.filter
def kind_label(channel: Channel) -> str:
    """Return what people call a channel's kind."""
    kind = find_kind(channel.kind)
    return str(kind.label) if kind is not None else channel.kind


@register.filter
def masked(channel: Channel) -> str:
    """Return a channel's address without what may be a password."""
    if channel.kind == "mail":
        return channel.target
    parts = urlsplit(channel.target)
    host = parts.hostname if parts.scheme in ("http", "https") else ""
    return f"{parts.scheme}://{host or '…'}/…"


@register.simple_tag
def simulated(look: Simulated, rule: AlertRule) -> str:
    """What a rule would have sent."""
    return simulation_sentence(look, is_of_pages=rule.watches == AlertRule.Watches.PAGES)


@register.simple_tag
def happened(event: Event | RuleEvent, rule: AlertRule) -> ShownEvent:
    """Return an event of a rule in the reader's language."""
    if isinstance(event, RuleEvent):
        return shown_event(stored_event(event), event.kind, rule.zone)
    return shown_event(event, rule.watches, rule.zone)


@register.filter
def condition_values(values: Mapping[str, object]) -> str:
    """Return what each condition of a rule saw."""
    names = {
        "score": _("score"),
        "needed": _("threshold"),
        "term": _("contains"),
        "site": _("site"),
        "new_site": _("new site"),
        "language": _("language"),
        "search": _("saved search"),
        "query": _("search conditions"),
        "hours": _("published within hours"),
        "sites": _("sites"),
    }
    if isinstance(score := values.get("score"), float):
        values = {**values, "score": round(score, 2)}  # as the alert itself shows it
    # Not in the order of the values: databases differ in the one they keep.
    shown = [(name, values[key]) for key, name in names.items() if key in values]
    return " · ".join(
        _("%(name)s: %(words)s") % {"name": name, "words": _("yes") if value is True else value}
        for name, value in shown
    )
