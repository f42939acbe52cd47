"""Feeds: read one by its secret address, make one, and switch it off."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, parse_http_date_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from topics.feeds.addresses import KINDS, find_feed, renew_address, switch_off
from topics.feeds.publishing import is_too_often, publish_feed
from topics.feeds.writing import KEEP_MINUTES, TYPES
from topics.models import Feed
from topics.search.errors import SearchError

#: Seconds after which a reader may come back that came too often, or at a bad moment.
RETRY_S = 60


@login_not_required
@require_safe
def feed(request: HttpRequest, token: str, kind: str) -> HttpResponse:
    """The newest pages of a topic, saved search or rule, for whoever has the secret address."""
    found = find_feed(token) if kind in TYPES else None
    if found is None:
        # Not the page for people, which has a form and so a cookie.
        return HttpResponse("there is no such feed\n", status=404, content_type="text/plain")
    return send_feed(request, found, kind, f"private, max-age={KEEP_MINUTES * 60}")


def send_feed(request: HttpRequest, found: Feed, kind: str, caching: str) -> HttpResponse:
    """Answer with a feed, or with 304 if the reader has it."""
    now = timezone.now()
    # The feed of a public page has many readers, and caches keep it for them.
    if found.newspaper_id is None and is_too_often(found, now):
        return _later("this feed is read too often", 429)
    try:
        sent = publish_feed(found, kind, f"{settings.BASE_URL.rstrip('/')}{request.path}", now)
    except SearchError:
        return _later("the search cannot be run now", 503)
    response = HttpResponse(sent.text, content_type=f"{TYPES[kind]}; charset=utf-8")
    changed = int(sent.changed.timestamp())
    response.headers["ETag"] = sent.etag
    response.headers["Last-Modified"] = http_date(changed)
    response.headers["Cache-Control"] = caching
    since = parse_http_date_safe(request.headers.get("If-Modified-Since", ""))
    by_date = "If-None-Match" not in request.headers
    if by_date and since is not None and since > now.timestamp():
        # Our clock was ahead when it gave this date: what is newer would be late by as much.
        return response
    answer = get_conditional_response(
        request, etag=sent.etag, last_modified=changed, response=response
    )
    return answer if isinstance(answer, HttpResponse) else response


def _later(sentence: str, status: int) -> HttpResponse:
    response = HttpResponse(f"{sentence}\n", status=status, content_type="text/plain")
    response.headers["Retry-After"] = str(RETRY_S)
    response.headers["Cache-Control"] = "no-store"
    return response


@require_POST
def feed_change(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Give the feed of one of the reader's own things a new address, or switch it off."""
    if kind not in KINDS:
        raise Http404
    target = get_object_or_404(KINDS[kind], pk=pk, owner=request.user)
    match request.POST.get("do", ""):
        case "new":
            renew_address(kind, target, timezone.now())
            messages.success(request, _("The feed has a new address. An old one does not work."))
        case "off":
            switch_off(kind, target)
            messages.success(request, _("The feed is off. Its address does not work any more."))
        case _:
            raise Http404
    return redirect(_page_of(kind, target))


def _page_of(kind: str, target: object) -> str:
    """The page that shows the addresses of a feed."""
    if kind == "topic":
        return reverse("topic_sharing", args=[getattr(target, "slug", "")])
    if kind == "rule":
        return reverse("rule_detail", args=[getattr(target, "pk", 0)])
    return reverse("saved_searches")
