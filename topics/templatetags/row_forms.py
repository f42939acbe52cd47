"""The forms that every row of a list has: rendered once, then filled in for each row.

To render them for each row took a third of the time of a topic's page.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.template import Context, Engine
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from topics.templatetags.html_format import fill

#: These are rendered in the places of a row's numbers and its text, of the reader's token and of
#: the address to come back to. No table has so many rows, and the characters are for private use.
NUMBER, ROW, TEXT = 9_007_199_254_740_881, 9_007_199_254_740_847, "\ue000"
TOKEN, ADDRESS = "\ue001", "\ue002"

#: Forms that a process remembers, of about 3 KB each.
MAX_REMEMBERED: Final = 1000
_KEY: Final = "row_forms"
_patterns: dict[tuple[object, ...], str] = {}


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
    (token, address), topic = _of_the_list(context), values["topic"]
    whose = (topic.pk, topic.slug, topic.is_shared) if topic else None
    key = template, whose, state, bool(token), get_language()
    pattern = _patterns.get(key)
    if pattern is None:
        if len(_patterns) >= MAX_REMEMBERED:
            _patterns.clear()
        held = {"csrf_token": TOKEN if token else token, "reader_address": ADDRESS}
        pattern = _patterns[key] = _pattern(render_form(context, template, {**values, **held}))
    return fill(pattern, number=number, row=row, text=text, token=token, address=address)


def _of_the_list(context: Context) -> tuple[SafeString | None, SafeString]:
    """The reader's token and address, as HTML; they are looked up once for a list."""
    known: Any = context.render_context
    if _KEY not in known:
        token = context.get("csrf_token")
        known[_KEY] = token and fill("{}", token), fill("{}", reader_address(context))
    found: tuple[SafeString | None, SafeString] = known[_KEY]
    return found


def reader_address(context: Context) -> str:
    """Return the path and query of the page that the reader sees.

    A part of a page is fetched from an address of its own. A form in it leads back to the page.
    """
    if "reader_address" in context:
        return str(context["reader_address"])
    request = context["request"]
    address: str = request.htmx.current_url_abs_path or request.get_full_path()
    return address


def _pattern(rendered: str) -> str:
    """A rendered form as a format."""
    pattern = rendered.replace("{", "{{").replace("}", "}}").replace(TEXT, "{text}")
    pattern = pattern.replace(TOKEN, "{token}").replace(ADDRESS, "{address}")
    return pattern.replace(str(NUMBER), "{number}").replace(str(ROW), "{row}")


def render_form(context: Context, template: str, values: Mapping[str, Any]) -> SafeString:
    """Return a form as its template renders it."""
    own = {"request": context["request"], "csrf_token": context.get("csrf_token")}
    return Engine.get_default().get_template(template).render(context.new({**own, **values}))
