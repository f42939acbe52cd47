"""The pages that a search found, as HTML.

As in `page_rows`, code makes the rows: a template took twice as long.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from topics.models import Topic
from topics.pages.opening import open_address
from topics.pages.search_results import FoundPage
from topics.templatetags.html_format import fill, fill_each
from topics.templatetags.page_rows import (
    NOTHING,
    also_line,
    found_score,
    fragment_html,
    kind_marks,
    reason_details,
)
from topics.templatetags.reading_tags import found_mark_buttons
from topics.templatetags.topic_tags import dated

register = template.Library()

_ROW = """<li id="page-{number}" class="{state}" data-row><article><div class="story">
<h2>{choice}<a href="{opens}" rel="noopener noreferrer" data-open>{title}</a>{kind}</h2>
<p class="source"><span class="site">{site}</span> · {dated}{topic}</p>
{snippets}<div class="badges"><span>{score}</span> {reason}</div>
{also}{marks}</div></article></li>
"""


@register.simple_tag(takes_context=True)
def found_rows(
    context: Context, pages: Sequence[FoundPage], now: datetime, chosen: Topic | None
) -> SafeString:
    """Return a row for each page; `chosen` is the topic that was searched, if it was one."""
    links: dict[Any, SafeString] = {}
    return SafeString("".join(_row(context, page, now, chosen, links) for page in pages))


def _row(
    context: Context,
    page: FoundPage,
    now: datetime,
    chosen: Topic | None,
    links: dict[Any, SafeString],
) -> SafeString:
    harvest, topic = page.harvest, page.topic
    if topic is not None and topic.pk not in links:
        links[topic.pk] = NOTHING if chosen else _link_to(topic)
    title = str(page.title)
    return fill(
        _ROW,
        number=harvest.pk,
        state="read" if page.marks.read else "unread",
        choice=_choice(harvest.pk, title) if topic else NOTHING,
        opens=open_address(harvest.url.url),
        title=fragment_html(page.title),
        kind=kind_marks(harvest.page),
        site=harvest.url.site.name,
        dated=dated(harvest, now),
        topic=links[topic.pk] if topic else NOTHING,
        snippets=fill_each(
            "", '<p class="snippet">{}</p>\n', ((fragment_html(one),) for one in page.fragments)
        ),
        score=found_score(harvest),
        reason=reason_details(topic, harvest, title),
        also=also_line(page.also),
        marks=fill('<div class="words">{}</div>', found_mark_buttons(context, page))
        if topic
        else NOTHING,
    )


def _choice(number: int, title: str) -> SafeString:
    return fill(
        '<input type="checkbox" name="pick" value="{}" form="bulk" aria-label="{}">',
        number,
        _("Choose: %(title)s") % {"title": title},
    )


def _link_to(topic: Topic) -> SafeString:
    address = reverse("topic_detail", args=[topic.slug])
    return fill(' · <a href="{}">{}</a>', address, topic.name_and_owner)
