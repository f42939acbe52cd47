"""The list of topics, and one topic with its pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from crawler.api.sources import to_read_again
from crawler.api.tables import Harvest
from topics.accounts.sharing import find_shared, shared_with
from topics.errors import TopicError
from topics.installation.health import worker_health
from topics.models import Topic
from topics.pages.blocks import tiles_of
from topics.pages.listing import list_pages, read_filters
from topics.pages.live import live_run
from topics.pages.news import in_order, known_in_order, stuffed_in_order
from topics.pages.reading import begin_visit, marks_of, tag_names
from topics.pages.rows import ShownPage, shown_pages, topic_lines, trouble_of, why_empty
from topics.pages.today import best_of_today
from topics.pages.tour import is_put_away, steps_of
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
    """The user's own topic of this name; a 404 if it is anybody else's.

    Raises
    ------
    PermissionDenied
        If it is shared with the user: who reads a topic changes nothing of it.
    """
    topics = Topic.objects.visible_to(request.user).select_related("crawl")
    topic = topics.filter(slug=slug).first()
    if topic is None:
        if find_shared(request.user, slug) is not None:
            raise PermissionDenied
        raise Http404
    return topic


def readable_topic(request: HttpRequest, slug: str) -> Topic:
    """The user's own topic of this name, or one that is shared with them; else a 404."""
    shared = find_shared(request.user, slug)
    return shared or visible_topic(request, slug)


def said_of(topic: Topic, user: Any, rows: Sequence[ShownPage]) -> dict[str, Any]:
    """What a person said of the pages of a list, and of their sites, as its template needs it."""
    return {
        "marks": marks_of(topic, user, [row.harvest.url_id for row in rows]),
        "thumbs": thumbs_of(topic, user),
        "site_rules": rules_of(topic),
    }


@require_safe
def topic_list(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    topics = list(Topic.objects.visible_to(request.user).select_related("crawl"))
    context = {
        "now": now,
        "lines": topic_lines(topics, now),
        "tiles": tiles_of(request.user, now),
        "shared": shared_with(request.user),
        "today": best_of_today(topics, request.user, now),
        "steps": [] if is_put_away(request.user) else steps_of(request.user),
    }
    return render(request, "topics/topic_list.html", context)


@require_safe
def topics_today(request: HttpRequest) -> HttpResponse:
    """The part of the list of topics that changes while it is open."""
    now = timezone.now()
    topics = list(Topic.objects.visible_to(request.user).select_related("crawl"))
    context = {"now": now, "today": best_of_today(topics, request.user, now)}
    return render(request, "topics/_today.html", context)


@require_safe
def topic_detail(request: HttpRequest, slug: str) -> HttpResponse:
    return _topic(request, slug, "topics/topic_detail.html")


@require_safe
def topic_pages(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of the topic page that grows while a run goes on."""
    return _topic(request, slug, "topics/_pages.html")


@require_safe
def topic_known(request: HttpRequest, slug: str) -> HttpResponse:
    """The kept pages that are not news."""
    topic, now = readable_topic(request, slug), timezone.now()
    known = Paginator(known_in_order(topic, now), PAGES_PER_SCREEN)
    screen = known.get_page(request.GET.get("page"))
    rows = shown_pages(topic.crawl, in_order(list(screen)), now) if topic.crawl else []
    context = {"now": now, "topic": topic, "screen": screen, "pages": rows}
    return render(request, "topics/known_pages.html", context | said_of(topic, request.user, rows))


def _topic(request: HttpRequest, slug: str, template: str) -> HttpResponse:
    topic, now = readable_topic(request, slug), timezone.now()
    filters, last_visit = read_filters(request.GET), begin_visit(topic, request.user, now)
    since = topic.crawl.baseline_end() if topic.crawl else None
    listing = list_pages(topic, request.user, filters, now, began=since, since=last_visit)
    screen = Paginator(listing.numbers, PAGES_PER_SCREEN).get_page(request.GET.get("page"))
    run, news = topic.last_run(), in_order(list(screen))
    # A filtered list stands alone; else stuffed and known pages stand below the news.
    below = _Below() if filters.is_narrow else _below(topic, now)
    shown = [*news, *below.stuffed, *below.known]
    rows = shown_pages(topic.crawl, shown, now, began=since) if topic.crawl else []
    health = source_health(topic, now)
    n_news, n_stuffed = len(news), len(below.stuffed)
    context = {
        "now": now,
        "topic": topic,
        "run": run,
        "running": run is not None and run.ended is None,
        "live": live_run(topic, run, request.user, now) if run and not run.ended else None,
        "pages_per_s": run.pages_per_s(now) if run else 0.0,
        "filters": filters,
        "listing": listing,
        "tags": tag_names(topic, request.user),
        "last_visit": last_visit,
        "screen": screen,
        "pages": rows[:n_news],
        "stuffed": rows[n_news : n_news + n_stuffed],
        "n_stuffed": below.n_stuffed,
        "known": rows[n_news + n_stuffed :],
        "n_known": below.n_known,
        "more_known": below.n_known > KNOWN_BESIDE,
        "trouble": trouble_of(run),
        "since": since,
        "since_then": since is not None and since > topic.window_start(now),
        "empty": "" if shown or filters.is_narrow else _why_empty(topic, now),
        "asking": questions.open_questions(topic),
        "n_failing": health.n_failing,
        "seeds_since": health.seeds_since,
        "n_outdated": to_read_again(topic.crawl).count() if topic.crawl else 0,
    }
    return render(request, template, context | said_of(topic, request.user, rows))


@dataclass(frozen=True, slots=True)
class _Below:
    """Pages that stand below the news, and how many there are of each kind."""

    stuffed: Sequence[Harvest] = ()
    known: Sequence[Harvest] = ()
    n_stuffed: int = 0
    n_known: int = 0


def _below(topic: Topic, now: datetime) -> _Below:
    known = Paginator(known_in_order(topic, now), KNOWN_BESIDE)
    stuffed = Paginator(stuffed_in_order(topic, now), STUFFED_BESIDE)
    return _Below(
        in_order(list(stuffed.page(1))), in_order(list(known.page(1))), stuffed.count, known.count
    )


def _why_empty(topic: Topic, now: datetime) -> str:
    return why_empty(topic, worker_up=worker_health(settings.RUN_DIR, now.timestamp()).up)


@require_POST
def topic_crawl_now(request: HttpRequest, slug: str) -> HttpResponse:
    topic = visible_topic(request, slug)
    try:
        run = start_stop.start_now(topic, timezone.now(), look=True)
    except TopicError as error:
        messages.error(request, str(error))
        return redirect(topic)
    messages.success(request, _("The crawl has started."))
    return redirect("run_detail", slug=topic.slug, pk=run.pk)


@require_POST
def topic_stop(request: HttpRequest, slug: str) -> HttpResponse:
    topic = visible_topic(request, slug)
    if start_stop.request_stop(topic):
        messages.success(request, _("The crawl stops after the pages it is fetching now."))
    else:
        messages.info(request, _("This topic is not being crawled."))
    return redirect(topic)
