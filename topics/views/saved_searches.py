"""Saved searches: keep one, list them, and read one as a feed without signing in."""

import hashlib
import secrets

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from topics.models import SavedSearch, Topic
from topics.models.searches import MAX_SAVED
from topics.pages.feeds import TYPES, write_feed
from topics.pages.saved_searches import address_of, newest_pages, request_of
from topics.pages.search_screen import read_request
from topics.search.errors import QueryError, SearchError
from topics.search.problems import sentence
from topics.search.query import parse_query


@require_safe
def saved_searches(request: HttpRequest) -> HttpResponse:
    own = SavedSearch.objects.filter(owner_id=request.user.pk).select_related("topic")
    rows = [(saved, address_of(request_of(saved), saved.topic), _feeds(saved)) for saved in own]
    return render(request, "topics/saved_searches.html", {"rows": rows})


@require_POST
def save_search(request: HttpRequest) -> HttpResponse:
    """Keep the search that the form's fields describe."""
    query = read_request(
        request.POST.get("q", ""),
        order=request.POST.get("order", ""),
        without=request.POST.getlist("without"),
    )
    slug = request.POST.get("topic", "")
    own = Topic.objects.visible_to(request.user)
    topic = get_object_or_404(own, slug=slug) if slug else None
    back = redirect(f"{reverse('search')}?{address_of(query, topic)}")
    try:
        parse_query(query.text)
    except QueryError as error:
        messages.error(request, sentence(error.problem, error.position, error.found, error.hint))
        return back
    mine = SavedSearch.objects.filter(owner_id=request.user.pk)
    name = (" ".join(request.POST.get("name", "").split()) or query.text)[:120]
    if mine.count() >= MAX_SAVED:
        messages.error(request, _("You have 100 saved searches. Delete one first."))
        return back
    mine.update_or_create(
        owner_id=request.user.pk,
        name=name,
        defaults={
            "query": query.text,
            "topic": topic,
            "order": query.order.value,
            "without": sorted(query.without),
            "created": timezone.now(),
            "counted": None,
        },
    )
    messages.success(request, _("The search is saved as “%(name)s”.") % {"name": name})
    return redirect("saved_searches")


@require_POST
def change_saved_search(request: HttpRequest, pk: int) -> HttpResponse:
    """Do what the pressed button says with one of the reader's saved searches."""
    saved = get_object_or_404(SavedSearch, pk=pk, owner_id=request.user.pk)
    match request.POST.get("do", ""):
        case "home":
            saved.on_home = not saved.on_home
        case "feed":
            saved.renew_feed_key()
        case "no_feed":
            saved.feed_key = ""
        case "delete":
            saved.delete()
            return redirect("saved_searches")
        case _:
            raise Http404
    saved.save()
    return redirect("saved_searches")


@login_not_required
@require_safe
def feed(request: HttpRequest, key: str, kind: str) -> HttpResponse:
    """The newest pages of a saved search, for whoever has its secret address."""
    found = SavedSearch.objects.exclude(feed_key="").select_related("topic", "owner")
    saved = get_object_or_404(found, feed_key=key, owner__is_active=True)
    if kind not in TYPES or not secrets.compare_digest(saved.feed_key.encode(), key.encode()):
        raise Http404
    try:
        pages = newest_pages(saved)
    except SearchError:
        return HttpResponse("the search cannot be run now", status=503, content_type="text/plain")
    root = settings.BASE_URL.rstrip("/")
    body = write_feed(
        kind,
        saved.name,
        pages,
        home=f"{root}{reverse('search')}?{address_of(request_of(saved), saved.topic)}",
        own=f"{root}{request.path}",
        since=saved.created,
    )
    etag = f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"'
    response = HttpResponse(body, content_type=f"{TYPES[kind]}; charset=utf-8")
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    answer = get_conditional_response(request, etag=etag, response=response)
    return answer if isinstance(answer, HttpResponse) else response


def _feeds(saved: SavedSearch) -> list[tuple[str, str]]:
    """The names and addresses of a saved search's feeds; none without a key."""
    if not saved.feed_key:
        return []
    root = settings.BASE_URL.rstrip("/")
    names = {"atom": "Atom", "rss": "RSS", "json": "JSON Feed"}
    return [
        (name, f"{root}{reverse('feed', args=[saved.feed_key, kind])}")
        for kind, name in names.items()
    ]
