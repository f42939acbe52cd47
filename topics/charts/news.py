"""Charts of what a topic found: when, on sites of which age, in which languages and words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median
from typing import Final

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from focusweb.charts.chart_svg import ChartMark, Series, bars, dots, scatter
from topics.charts.chart import Cell, Chart, drawn, keys_of, share_text
from topics.charts.news_rows import NewsRow, list_address, terms_of
from topics.models import Topic
from topics.pages.language_names import language_name

#: Fewest days of a time axis: one bar alone shows nothing.
LEAST_DAYS: Final = 7
#: Most steps of a time axis; longer windows are shown by weeks.
MAX_DAYS: Final = 45
#: Points that the chart of new and old sites shows, best first.
MAX_POINTS: Final = 300
MAX_TERMS: Final = 12
MAX_LANGUAGES: Final = 8
#: With fewer pages on either side a difference says nothing.
LEAST_TO_COMPARE: Final = 5
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class TimeStep:
    """A piece of the time axis, both days included."""

    first: date
    last: date

    @property
    def label(self) -> str:
        """Its first day, short."""
        return date_format(self.first, "n-j")


def periods_of(rows: Sequence[NewsRow], now: datetime) -> list[TimeStep]:
    """The days, or weeks, of a topic's window up to today: a week, or since its first page."""
    # A page may name a day that has not come yet where its reader is.
    today = max((timezone.localdate(now), *(row.day for row in rows)))
    first = min((today - (LEAST_DAYS - 1) * _DAY, *(row.day for row in rows)))
    days = (today - first).days + 1
    length = 1 if days <= MAX_DAYS else 7 * -(-days // (7 * MAX_DAYS))
    steps = []
    while first <= today:
        steps.append(TimeStep(first, min(first + (length - 1) * _DAY, today)))
        first += length * _DAY
    return steps


def news_over_time(topic: Topic, rows: Sequence[NewsRow], now: datetime) -> Chart:
    """New pages by day, those of new sites apart."""
    steps = periods_of(rows, now) if rows else []
    table, fresh, known = [], [], []
    for step in steps:
        inside = [row for row in rows if step.first <= row.day <= step.last]
        n_fresh = sum(row.from_new_site for row in inside)
        span = {"since": step.first, "until": step.last}
        to_fresh, to_all = list_address(topic, new=1, **span), list_address(topic, **span)
        fresh.append(ChartMark(n_fresh, to_fresh, f"{step.label}: {n_fresh}"))
        known.append(
            ChartMark(len(inside) - n_fresh, to_all, f"{step.label}: {len(inside) - n_fresh}")
        )
        table.append(
            (
                Cell(step.first.isoformat()),
                Cell(n_fresh, to_fresh),
                Cell(len(inside) - n_fresh),
                Cell(len(inside), to_all),
            )
        )
    series = (Series(_("known sites"), "old", known), Series(_("new sites"), "new", fresh))
    n_new = sum(row.from_new_site for row in rows)
    return Chart(
        name="news",
        title=_("News over time"),
        says=_says(len(rows), n_new),
        columns=(_("From day"), _("new sites"), _("known sites"), _("Pages")),
        rows=tuple(table),
        drawing=drawn(bars([step.label for step in steps], series)),
        keys=keys_of(series),
        note=_(
            "By date of publication, else the day it was found. Days are in the time zone %(zone)s."
        )
        % {"zone": timezone.get_current_timezone_name()},
    )


def new_against_old(topic: Topic, rows: Sequence[NewsRow], now: datetime) -> Chart:
    """Scores of new pages by the age of their site: can a new site win?"""
    fresh = [row for row in rows if row.from_new_site]
    known = [row for row in rows if not row.from_new_site]
    best = rows[:20]
    table = tuple(
        (
            Cell(name),
            Cell(len({row.site for row in group})),
            Cell(len(group), href),
            Cell(median(row.score for row in group) if group else None),
            Cell(max((row.score for row in group), default=None)),
            Cell(sum(row.from_new_site is is_new for row in best)),
        )
        for name, group, href, is_new in (
            (_("new sites"), fresh, list_address(topic, new=1), True),
            (_("known sites"), known, list_address(topic), False),
        )
    )
    shown = rows[:MAX_POINTS]
    series = (
        Series(_("known sites"), "old", _points(topic, shown, now, is_new=False)),
        Series(_("new sites"), "new", _points(topic, shown, now, is_new=True)),
    )
    drawing = scatter(series, x_title=_("days since the site was first seen"), y_title=_("score"))
    return Chart(
        name="ages",
        title=_("New sites against known sites"),
        says=_says_who_wins(fresh, known, best),
        columns=(
            *(_("Sites"), _("Number"), _("Pages"), _("Median score"), _("Best score")),
            _("Among the best 20"),
        ),
        rows=table if rows else (),
        drawing=drawn(drawing),
        keys=keys_of(series),
        note=_("Each dot is a new page. A site is new for 30 days, unless your first run saw it."),
    )


def _says_who_wins(
    fresh: Sequence[NewsRow], known: Sequence[NewsRow], best: Sequence[NewsRow]
) -> str:
    if len(fresh) < LEAST_TO_COMPARE or len(known) < LEAST_TO_COMPARE:
        return _("There are too few pages on one side to compare new and known sites.")
    return _("New sites hold %(places)s of the best 20 places with %(pages)s of the pages.") % {
        "places": share_text(sum(row.from_new_site for row in best) / len(best)),
        "pages": share_text(len(fresh) / (len(fresh) + len(known))),
    }


def _points(
    topic: Topic, rows: Iterable[NewsRow], now: datetime, *, is_new: bool
) -> list[ChartMark]:
    return [
        ChartMark(
            (round((now - row.site_seen) / _DAY, 2), round(row.score, 4)),
            reverse("page_detail", args=[topic.slug, row.pk]),
            f"{row.title or row.site} · {row.site}",
        )
        for row in rows
        if row.from_new_site is is_new
    ]


def languages(topic: Topic, rows: Sequence[NewsRow]) -> Chart:
    """New pages by language."""
    counts = Counter(row.language for row in rows).most_common(MAX_LANGUAGES)
    lines = [
        (language_name(code), count, list_address(topic, language=code) if code else "")
        for code, count in counts
    ]
    marks = [ChartMark(count, href, f"{name}: {count}") for name, count, href in lines]
    series = (Series(_("Pages"), "plain", marks),)
    share = counts[0][1] / len(rows) if counts else 0.0
    return Chart(
        name="languages",
        title=_("Languages"),
        says=_("%(share)s of the new pages are in one language: %(language)s.")
        % {"share": share_text(share), "language": lines[0][0]}
        if lines
        else "",
        columns=(_("Language"), _("Pages"), _("Share")),
        rows=tuple(
            (
                Cell(name),
                Cell(count, href),
                Cell(count / len(rows), text=share_text(count / len(rows))),
            )
            for name, count, href in lines
        ),
        drawing=drawn(
            bars([line[0] for line in lines], series, lying=True, height=50 + 34 * len(lines))
        ),
    )


def terms_over_time(topic: Topic, rows: Sequence[NewsRow], now: datetime) -> Chart:
    """In how many new pages the topic's terms stand, by day or week."""
    found = terms_of(topic, rows)
    counts = Counter(term for terms in found.values() for term in terms)
    names = [name for name, _count in counts.most_common(MAX_TERMS)]
    steps = periods_of(rows, now) if names else []
    half = steps[len(steps) // 2].first if steps else None
    table, series = [], []
    for name in names:
        with_term = [row for row in rows if name in found.get(row.pk, ())]
        marks = []
        for step in steps:
            n = sum(step.first <= row.day <= step.last for row in with_term)
            href = list_address(topic, term=name, since=step.first, until=step.last)
            marks.append(ChartMark(n, href if n else "", f"{name}, {step.label}: {n}"))
        series.append(Series(name, "plain", marks))
        later = sum(row.day >= half for row in with_term) if half else 0
        table.append(
            (
                Cell(name),
                Cell(len(with_term), list_address(topic, term=name)),
                Cell(len(with_term) - later),
                Cell(later),
            )
        )
    return Chart(
        name="terms",
        title=_("Terms over time"),
        says=_("%(term)s is in more new pages than any other term.") % {"term": names[0]}
        if names
        else "",
        columns=(_("Term"), _("Pages"), _("First half"), _("Second half")),
        rows=tuple(table),
        drawing=drawn(dots([step.label for step in steps], series)) if names else drawn(""),
        note=_("The larger the dot, the more new pages hold the term.") if names else "",
    )


def _says(n_pages: int, n_new: int) -> str:
    """Return how many new pages there are, and how many of them are on new sites."""
    pages = ngettext("%(n)d new page in the window", "%(n)d new pages in the window", n_pages) % {
        "n": n_pages
    }
    of_them = ngettext(
        "%(n)d of them is on a new site.", "%(n)d of them are on new sites.", n_new
    ) % {"n": n_new}
    return pages + pgettext("between parts of a sentence", "; ") + of_them
