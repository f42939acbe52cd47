"""The public page of a topic, its feed, and the form that publishes it."""

import hashlib

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from topics.feeds.newspaper import articles_of, find_newspaper, publish_newspaper
from topics.forms.newspaper import NewspaperForm
from topics.models import Newspaper
from topics.views.accounts.sharing import sharing_page
from topics.views.feeds import send_feed
from topics.views.topic import visible_topic

#: Any cache may keep the page so long; it is the same for every reader of a language.
CACHING = "public, max-age=300"


@login_not_required
@require_safe
def newspaper(request: HttpRequest, name: str) -> HttpResponse:
    """The best news of a published topic, for anybody."""
    found, now = _found(name), timezone.now()
    language = request.GET.get("lang", "")
    language = language if language in dict(settings.LANGUAGES) else ""
    with translation.override(language or translation.get_language()):
        context = {
            "newspaper": found,
            "topic": found.topic,
            "articles": articles_of(found.topic, now),
            "now": now,
        }
        response = render(request, "topics/newspaper.html", context)
        response.headers["Content-Language"] = translation.get_language() or ""
    etag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = CACHING
    if not found.indexed:
        response.headers["X-Robots-Tag"] = "noindex, nofollow"
    answer = get_conditional_response(request, etag=etag, response=response)
    return answer if isinstance(answer, HttpResponse) else response


@login_not_required
@require_safe
def newspaper_feed(request: HttpRequest, name: str) -> HttpResponse:
    """The news of a published topic as Atom."""
    found = _found(name)
    response = send_feed(request, found.feed, "atom", CACHING)
    if not found.indexed:
        response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response


def _found(name: str) -> Newspaper:
    found = find_newspaper(name)
    if found is None:
        raise Http404
    return found


@require_POST
def newspaper_change(request: HttpRequest, slug: str) -> HttpResponse:
    """Publish a topic, move its public page, or end it."""
    topic = visible_topic(request, slug)
    known = Newspaper.objects.filter(topic=topic).first()
    match request.POST.get("do", ""):
        case "publish":
            form = NewspaperForm(known or Newspaper(topic=topic), request.POST)
            if not form.is_valid():
                return sharing_page(request, topic, newspaper_form=form, status=422)
            publish_newspaper(form.save(commit=False), timezone.now())
            messages.success(request, _("The page is public now."))
        case "end":
            Newspaper.objects.filter(topic=topic).delete()
            messages.success(request, _("The page is not public any more."))
        case _:
            raise Http404
    return redirect("topic_sharing", slug=topic.slug)
