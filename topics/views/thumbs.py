"""Thumbs on found pages."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST
from django_htmx.middleware import HtmxDetails

from crawler.api.tables import Harvest
from topics.profile import feedback
from topics.views.back import back_to_form
from topics.views.sentences import moved_sentence
from topics.views.topic import visible_topic

VALUES = {"up": 1, "down": -1, "none": 0}


class HtmxRequest(HttpRequest):
    """A request as the middleware leaves it."""

    htmx: HtmxDetails


@require_POST
def page_thumb(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """Give a page a thumb or take it back; the answer says how many pages moved."""
    topic = visible_topic(request, slug)
    harvest = get_object_or_404(Harvest, pk=pk, crawl=topic.crawl_id)
    value = VALUES.get(request.POST.get("value", ""))
    if value is None:
        return HttpResponseBadRequest(_("A rating must be up, down or none."))
    given = feedback.set_thumb(topic, request.user, harvest, value, timezone.now())
    message = moved_sentence(given.moved)
    if request.htmx:
        context = {
            "topic": topic,
            "harvest_pk": pk,
            "title": harvest.title,
            "thumb": given.value,
            "message": message,
        }
        return render(request, "topics/_thumbs.html", context)
    messages.success(request, message)
    return back_to_form(request, reverse("page_detail", args=[topic.slug, pk]))
