"""What templates need to show scores, ages and reasons."""

from datetime import datetime, timedelta
from typing import Final

from django import template
from django.utils import timezone
from django.utils.dates import WEEKDAYS_ABBR
from django.utils.html import avoid_wrapping
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy, pgettext

from crawler.api.tables import Harvest, Run
from focusweb.plugins import plugins
from topics.models import Topic
from topics.pages.phrases import remember_phrase
from topics.pages.rows import ShownPage, ending
from topics.rules import schedule
from topics.rules.days import day_of, is_day
from topics.sources.problem_sentences import problem_sentence
from topics.templatetags.html_format import fill

register = template.Library()
register.filter(ending)
register.filter("problem", problem_sentence)

#: Django's own Chinese for days and months names dates ("1 月前": before January), not spans.
SPANS = {
    "year": ngettext_lazy("%(num)d year", "%(num)d years", "num"),
    "month": ngettext_lazy("%(num)d month", "%(num)d months", "num"),
    "week": ngettext_lazy("%(num)d week", "%(num)d weeks", "num"),
    "day": ngettext_lazy("%(num)d day", "%(num)d days", "num"),
    "hour": ngettext_lazy("%(num)d hour", "%(num)d hours", "num"),
    "minute": ngettext_lazy("%(num)d minute", "%(num)d minutes", "num"),
}

#: Minutes of the units below a month.
_MINUTES: Final = {"week": 7 * 24 * 60, "day": 24 * 60, "hour": 60, "minute": 1}


@register.simple_tag
def plugins_have_settings() -> bool:
    """Return whether a loaded plugin has settings for a topic."""
    return bool(plugins().with_topic_settings())


@register.filter
def age(moment: datetime, now: datetime) -> str:
    """Return how long ago a moment was, in its largest unit; of a day, by the reader's days."""
    if is_day(moment):
        # Where today's date has not come yet, such a page is of today, too.
        n_days = (timezone.localdate(now) - day_of(moment)).days
        if n_days <= 0:
            return pgettext("a day", "today")
        now = moment + timedelta(days=n_days)
    span = now - moment
    minutes = int(span.total_seconds() // 60)
    if minutes < 1:
        return _("just now")
    if span.days >= 28:  # Months differ in length.
        time = timesince(moment, now, time_strings=SPANS, depth=1)  # type: ignore[arg-type]  # lazy
        return _("%(time)s ago") % {"time": time}
    unit = next(name for name, size in _MINUTES.items() if minutes >= size)
    return _ago(unit, minutes // _MINUTES[unit])


@register.filter
def day(when: datetime) -> str:
    """Return the day of a page."""
    return day_of(when).isoformat()


@register.filter
def day_or_time(when: datetime) -> str:
    """Return the day of a page, with its time in the reader's zone if it names one."""
    return day(when) if is_day(when) else _local(when)


def _local(when: datetime) -> str:
    return timezone.localtime(when).isoformat(" ")[:16]


@remember_phrase
def _ago(unit: str, count: int) -> str:
    """A span that ends now; its words do not part at a line's end."""
    return _("%(time)s ago") % {"time": avoid_wrapping(SPANS[unit] % {"num": count})}


@register.simple_tag
def dated(
    page: ShownPage | Harvest, now: datetime, last_visit: datetime | str | None = None
) -> SafeString:
    """When a page was published, or first seen; and whether it is new since the last visit.

    A list has it for each row, and a template takes several times as long.
    """
    if page.published:
        said = moment(page.published, now)
    else:
        said = _time(page.first_seen, _first_seen(age(page.first_seen, now)))
    if not isinstance(last_visit, datetime) or page.first_seen <= last_visit:
        return said
    new = _("new since your last visit")
    return fill('{} · <span class="since">{}</span>', said, new)


@remember_phrase
def _first_seen(age: str) -> str:
    return _("date unknown, first seen %(age)s") % {"age": age}


@register.simple_tag
def moment(when: datetime, now: datetime) -> SafeString:
    """Return how long ago a moment was; the exact time, in the reader's zone, as its title."""
    return _time(when, age(when, now))


def _time(when: datetime, phrase: str) -> SafeString:
    exact = f"{_local(when)} {timezone.get_current_timezone_name()}"
    return fill(
        '<time datetime="{}" title="{}">{}</time>',
        when.isoformat(),
        day_or_time(when) if is_day(when) else exact,
        phrase,
    )


@register.filter
def percent(share: float) -> str:
    """Return a share of 1 as whole per cent."""
    return f"{round(share * 100)} %"


@register.filter
def harvest(run: Run) -> str:
    """A run's harvest rate; a dash where nothing was read, as all was known and unchanged."""
    return percent(run.harvest_rate) if run.n_judged > 0 else "–"


@register.filter
def runs_when(topic: Topic) -> str:
    """When a topic's runs happen, in words."""
    if topic.schedule_kind == schedule.HOURS or topic.at is None:
        return ngettext("every %(count)d hour", "every %(count)d hours", topic.every_hours) % {
            "count": topic.every_hours
        }
    at = f"{topic.at:%H:%M} {topic.zone}"
    if topic.schedule_kind == schedule.DAILY:
        return _("daily at %(time)s") % {"time": at}
    days = sorted(schedule.parse_weekdays(topic.weekdays))
    named = pgettext("between words of a list", ", ").join(str(WEEKDAYS_ABBR[day]) for day in days)
    return _("on %(days)s at %(time)s") % {"days": named, "time": at}
