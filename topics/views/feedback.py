"""Thumbs on found pages, and example pages of a topic."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.middleware import HtmxDetails

from crawler.models import Harvest
from focusweb import wakeups
from topics import examples, feedback
from topics.errors import TopicError
from topics.feedback import title_of
from topics.views.lists import visible_topic
from topics.views.profile_forms import ExampleForm
from topics.views.sentences import moved_sentence

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
        return HttpResponseBadRequest(_("A thumb is up, down or none."))
    given = feedback.set_thumb(topic, request.user, harvest, value, timezone.now())
    told = moved_sentence(given.moved)
    if request.htmx:
        context = {
            "topic": topic, "harvest_pk": pk, "title": title_of(harvest), "thumb": given.value,
            "told": told,
        }  # fmt: skip
        return render(request, "topics/_thumbs.html", context)
    messages.success(request, told)
    back = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
        return redirect(back)
    return redirect("page_detail", slug=topic.slug, pk=pk)


@require_http_methods(["GET", "HEAD", "POST"])
def topic_examples(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the example pages, and take a new one."""
    topic = visible_topic(request, slug)
    form = ExampleForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        given, now = form.cleaned_data, timezone.now()
        try:
            if given["url"]:
                example = examples.add_url(topic, given["url"], now, good=given["good"])
                if example.state == example.State.WAITING:
                    wakeups.wake("topics.tasks.read_examples")
            else:
                examples.add_text(topic, given["text"], now, good=given["good"])
        except TopicError as error:
            form.add_error("url" if given["url"] else "text", str(error))
        else:
            messages.success(request, moved_sentence(feedback.learn(topic, now)))
            return redirect("topic_examples", slug=topic.slug)
    context = {
        "topic": topic, "form": form, "examples": topic.examples.all(),
        "thumbs": feedback.given_thumbs(topic, request.user),
    }  # fmt: skip
    status = 422 if form.errors else 200
    return render(request, "topics/examples.html", context, status=status)


@require_POST
def topic_example_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take an example page back."""
    topic = visible_topic(request, slug)
    get_object_or_404(topic.examples, pk=pk).delete()
    messages.success(request, moved_sentence(feedback.learn(topic, timezone.now())))
    return redirect("topic_examples", slug=topic.slug)
