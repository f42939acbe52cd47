"""One page of a topic, and everything its score is made of."""

from typing import Any

from django.db.models import Case, OuterRef, Subquery, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from crawler.api.ranking import CONTENT_WEIGHTS, DENSITY_HALF, RELEVANCE_WEIGHTS
from crawler.api.tables import Harvest, Run
from topics.pages import explain
from topics.pages.blocks import panels_of
from topics.pages.passages import MAX_CHARS, passages
from topics.pages.paths import paths_from_seed
from topics.pages.rows import in_links, page_words, shown_pages
from topics.pages.verdicts import decision_sentence, decisions, has_ratings_in, threshold_of
from topics.views.topic import marks_context, readable_topic


@require_safe
def page_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    topic, now = readable_topic(request, slug), timezone.now()
    pages = Harvest.objects.select_related("crawl", "run", "url__site", "url__page")
    is_news = Case(When(pages.is_news(topic.window_start(now), now), then=True), default=False)
    first = Run.objects.filter(crawl=OuterRef("crawl"), fetched__gt=0).order_by("started")
    pages = pages.annotate(is_news=is_news, began=Subquery(first.values("ended")[:1]))
    found: Any = get_object_or_404(pages, pk=pk, crawl=topic.crawl_id)
    harvest: Harvest = found
    threshold, judge = threshold_of(harvest, harvest.crawl), harvest.explanation.get("judge", {})
    if judge:
        judge["threshold"] = threshold  # that of a hidden page may be an earlier one
    page = harvest.page
    text = page.text
    [shown] = shown_pages(harvest.crawl, [harvest], now, began=found.began)
    as_news = harvest.kept and found.is_news
    links, n_more_links = in_links(harvest.crawl, harvest.url)
    context = {
        "now": now,
        "topic": topic,
        "shown": shown,
        "harvest": harvest,
        "parts": explain.parts(harvest.explanation),
        "matched": explain.found_terms(harvest.explanation, page_words(harvest)),
        "link": harvest.explanation.get("link", {}),
        "content": harvest.explanation.get("content", {}),
        "is_content_current": explain.is_content_current(harvest.explanation, harvest.relevance),
        "content_weights": CONTENT_WEIGHTS,
        "relevance_weights": RELEVANCE_WEIGHTS,
        "half": DENSITY_HALF,
        "as_news": 100 * topic.freshness_weight(harvest, now) if as_news else None,
        "note": explain.judge_note(harvest.explanation),
        "section": explain.section_sentence(harvest.explanation),
        "title_effect": explain.title_sentence(harvest.explanation),
        "standing": explain.percentile_sentence(harvest.explanation),
        "judge": judge,
        "threshold": threshold,
        "n_digits": _n_digits(harvest.relevance, threshold),
        "decision": decision_sentence(decisions(harvest.crawl, [harvest])[harvest.pk]),
        "with_ratings": has_ratings_in(harvest),
        "in_links": links,
        "n_more_links": n_more_links,
        "passages": passages(text, page.line_kinds or "", title=page.title),
        "cut": len(text) > MAX_CHARS,
        "panels": panels_of(topic, harvest),
    }
    return render(
        request, "topics/page_detail.html", context | marks_context(topic, request.user, [shown])
    )


def _n_digits(relevance: float, threshold: float) -> int:
    """Return by how many decimals a relevance below the threshold is seen to be below: 2 to 4."""
    if relevance >= threshold:
        return 2
    return next((n for n in (2, 3) if round(relevance, n) < round(threshold, n)), 4)


@require_safe
def page_path(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The links from a seed to a page: a part of a list, loaded when a reader opens "why?"."""
    topic = readable_topic(request, slug)
    page = get_object_or_404(Harvest.objects.select_related("crawl"), pk=pk, crawl=topic.crawl_id)
    path = paths_from_seed(page.crawl, [page.url_id])[page.url_id]
    return render(request, "topics/_path.html", {"path": path})
