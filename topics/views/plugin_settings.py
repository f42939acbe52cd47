"""The settings of plugins: of the installation, and of one topic."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from focusweb.database import write_transaction
from focusweb.plugins import SETTINGS, plugins
from topics.forms.plugin_settings import PluginSettingsForm
from topics.models import Topic
from topics.profile.action_previews import plugin_settings_preview
from topics.profile.crawl import save_crawl
from topics.views.plugins import require_superuser
from topics.views.topic import visible_topic


@require_http_methods(["GET", "HEAD", "POST"])
def plugin_settings(request: HttpRequest, name: str) -> HttpResponse:
    """The installation's settings of one plugin."""
    require_superuser(request)
    known = plugins()
    kind = known.settings.get(name)
    if kind is None:
        raise Http404
    state = known.states.of(name)
    form = PluginSettingsForm(name, kind, state.settings, {}, request.POST or None)
    if request.method == "POST" and form.is_valid():
        known.states.set_up(name, form.cleaned_data)
        if state.hook == SETTINGS:
            known.states.try_again(name)
        messages.success(request, _("The settings are saved."))
        return redirect("plugin_settings", name=name)
    status = 422 if form.errors else 200
    return render(request, "topics/plugin_settings.html", {"form": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def topic_plugins(request: HttpRequest, slug: str) -> HttpResponse:
    """The settings of a topic for each plugin that offers parts of topics."""
    topic = visible_topic(request, slug)
    known = plugins()
    forms = [
        PluginSettingsForm(
            name,
            kind,
            topic.plugin_settings.get(name, {}),
            known.states.of(name).settings,
            request.POST or None,
        )
        for name, kind in known.with_topic_settings().items()
    ]
    valid = [form.is_valid() for form in forms]
    context: dict[str, Any] = {"topic": topic, "forms": forms}
    if request.method == "POST" and all(valid):
        # Of a plugin that is not loaded now, the settings stay.
        changed = {form.plugin: form.cleaned_data for form in forms}
        together = topic.plugin_settings | changed
        if "preview" not in request.POST:
            return _saved(request, topic, together)
        foreseen = plugin_settings_preview(topic, together)
        context |= {"previewed": True, "foreseen": foreseen}
    status = 422 if any(form.errors for form in forms) else 200
    return render(request, "topics/topic_plugins.html", context, status=status)


def _saved(request: HttpRequest, topic: Topic, values: Mapping[str, Any]) -> HttpResponse:
    topic.plugin_settings = {name: chosen for name, chosen in values.items() if chosen}
    with write_transaction():
        topic.save(update_fields=["plugin_settings"])
        save_crawl(topic, timezone.now())
    messages.success(request, _("The settings are saved."))
    return redirect("topic_plugins", slug=topic.slug)
