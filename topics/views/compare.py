"""Comparing strategies on what a topic's crawls have fetched, and choosing one."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from focusweb.charts.line_chart import COLOURS, LineChart, LineSeries, svg
from topics.installation.health import worker_health
from topics.models import Topic
from topics.rules.choice_words import choice_words
from topics.runs import comparison
from topics.runs.comparison import Comparison, Curve, StrategyChoice
from topics.runs.comparison_verdict import RecallDifference, intervals_against_best, verdict
from topics.views.topic import visible_topic

#: Rows of the table beside the curves.
N_ROWS = 10
#: Where the session keeps the strategy a topic had before.
_UNDO = "orders_before"


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One strategy's line in the table of figures."""

    name: str
    curve: Curve
    is_current: bool
    #: That of its line in the chart.
    colour: str
    #: Against the best one; None for the best one, and where it was not counted.
    difference: RecallDifference | None = None


@require_http_methods(["GET", "HEAD", "POST"])
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the last comparison, and start one."""
    topic = visible_topic(request, slug)
    if request.method == "POST":
        problem = _start(request, topic)
        if not problem:
            return redirect("topic_compare", slug=topic.slug)
        messages.error(request, problem)
    context = _context(topic) | {"before": _before(request, topic)}
    return render(request, "topics/compare.html", context)


@require_safe
def compare_live(request: HttpRequest, slug: str) -> HttpResponse:
    """How far the comparison is."""
    topic = visible_topic(request, slug)
    return render(request, "topics/_compare_progress.html", _context(topic))


@require_POST
def compare_use(request: HttpRequest, slug: str) -> HttpResponse:
    """Let the topic use the strategy that was chosen, or go back to the one before."""
    topic = visible_topic(request, slug)
    kept: dict[str, Any] = request.session.get(_UNDO, {})
    if request.POST.get("undo"):
        given = kept.pop(topic.slug, None)
        chosen = StrategyChoice(**given) if given else None
    else:
        chosen = StrategyChoice(request.POST.get("strategy", ""), {})
    if chosen is None or chosen.strategy not in comparison.known_strategies():
        messages.error(request, _("This strategy does not exist. Nothing was changed."))
        return redirect("topic_compare", slug=topic.slug)
    if chosen.strategy != topic.strategy:
        before = comparison.use_strategy(topic, chosen, timezone.now())
        if not request.POST.get("undo"):
            kept[topic.slug] = {"strategy": before.strategy, "parameters": before.parameters}
    request.session[_UNDO] = kept
    message = _("“%(topic)s” now uses the strategy %(order)s.")
    messages.success(request, message % {"topic": topic.name, "order": chosen.strategy})
    return redirect("topic_compare", slug=topic.slug)


def _start(request: HttpRequest, topic: Topic) -> str:
    """Begin a comparison; else say why not."""
    known = comparison.known_strategies()
    strategies = [name for name in known if name in request.POST.getlist("strategies")]
    if comparison.obstacle(topic):
        return _("There are not enough pages to compare yet.")
    if not 1 <= len(strategies) <= comparison.MAX_STRATEGIES:
        return _("Choose 1 to %(limit)d strategies.") % {"limit": comparison.MAX_STRATEGIES}
    comparison.request_comparison(topic, strategies, timezone.now())
    return ""


def _before(request: HttpRequest, topic: Topic) -> str:
    """The strategy the topic had before this person chose another one here."""
    name: str = request.session.get(_UNDO, {}).get(topic.slug, {}).get("strategy", "")
    return name if name != topic.strategy else ""


def _context(topic: Topic) -> dict[str, Any]:
    now = timezone.now()
    found = comparison.find_comparison(topic, now)
    context: dict[str, Any] = {
        "topic": topic,
        "now": now,
        "obstacle": comparison.obstacle(topic),
        "n_kept": topic.crawl.harvests.kept().count() if topic.crawl else 0,
        "least": comparison.MIN_WANTED,
        "most_pages": comparison.MAX_PAGES,
        "most_orders": comparison.MAX_STRATEGIES,
        "comparison": found,
        "strategies": [
            (name, choice_words("strategies", name)) for name in comparison.known_strategies()
        ],
        "chosen": found.strategies if found else comparison.FIRST_CHOICE,
    }
    if found and found.is_open:
        context["worker_up"] = worker_health(settings.RUN_DIR, now.timestamp()).up
        context["n_done"] = len(found.curves)
    if found and found.curves:
        context |= _result(found, topic)
    return context


def _result(found: Comparison, topic: Topic) -> dict[str, Any]:
    """The figures, best strategy first, and the curves as a picture and as a table."""
    best = sorted(found.curves.items(), key=lambda item: (-item[1].recall_2x, item[0]))
    names = [name for name, _curve in best]
    against = intervals_against_best(found, names[0])
    return {
        "verdict": verdict(found, names),
        "rows": [
            ResultRow(name, curve, name == topic.strategy, COLOURS[number], against.get(name))
            for number, (name, curve) in enumerate(best)
        ],
        "chart": _chart(found, names),
        "steps": _steps(found, names),
        "marks": [found.size, 2 * found.size, 5 * found.size],
        "is_cut": any(curve.is_cut for curve in found.curves.values()),
    }


def _chart(found: Comparison, names: list[str]) -> SafeString:
    chart = LineChart(
        title=_("Relevant pages found"),
        x_label=_("pages fetched"),
        y_label=_("pages found"),
        series=tuple(LineSeries(name, tuple(found.curves[name].points)) for name in names),
    )
    # Our own drawing; every text in it is escaped there.
    return mark_safe(svg(chart))  # noqa: S308


def _steps(found: Comparison, names: list[str]) -> list[tuple[int, list[tuple[str, int]]]]:
    """What each strategy had found after so many fetches."""
    end = max(curve.n_fetched for curve in found.curves.values())
    places = sorted({round(end * step / N_ROWS) for step in range(1, N_ROWS + 1)} - {0})
    return [
        (place, [(name, _found_by(found.curves[name], place)) for name in names])
        for place in places
    ]


def _found_by(curve: Curve, place: int) -> int:
    return max((n_found for at, n_found in curve.points if at <= place), default=0)
