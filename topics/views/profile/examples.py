"""The example pages of a topic."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from focusweb.runtime import wakeups
from topics.errors import TopicError
from topics.forms.profile import ExampleForm
from topics.models import Topic
from topics.profile import examples, feedback
from topics.profile.action_previews import example_preview
from topics.profile.preview import ProfilePreview
from topics.views.sentences import moved_sentence
from topics.views.topic import visible_topic


@require_http_methods(["GET", "HEAD", "POST"])
def topic_examples(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the example pages; take a new one, or say what it would change."""
    topic = visible_topic(request, slug)
    form = ExampleForm(request.POST or None)
    context: dict[str, Any] = {"topic": topic, "form": form}
    if request.method == "POST" and form.is_valid():
        given, now = form.cleaned_data, timezone.now()
        try:
            if "preview" in request.POST:
                context |= {"previewed": True, "foreseen": _foreseen(topic, given)}
            elif given["url"]:
                example = examples.add_url(topic, given["url"], now, good=given["good"])
                if example.state == example.State.WAITING:
                    wakeups.wake("topics.tasks.read_examples")
            else:
                examples.add_text(topic, given["text"], now, good=given["good"])
        except TopicError as error:
            form.add_error("url" if given["url"] else "text", str(error))
        else:
            if "preview" not in request.POST:
                messages.success(request, moved_sentence(feedback.apply_labels(topic, now)))
                return redirect("topic_examples", slug=topic.slug)
    context |= {
        "examples": topic.examples.all(),
        "thumbs": feedback.thumb_rows(topic, request.user),
    }
    status = 422 if form.errors else 200
    return render(request, "topics/examples.html", context, status=status)


def _foreseen(topic: Topic, given: dict[str, Any]) -> ProfilePreview | None:
    url, text = given["url"], given["text"]
    return example_preview(topic, url, text, good=given["good"])


@require_POST
def topic_example_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take an example page back."""
    topic = visible_topic(request, slug)
    get_object_or_404(topic.examples, pk=pk).delete()
    messages.success(request, moved_sentence(feedback.apply_labels(topic, timezone.now())))
    return redirect("topic_examples", slug=topic.slug)
