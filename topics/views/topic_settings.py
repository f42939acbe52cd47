"""Rename a topic, set when it runs, switch it off and delete it, without the administration."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from topics.forms.topic_settings import TopicSettingsForm
from topics.runs.removal import remove_topic, running_sentences
from topics.runs.topic_settings import save_settings
from topics.views.sentences import moved_sentence
from topics.views.topic import visible_topic


@require_http_methods(["GET", "HEAD", "POST"])
def topic_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and change what a topic is called and when it runs."""
    topic = visible_topic(request, slug)
    name = topic.name
    form = TopicSettingsForm(request.POST or None, instance=topic)
    if request.method == "POST" and form.is_valid():
        moved = save_settings(topic, form.changed_data, timezone.now())
        has_moved = moved is None or moved.total > 0
        messages.success(request, moved_sentence(moved) if has_moved else _("Saved."))
        return redirect(topic)
    # The form has put what was typed into the topic.
    topic.name = name
    context, status = {"topic": topic, "form": form}, 422 if form.errors else 200
    return render(request, "topics/topic_settings.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def topic_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what goes with a topic, and delete it."""
    topic = visible_topic(request, slug)
    if request.method != "POST":
        return render(request, "topics/topic_delete.html", {"topic": topic})
    for sentence in running_sentences([topic]):
        messages.error(request, sentence)
        return redirect(topic)
    remove_topic(topic, timezone.now())
    messages.success(request, _("“%(topic)s” is deleted.") % {"topic": topic.name})
    return redirect("topic_list")
