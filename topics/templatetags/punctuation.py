"""Marks of punctuation between parts that a template puts together."""

from django import template
from django.utils.translation import pgettext

register = template.Library()


@register.simple_tag
def colon() -> str:
    """Return what stands between a name and what is said of it."""
    return pgettext("between a name and what is said of it", ": ")


@register.simple_tag
def comma() -> str:
    """Return what stands between two clauses."""
    return pgettext("between two clauses", ", ")


@register.simple_tag
def list_comma() -> str:
    """Return what stands between the words of a list."""
    return pgettext("between words of a list", ", ")
