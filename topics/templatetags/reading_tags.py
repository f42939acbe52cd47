"""What templates need to show a reader's marks on pages, and what a score is made of."""

from typing import Any

from django import template
from django.template import Context
from django.utils.safestring import SafeString

from crawler.api.tables import Harvest
from topics.models import Topic
from topics.pages.opening import open_address
from topics.pages.reading import NO_MARKS, Marks
from topics.pages.search_results import FoundPage
from topics.templatetags.row_forms import NUMBER, TEXT, fill_form, reader_address, render_form
from topics.views.back import page_of_form

register = template.Library()


register.filter(open_address)


register.simple_tag(reader_address, takes_context=True)
register.simple_tag(page_of_form)


@register.simple_tag(takes_context=True)
def mark_buttons(context: Context, harvest: Harvest) -> SafeString:
    """Buttons to star, read, hide and annotate a page, with the marks that it has."""
    return _mark_form(
        context, context["topic"], harvest, context["marks"].get(harvest.url_id, NO_MARKS)
    )


def found_mark_buttons(context: Context, found: FoundPage) -> SafeString:
    """`mark_buttons` of a page that was found by a search of several topics."""
    return _mark_form(context, found.topic, found.harvest, found.marks)


def _mark_form(context: Context, topic: Topic | None, harvest: Harvest, marks: Marks) -> SafeString:
    form, title = "topics/_marks.html", harvest.title
    values: dict[str, Any] = {"topic": topic, "marks": marks}
    if not marks.note and not marks.tags:
        values |= {"harvest_pk": NUMBER, "title": TEXT}
        state = f"{marks.read} {marks.starred} {marks.hidden}"
        return fill_form(context, form, values, number=harvest.pk, text=title, state=state)
    return render_form(context, form, values | {"harvest_pk": harvest.pk, "title": title})
