"""What happened, in one sentence of the reader's language."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from crawler.api.judging import ChangedPages
from topics.profile.ontology_use import OntologyUse


def moved_sentence(moved: ChangedPages | None) -> str:
    """Say how many pages moved, and how many of them came in or went."""
    if moved is None:
        return _("Saved. There are many stored pages, so they are scored again in the background.")
    if not moved.total:
        return _("Saved. No page changed rank.")
    message = ngettext("%(count)d page changed rank", "%(count)d pages changed rank", moved.total)
    parts = [message % {"count": moved.total}]
    if moved.entered:
        parts.append(_("%(count)d added") % {"count": len(moved.entered)})
    if moved.left:
        parts.append(_("%(count)d removed") % {"count": len(moved.left)})
    joined = pgettext("between parts of a sentence", "; ").join(parts)
    return _("%(sentence)s.") % {"sentence": joined}


def use_sentence(use: OntologyUse) -> str:
    """Say how many topics of how many people use an ontology, and name none; "" if none does."""
    if not use.topics:
        return ""
    message = ngettext(
        "%(topics)d topic uses it (people: %(people)d).",
        "%(topics)d topics use it (people: %(people)d).",
        len(use.topics),
    )
    return message % {"topics": len(use.topics), "people": use.n_people}
