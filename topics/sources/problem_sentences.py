"""What went wrong with the sources and plugins of a run, in the reader's language."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from crawler.api.reasons import ProblemKind

TROUBLES: Final[dict[ProblemKind, Promise | str]] = {
    ProblemKind.SEED_FAILS: _(
        "The seed %(about)s has failed since %(since)s (attempts: %(times)s)."
    ),
    ProblemKind.FEED_FAILS: _(
        "The feed %(about)s has failed since %(since)s (attempts: %(times)s)."
    ),
    ProblemKind.SITEMAP_FAILS: _(
        "The sitemap %(about)s has failed since %(since)s (attempts: %(times)s)."
    ),
    ProblemKind.PAGE_FAILS: _(
        "The page %(about)s has failed since %(since)s (attempts: %(times)s)."
    ),
    ProblemKind.SEARCH_FAILED: _("The search for “%(about)s” failed: %(detail)s."),
    ProblemKind.SEARCH_REFUSED: _(
        "The search engine refused the search for “%(about)s” (%(detail)s). Add `json` "
        "to `search.formats` in the SearXNG settings."
    ),
    ProblemKind.SEARCH_UNREADABLE: _(
        "The answer to the search for “%(about)s” is not SearXNG's JSON: %(detail)s. "
        "FOCUSWEB_SEARXNG_URL must point to its /search."
    ),
    ProblemKind.PROVIDER_FAILED: _("The search at %(about)s failed: %(detail)s."),
    ProblemKind.PROVIDER_UNREADABLE: _(
        "The answer of the search at %(about)s cannot be read: %(detail)s."
    ),
    ProblemKind.SOURCE_FAILED: _(
        "The source “%(about)s” failed: %(detail)s. The other sources were checked."
    ),
    ProblemKind.PART_FAILED: _(
        "“%(about)s” comes from a plugin and failed, so another one was used instead: %(detail)s."
    ),
    ProblemKind.PART_MISSING: _(
        "The topic's choice “%(about)s” cannot be used, so another one was used "
        "instead: %(detail)s."
    ),
}


def problem_sentence(row: str | Mapping[str, Any]) -> str:
    """Return the sentence of a stored problem; a plain sentence is returned as it is."""
    if isinstance(row, str):
        return row
    kept = {"about": "", "detail": "", "times": 0, "since": "", **row}
    if kept["since"]:
        kept["since"] = (
            f"{datetime.fromisoformat(kept['since']).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        )
    sentence = TROUBLES.get(kept.get("trouble", ""))
    return str(sentence) % kept if sentence is not None else f"{kept['about']} {kept['detail']}"
