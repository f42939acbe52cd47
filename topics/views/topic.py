"""The list of topics, and one topic with its pages."""

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from crawler.sources.known_pages import to_read_again
from topics.errors import TopicError
from topics.installation.health import worker_health
from topics.models import Topic
from topics.pages.news import in_order, known_in_order, news_in_order, stuffed_in_order
from topics.pages.rows import baseline_end, shown_pages, topic_lines, trouble_of, why_empty
from topics.profile import questions
from topics.profile.feedback import thumbs_of
from topics.runs import start_stop
from topics.sources.lines import source_health
from topics.sources.site_rules import rules_of

PAGES_PER_SCREEN = 30
#: Known pages shown with the news, and stuffed ones.
KNOWN_BESIDE = 10
STUFFED_BESIDE = 30


def visible_topic(request: HttpRequest, slug: str) -> Topic:
    """The reader's topic of this name; a 404 if it is anybody else's."""
    topics = Topic.objects.visible_to(request.user).select_related("crawl")
    return get_object_or_404(topics, slug=slug)


@require_safe
def topic_list(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    topics = list(Topic.objects.visible_to(request.user).select_related("crawl"))
    context = {"now": now, "lines": topic_lines(topics, now)}
    return render(request, "topics/topic_list.html", context)


@require_safe
def topic_detail(request: HttpRequest, slug: str) -> HttpResponse:
    return _topic(request, slug, "topics/topic_detail.html")


@require_safe
def topic_pages(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of the topic page that grows while a run goes on."""
    return _topic(request, slug, "topics/_pages.html")


@require_safe
def topic_known(request: HttpRequest, slug: str) -> HttpResponse:
    """The kept pages that are no news."""
    topic, now = visible_topic(request, slug), timezone.now()
    known = Paginator(known_in_order(topic, now), PAGES_PER_SCREEN)
    screen = known.get_page(request.GET.get("page"))
    context = {
        "now": now,
        "topic": topic,
        "screen": screen,
        "pages": shown_pages(topic.crawl, in_order(list(screen)), now) if topic.crawl else [],
        "thumbs": thumbs_of(topic, request.user),
        "site_rules": rules_of(topic),
    }
    return render(request, "topics/known_pages.html", context)


def _topic(request: HttpRequest, slug: str, template: str) -> HttpResponse:
    topic, now = visible_topic(request, slug), timezone.now()
    screen = Paginator(news_in_order(topic, now), PAGES_PER_SCREEN).get_page(
        request.GET.get("page")
    )
    known = Paginator(known_in_order(topic, now), KNOWN_BESIDE)
    run = topic.last_run()
    since = baseline_end(topic.crawl) if topic.crawl else None
    news = in_order(list(screen))
    stuffed = Paginator(stuffed_in_order(topic, now), STUFFED_BESIDE)
    apart = in_order(list(stuffed.page(1)))
    shown = [*news, *apart, *in_order(list(known.page(1)))]
    empty = ""
    if not shown:
        worker = worker_health(settings.RUN_DIR, now.timestamp())
        empty = why_empty(topic, worker_up=worker.up)
    rows = shown_pages(topic.crawl, shown, now) if topic.crawl else []
    health = source_health(topic, now)
    context = {
        "now": now,
        "topic": topic,
        "run": run,
        "running": run is not None and run.ended is None,
        "screen": screen,
        "pages": rows[: len(news)],
        "stuffed": rows[len(news) : len(news) + len(apart)],
        "n_stuffed": stuffed.count,
        "known": rows[len(news) + len(apart) :],
        "n_known": known.count,
        "more_known": known.num_pages > 1,
        "trouble": trouble_of(run),
        "since": since,
        "since_then": since is not None and since > topic.window_start(now),
        "empty": empty,
        "thumbs": thumbs_of(topic, request.user),
        "site_rules": rules_of(topic),
        "asking": questions.open_questions(topic),
        "n_failing": health.n_failing,
        "seeds_since": health.seeds_since,
        "n_outdated": to_read_again(topic.crawl).count() if topic.crawl else 0,
        "no_engine": not settings.SEARXNG_URL,
    }
    return render(request, template, context)


@require_POST
def topic_crawl_now(request: HttpRequest, slug: str) -> HttpResponse:
    topic = visible_topic(request, slug)
    try:
        run = start_stop.start_now(topic, timezone.now())
    except TopicError as error:
        messages.error(request, str(error))
        return redirect(topic)
    messages.success(request, _("The crawl has started."))
    return redirect("run_detail", slug=topic.slug, pk=run.pk)


@require_POST
def topic_stop(request: HttpRequest, slug: str) -> HttpResponse:
    topic = visible_topic(request, slug)
    if start_stop.ask_stop(topic):
        messages.success(request, _("The crawl stops after the pages it is fetching now."))
    else:
        messages.info(request, _("This topic is not being crawled."))
    return redirect(topic)
