"""What a list says of a page, as HTML that the process remembers.

Titles, extracts and reasons change seldom, and to render them takes most of the time of a list.
They are remembered by everything that they are made of, so they are never out of date. Ages, marks
and forms are not among them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeVar

from django import template
from django.template import Context
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from crawler.api.tables import Harvest
from topics.pages.rows import ShownPage
from topics.templatetags.row_forms import render_form
from topics.templatetags.topic_tags import score_bar, why

register = template.Library()

#: Pages that are remembered, of about 3 KB each.
MAX_REMEMBERED = 2000


@dataclass(frozen=True, slots=True)
class PageParts:
    """The parts of a row that its page alone decides: title, and extract with reasons."""

    head: SafeString
    body: SafeString


@dataclass(frozen=True, slots=True)
class FoundParts:
    """The parts of a search result that no query changes: the score as a bar, and its reason."""

    bar: SafeString
    why: SafeString


Parts = TypeVar("Parts", PageParts, FoundParts)

_remembered: dict[bytes, Any] = {}


@register.simple_tag(takes_context=True)
def page_parts(context: Context, page: ShownPage) -> PageParts:
    """The remembered parts of a row; they are rendered if they are not known yet."""
    values = {"topic": context["topic"], "page": page, "harvest": page.harvest}
    made_of = (
        context["topic"].slug,
        sorted(page.words.items()),
        (page.title, page.harvest.page.line_kinds, page.opens, page.new_site, page.kept_for),
        [(other.url.url, other.url.site.name) for other in page.also],
    )
    return _remember(
        page.harvest,
        made_of,
        lambda: PageParts(
            head=render_form(context, "topics/_page_head.html", values),
            body=render_form(context, "topics/_page_body.html", values),
        ),
    )


@register.simple_tag(takes_context=True)
def found_parts(context: Context, harvest: Harvest) -> FoundParts:
    """The remembered parts of a search result."""
    return _remember(
        harvest,
        "found",
        lambda: FoundParts(
            bar=render_form(context, "topics/_score_bar.html", score_bar(harvest)),
            why=conditional_escape(why(harvest)),
        ),
    )


def _remember(harvest: Harvest, made_of: object, render: Callable[[], Parts]) -> Parts:
    """What was rendered of the same page, or is now."""
    page = harvest.page
    of_page = (harvest.pk, harvest.score, harvest.explanation)
    of_text = (page.title, page.language, page.flags, bytes(page.packed_text))
    whole = repr((get_language(), of_page, of_text, made_of)).encode("utf-8", "backslashreplace")
    key = blake2b(whole, digest_size=20).digest()
    parts: Parts | None = _remembered.get(key)
    if parts is None:
        parts = render()
        if len(_remembered) >= MAX_REMEMBERED:
            _remembered.clear()
        _remembered[key] = parts
    return parts
