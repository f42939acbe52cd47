"""What templates need to let a person say something of a site."""

from collections.abc import Mapping
from typing import Any

from django import template

from crawler.api.tables import Site

register = template.Library()


@register.inclusion_tag("topics/_site_rule.html", takes_context=True)
def site_buttons(context: Mapping[str, Any], site: Site, row: int = 0) -> dict[str, Any]:
    """Buttons for a person's word on a site, with the one that holds.

    A list with several pages of one site gives each a `row` number.
    """
    return {
        "topic": context["topic"],
        "site": site,
        "row": row,
        "rule": context["site_rules"].get(site.pk, ""),
        "request": context["request"],
        "csrf_token": context.get("csrf_token"),
    }
