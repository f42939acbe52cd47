"""Charts of a topic's runs: what they kept, where pages are lost, how deep the crawl went."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from crawler.api.reasons import Reason
from crawler.api.tables import FrontierEntry, Harvest, Run
from focusweb.charts.chart_svg import ChartMark, Series, bars, lines
from topics.charts.chart import Cell, Chart, drawn, keys_of, share_text
from topics.models import Reading, Thumb, Topic

MAX_RUNS: Final = 50
#: Runs that the smooth line is a mean of.
SMOOTH: Final = 7
#: Results of URLs that were never requested from their sites.
FORBIDDEN: Final = (
    *(Reason.URL_INVALID, Reason.URL_TOO_LONG, Reason.PORT_FORBIDDEN, Reason.ADDRESS_FORBIDDEN),
    *(Reason.ROBOTS_FORBIDDEN, Reason.ROBOTS_UNREACHABLE, Reason.NO_CONTACT, Reason.SITE_STOPPED),
    *(Reason.SITE_QUARANTINED, Reason.SITE_BUDGET, Reason.TRAP),
)


def last_runs(topic: Topic) -> list[Run]:
    """Return the newest runs of a topic that have ended, oldest first."""
    ended = Run.objects.filter(crawl=topic.crawl_id).exclude(ended=None)
    return list(ended.order_by("-started")[:MAX_RUNS])[::-1]


def share_kept_chart(topic: Topic, runs: Sequence[Run]) -> Chart:
    """Return the share of pages that each run kept."""
    table, each, smooth, labels = [], [], [], []
    days = {timezone.localtime(run.started).date() for run in runs}
    label_format = "n-j" if len(days) > 1 else "H:i"
    for number, run in enumerate(runs):
        lately = [
            one.harvest_rate
            for one in runs[max(0, number - SMOOTH + 1) : number + 1]
            if one.n_judged > 0
        ]
        rate = run.harvest_rate if run.n_judged > 0 else None
        mean = sum(lately) / len(lately) if lately else None
        started = timezone.localtime(run.started)
        labels.append(date_format(started, label_format))
        page = reverse("run_detail", args=[topic.slug, run.pk])
        kept = reverse("run_kept", args=[topic.slug, run.pk])
        each.append(ChartMark(rate, kept, f"{started:%Y-%m-%d %H:%M}: {share_text(rate)}"))
        smooth.append(ChartMark(mean))
        table.append(
            (
                Cell(f"{started:%Y-%m-%d %H:%M}", page),
                Cell(run.fetched, f"{page}#reasons"),
                Cell(run.kept, kept),
                Cell(rate, text=share_text(rate)),
                Cell(mean, text=share_text(mean)),
            )
        )
    series = (
        Series(_("share kept"), "dots-only plain", each),
        Series(_("mean of 7 runs"), "new", smooth),
    )
    return Chart(
        name="harvest",
        title=_("Share kept by run"),
        says=ngettext(
            "Of %(read)d new or changed page, the last run kept %(kept)d.",
            "Of %(read)d new or changed pages, the last run kept %(kept)d.",
            runs[-1].n_judged,
        )
        % {"kept": runs[-1].kept, "read": runs[-1].n_judged}
        if runs
        else "",
        columns=(_("Run"), _("Fetched"), _("Kept"), _("Share kept"), _("mean of 7 runs")),
        rows=tuple(table[::-1]),
        drawing=drawn(lines(labels, series, formatter=share_text, top=1.0)),
        keys=keys_of(series),
        note=_(
            "In a run that only checks for news the share is low: most pages are known and "
            "unchanged. Times are in the time zone %(zone)s."
        )
        % {"zone": timezone.get_current_timezone_name()},
    )


def funnel(topic: Topic, run: Run, user: Any) -> Chart:
    """Return how many URLs of a run came how far."""
    page = reverse("run_detail", args=[topic.slug, run.pk])
    kept_page = reverse("run_kept", args=[topic.slug, run.pk])
    counts = Counter(run.reasons)
    n_ended = sum(counts.values())
    harvests = Harvest.objects.filter(run=run).kept()
    own = {"topic": topic, "user_id": user.pk, "url__in": harvests.values("url")}
    now_kept = harvests.aggregate(n=Count("pk"), news=Count("pk", filter=Q(baseline=False)))
    steps = (
        (_("URLs tried"), n_ended, f"{page}#reasons"),
        (_("allowed"), n_ended - sum(counts[reason] for reason in FORBIDDEN), f"{page}#reasons"),
        (_("fetched"), run.fetched, f"{page}#reasons"),
        (_("new or changed"), run.n_judged, f"{page}#reasons"),
        (_("kept today"), now_kept["n"], kept_page),
        (_("after the first run"), now_kept["news"], kept_page),
        (_("opened by you"), Reading.objects.exclude(read=None).filter(**own).count(), kept_page),
        (_("rated as relevant"), Thumb.objects.filter(value=1, **own).count(), kept_page),
    )
    marks = [ChartMark(count, href, f"{name}: {count}") for name, count, href in steps]
    shown = bars(
        [step[0] for step in steps],
        (Series(_("URLs"), "plain", marks),),
        lying=True,
        height=50 + 30 * len(steps),
    )
    return Chart(
        name="funnel",
        title=_("Where pages are lost"),
        says=ngettext(
            "The run tried %(tried)d URL: %(fetched)d fetched, %(kept)d kept today.",
            "The run tried %(tried)d URLs: %(fetched)d fetched, %(kept)d kept today.",
            n_ended,
        )
        % {"tried": n_ended, "fetched": run.fetched, "kept": now_kept["n"]},
        columns=(_("Step"), _("URLs"), _("Share of the step before")),
        rows=tuple(
            (Cell(name), Cell(count, href), _of(count, before))
            for (name, count, href), before in zip(
                steps, (None, *(step[1] for step in steps)), strict=False
            )
        )
        if n_ended
        else (),
        drawing=drawn(shown),
    )


def _of(count: int, before: int | None) -> Cell:
    share = count / before if before else None
    return Cell(share, text=share_text(share))


def layers(topic: Topic, run: Run) -> Chart:
    """Return how many clicks from a seed a run found its pages."""
    entries = FrontierEntry.objects.filter(run=run, ended__isnull=False).order_by()
    fetched = _by_depth(entries.filter(state=FrontierEntry.State.DONE))
    kept = _by_depth(entries.filter(url__in=Harvest.objects.filter(run=run).kept().values("url")))
    depths = range(max(fetched, default=-1) + 1)
    page = reverse("run_kept", args=[topic.slug, run.pk])
    table, low, high = [], [], []
    for depth in depths:
        href = f"{page}?depth={depth}" if kept[depth] else ""
        rest = max(fetched[depth] - kept[depth], 0)
        high.append(ChartMark(kept[depth], href, f"{depth}: {kept[depth]}"))
        low.append(ChartMark(rest, label=f"{depth}: {rest}"))
        share = kept[depth] / fetched[depth] if fetched[depth] else None
        table.append(
            (
                Cell(depth),
                Cell(fetched[depth]),
                Cell(kept[depth], href),
                Cell(share, text=share_text(share)),
            )
        )
    series = (Series(_("kept"), "new", high), Series(_("not kept"), "none", low))
    best = max(depths, key=lambda depth: kept[depth], default=0)
    return Chart(
        name="layers",
        title=_("Layers of the run"),
        says=_("Most kept pages are in layer %(n)d.") % {"n": best} if kept else "",
        columns=(_("Clicks from a seed"), _("Fetched"), _("Kept"), _("Share kept")),
        rows=tuple(table),
        drawing=drawn(bars([str(depth) for depth in depths], series)),
        keys=keys_of(series),
    )


def _by_depth(entries: Any) -> Counter[int]:
    return Counter(dict(entries.values_list("depth_hops").annotate(n=Count("pk"))))
