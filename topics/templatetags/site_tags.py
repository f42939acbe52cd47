"""What templates need to let a person say something of a site."""

from django import template
from django.template import Context
from django.utils.safestring import SafeString

from crawler.api.tables import Site
from topics.templatetags.row_forms import NUMBER, ROW, TEXT, fill_form, render_form

register = template.Library()

#: Stands for the site of any row.
_ANY_SITE = Site(pk=NUMBER, name=TEXT)


@register.simple_tag(takes_context=True)
def site_buttons(context: Context, site: Site, row: int = 0) -> SafeString:
    """Buttons for a person's rule on a site, with the one that holds.

    A list with several pages of one site gives each a `row` number.
    """
    form, rule = "topics/_site_rule.html", context["site_rules"].get(site.pk, "")
    values = {"topic": context["topic"], "rule": rule}
    if row:
        values |= {"site": _ANY_SITE, "row": ROW}
        return fill_form(context, form, values, number=site.pk, text=site.name, row=row, state=rule)
    return render_form(context, form, values | {"site": site, "row": row})
