"""Charts of a topic, their numbers as files, and the review of its sites."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from crawler.api.tables import Run
from topics.charts import news, runs, sources
from topics.charts.chart import Chart
from topics.charts.graph_drawing import MAX_SITES, gexf, graph_chart
from topics.charts.news_rows import list_address, news_rows
from topics.charts.site_graph import IN, OUT, RULES, UNDECIDED, SiteNode, site_graph
from topics.models import Topic
from topics.pages.csv_file import csv_text
from topics.sources.site_rules import set_rule
from topics.views.sentences import moved_sentence
from topics.views.site_rules import site_of_topic
from topics.views.topic import readable_topic, visible_topic

SITES_PER_SCREEN = 50


@require_safe
def topic_charts(request: HttpRequest, slug: str) -> HttpResponse:
    """What the topic found: by day, site, language, term and source."""
    topic, now = readable_topic(request, slug), timezone.now()
    context = {"topic": topic, "charts": _news_charts(topic, now), "tab": "news"}
    return render(request, "topics/charts/charts.html", context)


def _news_charts(topic: Topic, now: datetime) -> list[Chart]:
    rows = news_rows(topic, now)
    return [
        news.news_over_time(topic, rows, now),
        news.new_against_old(topic, rows, now),
        sources.sources_by_yield(topic, rows),
        news.terms_over_time(topic, rows, now),
        news.languages(topic, rows),
    ]


@require_safe
def run_charts(request: HttpRequest, slug: str) -> HttpResponse:
    """What the topic's runs kept, and where one of them lost pages."""
    topic = readable_topic(request, slug)
    ended = runs.last_runs(topic)
    run = _chosen_run(request, ended)
    context = {
        "topic": topic,
        "charts": _run_charts(topic, ended, run, request.user),
        "tab": "runs",
        "run": run,
        "runs": ended[::-1],
    }
    return render(request, "topics/charts/charts.html", context)


def _chosen_run(request: HttpRequest, ended: Sequence[Run]) -> Run | None:
    """The run that the address names, else the last one that read pages."""
    number = request.GET.get("run", "")
    if number:
        found = next((run for run in ended if str(run.pk) == number), None)
        if found is None:
            raise Http404
        return found
    return next((run for run in reversed(ended) if run.fetched), ended[-1] if ended else None)


def _run_charts(topic: Topic, ended: Sequence[Run], run: Run | None, user: Any) -> list[Chart]:
    of_run = [runs.funnel(topic, run, user), runs.layers(topic, run)] if run else []
    return [runs.share_kept_chart(topic, ended), *of_run]


@require_safe
def site_charts(request: HttpRequest, slug: str) -> HttpResponse:
    """The sites of the topic as a graph, and a list in which each is put in or out."""
    topic = readable_topic(request, slug)
    graph = site_graph(topic)
    shown = request.GET.get("show", "")
    nodes = graph.with_decision(shown) if shown in RULES else graph.nodes
    screen = Paginator(nodes, SITES_PER_SCREEN).get_page(request.GET.get("page"))
    context = {
        "topic": topic,
        "chart": graph_chart(graph, _site_address(topic), MAX_SITES),
        "screen": screen,
        "lines": [(node, _site_address(topic)(node)) for node in screen],
        "show": shown if shown in RULES else "",
        "counts": [(name, len(graph.with_decision(name))) for name in (UNDECIDED, IN, OUT)],
        "tab": "sites",
    }
    return render(request, "topics/charts/sites.html", context)


def _site_address(topic: Topic) -> Callable[[SiteNode], str]:
    return lambda node: list_address(topic, known=1, site=node.name)


@require_POST
def site_decision(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Put a site in or out, or make it undecided again; the answer says what moved."""
    topic = visible_topic(request, slug)
    site = site_of_topic(topic, pk)
    decision = request.POST.get("decision", "")
    if decision not in RULES:
        return HttpResponseBadRequest("in, out, undecided")
    moved = set_rule(topic, site, RULES[decision], timezone.now())
    messages.success(request, f"{site.name}: {moved_sentence(moved)}")
    show = request.POST.get("show", "")
    back = redirect("site_charts", slug=topic.slug)
    return (
        redirect(f"{back.url}?show={show}#review")
        if show in RULES
        else redirect(f"{back.url}#review")
    )


@require_safe
def chart_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The numbers of one chart as CSV; the graph of sites as GEXF, too."""
    topic, now = readable_topic(request, slug), timezone.now()
    if name == "sites.gexf":
        return _file(name, gexf(site_graph(topic)), "application/gexf+xml")
    wanted = name.removesuffix(".csv")
    if wanted == name:
        raise Http404
    if wanted == "sites":
        charts = [graph_chart(site_graph(topic), _site_address(topic))]
    elif wanted in ("harvest", "funnel", "layers"):
        ended = runs.last_runs(topic)
        charts = _run_charts(topic, ended, _chosen_run(request, ended), request.user)
    else:
        charts = _news_charts(topic, now)
    for chart in charts:
        if chart.name == wanted:
            rows = ([cell.value for cell in row] for row in chart.rows)
            return _file(name, csv_text(chart.columns, rows), "text/csv")
    raise Http404


def _file(name: str, text: str, kind: str) -> HttpResponse:
    response = HttpResponse(text, content_type=f"{kind}; charset=utf-8")
    # The short name may be Chinese; a header is not.
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
