"""The rows of a list of a topic's pages, as HTML: `page_rows` with what the reader said of each."""

from collections.abc import Sequence

from django import template
from django.template import Context, Engine
from django.utils.safestring import SafeString

from topics.changes.listed_changes import ShownChange
from topics.models import Topic
from topics.pages.reading import NO_MARKS
from topics.pages.rows import ShownPage
from topics.templatetags.html_format import fill
from topics.templatetags.ontology_tags import thumb_buttons
from topics.templatetags.page_rows import page_body, page_head
from topics.templatetags.reading_tags import mark_buttons
from topics.templatetags.site_tags import site_buttons
from topics.templatetags.topic_tags import dated

register = template.Library()

_ROW = """<li id="page-{number}" class="{state}" data-row><article>
{head}<p class="source"><span class="site">{site}</span> · {dated}</p>
{body}<div class="words">{marks}{thumb}{rule}</div></article></li>
"""


@register.simple_tag(takes_context=True)
def listed_rows(context: Context, rows: Sequence[ShownPage | ShownChange]) -> SafeString:
    """Return a row for each page or change of a page."""
    topic: Topic = context["topic"]
    return SafeString(
        "".join(
            _change(context, row) if isinstance(row, ShownChange) else _row(context, topic, row)
            for row in rows
        )
    )


def _row(context: Context, topic: Topic, page: ShownPage) -> SafeString:
    harvest = page.harvest
    own = context["marks"].get(harvest.url_id, NO_MARKS)
    return fill(
        _ROW,
        number=harvest.pk,
        state="read" if own.read else "unread",
        head=page_head(page),
        site=page.site.name,
        dated=dated(page, context["now"], context.get("last_visit")),
        body=page_body(topic, page),
        marks=mark_buttons(context, harvest),
        thumb=thumb_buttons(context, harvest),
        rule=site_buttons(context, page.site, harvest.pk),
    )


def _change(context: Context, row: ShownChange) -> SafeString:
    form = Engine.get_default().get_template("topics/_change_row.html")
    with context.push(row=row):
        return form.render(context)
