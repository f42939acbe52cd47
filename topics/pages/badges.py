"""The short line below a page in a list: the few facts that speak for it."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from topics.pages.explain import matched_terms

#: Terms that the line names.
MAX_TERMS = 2


def badge_line(explanation: Mapping[str, Any], text: str) -> list[str]:
    """How many sites link to a page, and by which of the topic's terms it was kept.

    Parameters
    ----------
    explanation : mapping
        As stored with the harvest.
    text : str
        The page's title and text, so that terms are shown as it writes them.
    """
    return [*_linking(explanation), *_terms(explanation, text)]


def _linking(explanation: Mapping[str, Any]) -> list[str]:
    count = int(explanation.get("link", {}).get("n_sites", 0))
    if not count:
        return []
    line = ngettext("%(count)d site links here", "%(count)d sites link here", count)
    return [line % {"count": count}]


def _terms(explanation: Mapping[str, Any], text: str) -> list[str]:
    found = [term for term, _via in matched_terms(explanation, text)[:MAX_TERMS]]
    if not found:
        return []
    joined = pgettext("between words of a list", ", ").join(found)
    return [_("via %(terms)s") % {"terms": joined}]
