"""What templates need to show a reader's marks on pages, and what a score is made of."""

from collections.abc import Mapping
from typing import Any

from django import template

from crawler.api.tables import Harvest
from topics.pages import explain
from topics.pages.opening import open_address
from topics.pages.reading import NO_MARKS, Marks
from topics.pages.rows import ShownPage
from topics.profile.feedback import title_of

register = template.Library()


register.filter(open_address)


@register.simple_tag(takes_context=True)
def reader_address(context: Mapping[str, Any]) -> str:
    """The path and query of the page that the reader sees.

    A part of a page is fetched from an address of its own. A form in it leads back to the page.
    """
    request = context["request"]
    address: str = request.htmx.current_url_abs_path or request.get_full_path()
    return address


@register.filter
def marks_in(page: ShownPage, marks: Mapping[int, Marks] | str) -> Marks:
    """The marks on a page of a list; none where a view gives no marks."""
    return marks.get(page.harvest.url_id, NO_MARKS) if isinstance(marks, Mapping) else NO_MARKS


@register.filter
def score_parts(harvest: Harvest) -> list[dict[str, Any]]:
    """The parts that sum to a page's score."""
    return explain.parts(harvest.explanation)


@register.inclusion_tag("topics/_marks.html", takes_context=True)
def mark_buttons(context: Mapping[str, Any], harvest: Harvest) -> dict[str, Any]:
    """Buttons to star, read, hide and annotate a page, with the marks that it has."""
    return {
        "topic": context["topic"],
        "harvest_pk": harvest.pk,
        "title": title_of(harvest),
        "marks": context["marks"].get(harvest.url_id, NO_MARKS),
        "request": context["request"],
        "csrf_token": context.get("csrf_token"),
    }
