"""The forms that every row of a list has: rendered once a request, then filled in for each row.

To render them for each row took a third of the time of a topic's page.
"""

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from django.http import HttpRequest
from django.template import Context, Engine
from django.utils.html import format_html
from django.utils.safestring import SafeString

#: These are rendered in the places of a row's numbers and its text. No table has so many rows,
#: and the character is for private use.
NUMBER, ROW, TEXT = 9_007_199_254_740_881, 9_007_199_254_740_847, "\ue000"

_patterns: WeakKeyDictionary[HttpRequest, dict[tuple[str, int, str], str]] = WeakKeyDictionary()


def fill_form(
    context: Context,
    template: str,
    values: Mapping[str, Any],
    *,
    number: int,
    text: str,
    row: int = 0,
    state: str = "",
) -> SafeString:
    """Return a form with the numbers and the text of one row.

    Parameters
    ----------
    context : Context
        Of the list, with its request.
    template : str
        Name of the form's template.
    values : mapping
        The template's context: the topic, and `NUMBER`, `ROW` and `TEXT` for what differs
        between rows. Anything else must be the same for each row of the topic in this `state`.
    number, text, row
        Of this row.
    state : str, default ""
        What the reader said of the row.
    """
    patterns = _patterns.setdefault(context["request"], {})
    key = template, values["topic"].pk, state
    pattern = patterns.get(key)
    if pattern is None:
        pattern = patterns[key] = _pattern(render_form(context, template, values))
    return format_html(pattern, number=number, row=row, text=text)


def _pattern(rendered: str) -> str:
    """A rendered form as a format."""
    pattern = rendered.replace("{", "{{").replace("}", "}}").replace(TEXT, "{text}")
    return pattern.replace(str(NUMBER), "{number}").replace(str(ROW), "{row}")


def render_form(context: Context, template: str, values: Mapping[str, Any]) -> SafeString:
    """Return a form as its template renders it."""
    own = context.new({**values, "request": context["request"]})
    own["csrf_token"] = context.get("csrf_token")
    return Engine.get_default().get_template(template).render(own)
