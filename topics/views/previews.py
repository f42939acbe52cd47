"""What the buttons of a page, a site or a concept would change: a part of a page, or a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from crawler.api.tables import Harvest
from topics.models import Topic
from topics.profile.action_previews import (
    can_preview,
    concept_previews,
    rating_previews,
    site_rule_previews,
)
from topics.profile.preview import ProfilePreview
from topics.views.site_rules import site_of_topic
from topics.views.thumbs import HtmxRequest
from topics.views.topic import visible_topic


@dataclass(frozen=True, slots=True)
class PreviewedAction:
    """A button, what its form sends where, and what it would change."""

    label: str
    address: str
    field: str
    value: str
    preview: ProfilePreview
    note: str = ""


@require_safe
def page_preview(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """What rating a page would change."""
    topic = visible_topic(request, slug)
    harvest = get_object_or_404(Harvest, pk=pk, crawl=topic.crawl_id)
    labels = {"up": _("Relevant"), "down": _("Not relevant"), "none": _("undo")}
    address = reverse("page_thumb", args=[topic.slug, pk])
    found = rating_previews(topic, request.user, harvest) if can_preview(topic) else {}
    actions = [
        PreviewedAction(labels[name], address, "value", name, preview)
        for name, preview in found.items()
    ]
    return _answer(request, topic, _("What a rating would change"), harvest.title, actions)


@require_safe
def site_preview(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """What each rule for a site would change."""
    topic = visible_topic(request, slug)
    site = site_of_topic(topic, pk)
    labels = {
        "raise": _("Raise"),
        "lower": _("Lower"),
        "pin": _("Pin"),
        "block": _("Block"),
        "none": _("undo"),
    }
    notes = {"pin": _("Every run checks this site first.")}
    address = reverse("site_rule", args=[topic.slug, pk])
    found = site_rule_previews(topic, site) if can_preview(topic) else {}
    actions = [
        PreviewedAction(labels[rule], address, "rule", rule, preview, notes.get(rule, ""))
        for rule, preview in found.items()
    ]
    return _answer(request, topic, _("What each rule would change"), site.name, actions)


@require_safe
def concept_preview(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """What the actions on an attached concept would change."""
    topic = visible_topic(request, slug)
    row = get_object_or_404(topic.concepts.select_related("concept__ontology"), pk=pk)
    below = reverse("topic_concept_below", args=[topic.slug, pk])
    forms = {
        "detach": (_("Detach"), reverse("topic_concept_remove", args=[topic.slug, pk]), "on", ""),
        "none_below": (_("none below"), below, "on", "0"),
        "all_below": (_("all below"), below, "on", "1"),
    }
    found = concept_previews(topic, row.concept) if can_preview(topic) else {}
    actions = [PreviewedAction(*forms[name], preview) for name, preview in found.items()]
    name = row.concept.name(request.LANGUAGE_CODE.partition("-")[0])
    return _answer(request, topic, _("What a change of this concept would do"), name, actions)


def _answer(
    request: HtmxRequest, topic: Topic, title: str, about: str, actions: Sequence[PreviewedAction]
) -> HttpResponse:
    context = {"topic": topic, "title": title, "about": about, "actions": actions}
    template = "topics/_action_previews.html" if request.htmx else "topics/action_previews.html"
    return render(request, template, context)
