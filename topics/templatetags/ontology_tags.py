"""What templates need to speak of ontologies."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.conf.locale import LANG_INFO
from django.utils.translation import gettext as _

from crawler.api.ontologies import IgnoredReason, RelationKind
from crawler.api.tables import Harvest
from topics.profile.feedback import title_of
from topics.profile.ontology_words import IGNORED, RELATIONS

register = template.Library()


@register.filter
def relation_word(kind: str) -> str:
    """A relation between two concepts."""
    return str(RELATIONS[RelationKind(kind)])


@register.filter
def ignored_word(reason: str) -> str:
    """Why something in a file was not taken over."""
    return str(IGNORED[IgnoredReason(reason)])


@register.filter
def language_name(code: str) -> str:
    """A language by its own name, its code where none is known."""
    if not code:
        return _("no language given")
    known = LANG_INFO.get({"zh": "zh-hans"}.get(code, code), {})
    return str(known.get("name_local", code))


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
