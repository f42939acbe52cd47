"""Which sources bring new pages, and how soon after their publication."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from statistics import median
from typing import Final
from urllib.parse import urlencode

from django.db.models import OuterRef, Subquery
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from crawler.api.tables import FrontierEntry, Source
from focusweb.charts.chart_svg import ChartMark, Series, bars
from topics.charts.chart import Cell, Chart, drawn, keys_of
from topics.charts.news_rows import NewsRow
from topics.models import Topic
from topics.sources.lines import KINDS

MAX_SOURCES: Final = 12
#: Address and kind of what no source listed.
NO_SOURCE: Final = ("", "")
_DAY: Final = timedelta(days=1)


def sources_by_yield(topic: Topic, rows: Sequence[NewsRow]) -> Chart:
    """New pages by the source they came from, split by how soon they were found."""
    lines = _by_source(topic, rows)
    lists: tuple[list[ChartMark], ...] = ([], [], [])
    table, names = [], []
    for address, kind, brought in lines:
        href = _address(topic, address)
        delays = [_delay_days(row) for row in brought if row.published]
        soon = sum(days <= 1 for days in delays)
        counts = (soon, len(delays) - soon, len(brought) - len(delays))
        names.append(_short(address) or _("links on other pages"))
        for marks, count in zip(lists, counts, strict=True):
            marks.append(ChartMark(count, href if count else "", f"{names[-1]}: {count}"))
        middle = median(delays) if delays else None
        table.append(
            (
                Cell(address or names[-1], href),
                Cell(kind),
                Cell(len(brought), href),
                Cell(middle, text="–" if middle is None else _days(middle)),
                *(Cell(count) for count in counts),
            )
        )
    series = tuple(
        Series(name, colour, marks)
        for name, colour, marks in zip(
            (_("within a day"), _("later"), _("date unknown")),
            ("new", "old", "none"),
            lists,
            strict=True,
        )
    )
    return Chart(
        name="sources",
        title=_("Sources by yield and delay"),
        says=_says(lines) if lines else "",
        columns=(
            *(_("Source"), _("Kind"), _("Pages"), _("Median delay")),
            *(_("within a day"), _("later"), _("date unknown")),
        ),
        rows=tuple(table),
        drawing=drawn(bars(names, series, lying=True, height=60 + 30 * len(names))),
        keys=keys_of(series),
        note=_("The delay is the time from publication to the day FocusWeb found the page."),
    )


def _says(lines: Sequence[tuple[str, str, list[NewsRow]]]) -> str:
    """Name the source that brought most, or say that several did."""
    counts = {address: len(pages) for address, _kind, pages in lines if address}
    if not counts:
        n_pages = sum(len(pages) for _address, _kind, pages in lines)
        return _("All new pages came from links on other pages: %(n)d.") % {"n": n_pages}
    most = max(counts.values())
    first, *others = [address for address, n_pages in counts.items() if n_pages == most]
    if others:
        return _("%(n_sources)d sources brought most new pages: %(n)d each.") % {
            "n_sources": 1 + len(others),
            "n": most,
        }
    return _("%(source)s brought most new pages: %(n)d.") % {"source": _short(first), "n": most}


def _by_source(topic: Topic, rows: Sequence[NewsRow]) -> list[tuple[str, str, list[NewsRow]]]:
    """Address, kind and pages of each source, most pages first; what no source listed is last."""
    source = Source.objects.filter(crawl=topic.crawl, address=OuterRef("parent__url"))
    entries = FrontierEntry.objects.filter(crawl=topic.crawl, url__in=[row.url_id for row in rows])
    parents = {
        url_id: (address, kind) if kind else NO_SOURCE
        for url_id, address, kind in entries.annotate(
            kind=Subquery(source.values("kind")[:1])
        ).values_list("url_id", "parent__url", "kind")
    }
    brought = defaultdict(list)
    for row in rows:
        brought[parents.get(row.url_id, NO_SOURCE)].append(row)
    others = brought.pop(NO_SOURCE, [])
    ranked = sorted(brought.items(), key=lambda item: (-len(item[1]), item[0]))[:MAX_SOURCES]
    lines = [(address, str(KINDS.get(kind, "")), pages) for (address, kind), pages in ranked]
    return [*lines, ("", "", others)] if others else lines


def _delay_days(row: NewsRow) -> float:
    """Days from publication to its find; 0 for a date that lies ahead."""
    return max((row.found - (row.published or row.found)) / _DAY, 0.0)


def _address(topic: Topic, source: str) -> str:
    if not source:
        return ""
    return f"{reverse('source_pages', args=[topic.slug])}?{urlencode({'key': source})}"


def _short(address: str) -> str:
    return address.partition("://")[2].rstrip("/") or address


def _days(days: float) -> str:
    if days < 1:
        n_hours = round(days * 24)
        return ngettext("%(n)d hour", "%(n)d hours", n_hours) % {"n": n_hours}
    return _("%(n).1f days") % {"n": days}
