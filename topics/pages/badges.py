"""The short line below a page in a list: the few facts that speak for it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from topics.pages.phrases import remember_phrase

#: Terms that the line names.
MAX_TERMS = 2


def badge_line(explanation: Mapping[str, Any], terms: Sequence[tuple[str, str]]) -> list[str]:
    """Return how many sites link to a page, and by which of the topic's terms it was kept.

    Parameters
    ----------
    explanation : mapping
        As stored with the harvest.
    terms : sequence of tuples of str
        As `matched_terms` gives them.
    """
    return [*_linking(explanation), *_terms(terms)]


def _linking(explanation: Mapping[str, Any]) -> list[str]:
    count = int(explanation.get("link", {}).get("n_sites", 0))
    return [_count(count)] if count else []


@remember_phrase
def _count(count: int) -> str:
    line = ngettext("%(count)d site links here", "%(count)d sites link here", count)
    return line % {"count": count}


def _terms(terms: Sequence[tuple[str, str]]) -> list[str]:
    found = [term for term, _via in terms[:MAX_TERMS]]
    if not found:
        return []
    joined = pgettext("between words of a list", ", ").join(found)
    return [_("via %(terms)s") % {"terms": joined}]
