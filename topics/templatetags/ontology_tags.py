"""What templates need to speak of ontologies."""

from collections.abc import Mapping
from typing import Any

from django import template

from crawler.api.ontologies import IgnoredReason, RelationKind
from crawler.api.tables import Harvest
from topics.pages.language_names import language_name
from topics.profile.feedback import title_of
from topics.profile.ontology_words import IGNORED, RELATIONS

register = template.Library()
register.filter(language_name)


@register.filter
def relation_word(kind: str) -> str:
    """A relation between two concepts."""
    return str(RELATIONS[RelationKind(kind)])


@register.filter
def ignored_word(reason: str) -> str:
    """Why something in a file was not taken over."""
    return str(IGNORED[IgnoredReason(reason)])


@register.inclusion_tag("topics/_thumbs.html", takes_context=True)
def thumb_buttons(context: Mapping[str, Any], harvest: Harvest) -> dict[str, Any]:
    """Buttons for a person's word on a page, with the one that was given."""
    return {
        "topic": context["topic"],
        "harvest_pk": harvest.pk,
        "title": title_of(harvest),
        "thumb": context["thumbs"].get(harvest.url_id, 0),
        "request": context["request"],
        "csrf_token": context.get("csrf_token"),
    }
