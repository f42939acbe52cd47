"""A topic's runs: their progress, and the URLs behind each number."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from crawler.api.runs import drop_sample
from crawler.api.tables import FrontierEntry, Run
from topics.models import Topic
from topics.pages.live import live_run
from topics.pages.rows import reason_lines, run_urls, seeds_rested
from topics.reasons import reason_sentence
from topics.views.topic import readable_topic, render_pages

RUNS_PER_SCREEN = 50


def _visible_run(request: HttpRequest, slug: str, pk: int) -> tuple[Topic, Run]:
    topic = readable_topic(request, slug)
    return topic, get_object_or_404(Run, pk=pk, crawl=topic.crawl_id)


@require_safe
def run_list(request: HttpRequest, slug: str) -> HttpResponse:
    topic = readable_topic(request, slug)
    runs = Run.objects.filter(crawl=topic.crawl_id).select_related("crawl").order_by("-started")
    screen = Paginator(runs, RUNS_PER_SCREEN).get_page(request.GET.get("page"))
    return render(request, "topics/run_list.html", {"topic": topic, "screen": screen})


@require_safe
def run_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return render(request, "topics/run_detail.html", _progress(*_visible_run(request, slug, pk)))


@require_safe
def run_live(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The part of the run page that changes while it goes on."""
    return render(request, "topics/_run_progress.html", _progress(*_visible_run(request, slug, pk)))


@require_safe
def run_strip(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The progress of a run for the topic page, with the first finds."""
    topic, run = _visible_run(request, slug, pk)
    live = live_run(topic, run, request.user, timezone.now())
    return render(request, "topics/_run_strip.html", _progress(topic, run) | {"live": live})


@require_safe
def run_reason(request: HttpRequest, slug: str, pk: int, code: str) -> HttpResponse:
    """The URLs of a run that ended for one reason."""
    topic, run = _visible_run(request, slug, pk)
    context = {
        "topic": topic,
        "run": run,
        "code": code,
        "sentence": reason_sentence(code),
        "count": run.reasons.get(code, 0),
        "entries": run_urls(run, code),
    }
    return render(request, "topics/run_reason.html", context)


@require_safe
def run_kept(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The pages that a run kept, best first."""
    topic, run = _visible_run(request, slug, pk)
    kept = run.harvests.kept()
    listed = kept.count()
    depth = request.GET.get("depth", "")
    if depth.isdecimal() and len(depth) < 6:
        found = FrontierEntry.objects.filter(run=run, depth_hops=int(depth))
        kept = kept.filter(url__in=found.values("url"))
    context = {
        "topic": topic,
        "run": run,
        "listed": listed,
        "is_changed": run.ended is not None and listed != run.kept and not depth,
    }
    return render_pages(request, "topics/run_kept.html", run.crawl, kept, context)


def _progress(topic: Topic, run: Run) -> dict[str, Any]:
    now = timezone.now()
    return {
        "now": now,
        "topic": topic,
        "run": run,
        "running": run.ended is None,
        "seeds_rested": seeds_rested(run),
        "pages_per_s": run.pages_per_s(now),
        "reasons": reason_lines(run),
        "sample": drop_sample(run) if run.n_left_out else None,
    }
