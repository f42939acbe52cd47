"""The list of topics, and one topic with its pages."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from crawler.api.tables import Crawl, HarvestQuerySet
from focusweb.demo.web import CLOCK_FILE
from focusweb.prepared import prepared
from topics.accounts.sharing import find_shared, shared_with
from topics.changes.listed_changes import ShownChange, unread_changes
from topics.errors import TopicError
from topics.home.attention import needs_attention
from topics.home.figures import LARGE, figures_of, stored_news_of
from topics.home.today import best_of_today
from topics.home.topic_lines import topic_lines
from topics.installation.health import worker_health
from topics.models import OntologyNotice, PageChange, Question, Topic
from topics.pages import reading
from topics.pages.blocks import tiles_of
from topics.pages.filters import read_filters
from topics.pages.listing import list_pages
from topics.pages.live import live_run
from topics.pages.news import in_order, known_in_order
from topics.pages.reading import NO_MARKS
from topics.pages.rows import (
    EmptyReason,
    ShownPage,
    failure_sentence,
    first_and_last,
    shown_pages,
    why_empty,
)
from topics.pages.tour import tour_steps
from topics.profile import questions
from topics.runs import start_stop
from topics.runs.demo import clock_ends

PAGES_PER_SCREEN = 30
#: Pages with keyword stuffing that are shown with the news.
STUFFED_BESIDE = 30


def visible_topic(request: HttpRequest, slug: str, *, with_news: bool = False) -> Topic:
    """The user's own topic of this name; a 404 if it is anybody else's.

    Raises
    ------
    PermissionDenied
        If it is shared with the user: who reads a topic changes nothing of it.
    """
    found = (_named_with_news if with_news else _named)(request.user.pk, slug)
    if not found:
        if find_shared(request.user, slug) is not None:
            raise PermissionDenied
        raise Http404
    topic: Topic = found[0]
    return topic


@prepared
def _named_with_news(user: int, slug: str) -> QuerySet[Topic]:
    topics = Topic.objects.visible_to(user).select_related("crawl", "figures").filter(slug=slug)
    return reading.with_visit(topics, user).annotate(**_FEW)


@prepared
def _named(user: int, slug: str) -> QuerySet[Topic]:
    topics = Topic.objects.visible_to(user).select_related("crawl", "figures").filter(slug=slug)
    return reading.with_visit(topics, user).annotate(**_FEW).defer(*LARGE)


def readable_topic(request: HttpRequest, slug: str, *, with_news: bool = False) -> Topic:
    """The user's own topic of this name, or one that is shared with them; else a 404."""
    shared = find_shared(request.user, slug)
    return shared or visible_topic(request, slug, with_news=with_news)


#: What few topics have, so that the others need no query for it.
_FEW = {
    "has_questions": Exists(Question.objects.filter(topic=OuterRef("pk"))),
    "has_notices": Exists(OntologyNotice.objects.filter(topic=OuterRef("pk"))),
    "has_changes": Exists(PageChange.objects.filter(topic=OuterRef("pk"))),
}


def render_pages(
    request: HttpRequest,
    template: str,
    crawl: Crawl,
    pages: HarvestQuerySet,
    context: dict[str, Any],
) -> HttpResponse:
    """Render some pages of a topic's crawl, best first, a screen at a time."""
    now, rows = timezone.now(), pages.select_related("url__site", "url__page")
    screen = Paginator(rows.order_by("-score", "pk"), PAGES_PER_SCREEN).get_page(
        request.GET.get("page")
    )
    shown = shown_pages(crawl, list(screen), now)
    context = context | {"now": now, "screen": screen, "pages": shown}
    return render(request, template, context | marks_context(context["topic"], request.user, shown))


def marks_context(topic: Topic, user: Any, rows: Sequence[ShownPage]) -> dict[str, Any]:
    """What a person said of the pages of a list, and of their sites, as its template needs it."""
    said = reading.reactions_to(topic, user, [row.harvest for row in rows])
    return {"marks": said.marks, "thumbs": said.thumbs, "site_rules": said.site_rules}


@require_safe
def topic_list(request: HttpRequest) -> HttpResponse:
    user, context = request.user, _home(request)
    context |= {
        "tiles": tiles_of(user, context["now"]),
        "shared": shared_with(user),
        "steps": tour_steps(user, [line.topic for line in context["lines"]]),
    }
    return render(request, "topics/topic_list.html", context)


