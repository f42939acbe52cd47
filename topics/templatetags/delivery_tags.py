"""What the mails of a digest, and the pages about them, need."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from topics.delivery.rendering import IssueItem, IssueText
from topics.templatetags.topic_tags import age

register = template.Library()


@register.filter
def listed(words: Sequence[str]) -> str:
    """Words with what stands between them in the reader's language."""
    return pgettext("between words of a list", ", ").join(words)


@register.simple_tag
def page_age(page: IssueItem, issue: IssueText) -> str:
    """How old a page is, and the day it is from."""
    if page.published is None:
        return _("date unknown, first seen %(when)s") % {"when": _when(page.first_seen, issue)}
    return _when(page.published, issue)


@register.filter
def local_and_utc(moment: datetime, zone: str) -> str:
    """A moment by the wall clock of a zone, and in UTC where that is another."""
    local = moment.astimezone(ZoneInfo(zone))
    if not local.utcoffset():
        return f"{local:%Y-%m-%d %H:%M} {zone}"
    return f"{local:%Y-%m-%d %H:%M} {zone} ({moment.astimezone(ZoneInfo('UTC')):%H:%M} UTC)"


def _when(moment: datetime, issue: IssueText) -> str:
    day = f"{moment.astimezone(ZoneInfo(issue.zone)):%Y-%m-%d}"
    return _("%(age)s (%(day)s)") % {"age": age(moment, issue.made), "day": day}
