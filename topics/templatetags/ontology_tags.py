"""What templates need to speak of ontologies."""

from django import template
from django.template import Context
from django.utils.safestring import SafeString

from crawler.api.ontologies import IgnoredReason, RelationKind
from crawler.api.tables import Harvest
from topics.pages.language_names import language_name
from topics.profile.ontology_words import IGNORED, RELATIONS
from topics.templatetags.row_forms import NUMBER, TEXT, fill_form

register = template.Library()
register.filter(language_name)


@register.filter
def relation_word(kind: str) -> str:
    """Return a relation between two concepts."""
    return str(RELATIONS[RelationKind(kind)])


@register.filter
def ignored_word(reason: str) -> str:
    """Why something in a file was not taken over."""
    return str(IGNORED[IgnoredReason(reason)])


@register.simple_tag(takes_context=True)
def thumb_buttons(context: Context, harvest: Harvest) -> SafeString:
    """Buttons to rate a page, with the rating that it has."""
    form, title = "topics/_thumbs.html", harvest.title
    thumb = context["thumbs"].get(harvest.url_id, 0)
    values = {"topic": context["topic"], "thumb": thumb, "harvest_pk": NUMBER, "title": TEXT}
    return fill_form(context, form, values, number=harvest.pk, text=title, state=str(thumb))