@require_safe
def topics_today(request: HttpRequest) -> HttpResponse:
    """The part of the list of topics that changes while it is open."""
    return render(request, "topics/_today.html", _home(request))


def _home(request: HttpRequest) -> dict[str, Any]:
    now, user = timezone.now(), request.user
    lines = topic_lines(user, now)
    return {
        "now": now,
        "lines": lines,
        "today": best_of_today(lines, user, now),
        "attention": needs_attention(lines, user, now, has_server=settings.MAIL_SERVER is not None),
    }


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
    topic, user, now = readable_topic(request, slug), request.user, timezone.now()
    known = Paginator(known_in_order(topic, now, reader=user), PAGES_PER_SCREEN)
    screen = known.get_page(request.GET.get("page"))
    rows = shown_pages(topic.crawl, in_order(list(screen)), now) if topic.crawl else []
    context = {
        "now": now,
        "topic": topic,
        "screen": screen,
        "pages": rows,
        "n_hidden": reading.count_hidden(topic, user),
    }
    return render(request, "topics/known_pages.html", context | marks_context(topic, user, rows))


def _topic(request: HttpRequest, slug: str, template: str) -> HttpResponse:
    topic, now = readable_topic(request, slug, with_news=True), timezone.now()
    crawl, user, has_questions = topic.crawl, request.user, getattr(topic, "has_questions", True)
    filters, last_visit = read_filters(request.GET), reading.begin_visit(topic, user, now)
    first, run = first_and_last(crawl) if crawl else (None, None)
    since, figures = first.ended if first else None, figures_of(topic, now)
    changes = {-row.change.pk: row for row in unread_changes(topic, user)}
    listing = list_pages(
        topic,
        user,
        filters,
        now,
        began=since,
        farms=figures.farms,
        since=last_visit,
        stored=stored_news_of(figures, run, now),
        changes=[change.as_listed() for change in changes.values()],
    )
    screen = Paginator(listing.numbers, PAGES_PER_SCREEN).get_page(request.GET.get("page"))
    # A filtered list stands alone; else stuffed pages stand below the news, and known pages where
    # there are no news.
    alone = filters.is_narrow
    numbers = list(screen)
    stuffed = [] if alone else listing.stuffed[:STUFFED_BESIDE]
    known = [] if alone or listing.n_pages else figures.best_known
    pages = in_order([*numbers, *stuffed, *known])
    rows = shown_pages(crawl, pages, now, began=since, quotes=figures.quotes) if crawl else []
    said = marks_context(topic, user, rows)
    # The best known pages are those of all readers.
    best_known = [row.harvest for row in rows if row.harvest.pk in known]
    marks = said["marks"]
    known = [one.pk for one in best_known if not marks.get(one.url_id, NO_MARKS).hidden]
    n_hidden = listing.n_hidden + len(best_known) - len(known)
    by_number = {row.harvest.pk: row for row in rows} | changes
    context = {
        "now": now,
        "topic": topic,
        "run": run,
        "running": run is not None and run.ended is None,
        "live": live_run(topic, run, request.user, now) if run and not run.ended else None,
        "pages_per_s": run.pages_per_s(now) if run else 0.0,
        "filters": filters,
        "listing": listing,
        "tags": reading.tag_names(topic, user),
        "last_visit": last_visit,
        "screen": screen,
        "pages": _rows(numbers, by_number),
        "stuffed": _rows(stuffed, by_number),
        "n_stuffed": len(listing.stuffed),
        "known": _rows(known, by_number),
        "n_known": figures.n_known,
        "more_known": figures.n_known > len(known) and not alone,
        "trouble": failure_sentence(run),
        "since": since,
        "since_then": since is not None and since > topic.window_start(now),
        "n_hidden": n_hidden,
        "empty": "" if numbers or stuffed or known or alone else _why_empty(topic, now, n_hidden),
        "asking": questions.open_questions(topic) if has_questions else None,
        "n_failing": figures.n_failing,
        "seeds_since": figures.seeds_since,
        "lacks_words": figures.lacks_words,
        "demo_until": clock_ends(topic, now, settings.DATA_DIR / CLOCK_FILE),
        "n_outdated": figures.n_outdated,
    }
    return render(request, template, context | said)


def _rows(
    numbers: Sequence[int], rows: Mapping[int, ShownPage | ShownChange]
) -> list[ShownPage | ShownChange]:
    return [rows[number] for number in numbers if number in rows]


def _why_empty(topic: Topic, now: datetime, n_hidden: int) -> str:
    if n_hidden:
        return EmptyReason.HIDDEN
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
