"""Why pages are kept or not, read from the state that decided it."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _

from crawler.api.judging import decided_pages, last_threshold
from crawler.api.pages import is_listing
from crawler.api.tables import SHARE, Crawl, FrontierEntry, Harvest, is_copy, unpack_notes


class Decision(StrEnum):
    """What decided whether a page is kept."""

    RATED_RELEVANT = "rated_relevant"
    RATED_IRRELEVANT = "rated_irrelevant"
    RELEVANT = "relevant"
    LINK_WORDS = "link_words"
    SEED_RULE = "seed_rule"
    STRATEGY = "strategy"
    IRRELEVANT = "irrelevant"
    SITE_BLOCKED = "site_blocked"
    NOINDEX = "noindex"
    LISTING = "listing"
    COPY = "copy"
    #: The page is to be scored again: it is kept or not by rules that changed since.
    EARLIER = "earlier"


def decisions(crawl: Crawl, harvests: Sequence[Harvest]) -> Mapping[int, Decision]:
    """Return what decided on each page, by number of the harvest; in three queries at most."""
    rated, blocked = decided_pages(crawl), crawl.settings.blocked_sites
    keys = [harvest.url_id for harvest in harvests]
    entries = {
        url: (is_copy(reason, stale), unpack_notes(memo), parent is None and not depth)
        for url, reason, stale, memo, parent, depth in FrontierEntry.objects.filter(
            crawl=crawl, url_id__in=keys
        ).values_list("url_id", "reason", "stale", "memo", "parent_id", "depth_hops")
    }
    found = {}
    for harvest in harvests:
        copy, memo, is_seed = entries.get(harvest.url_id, (False, {}, False))
        passes = harvest.relevance >= threshold_of(harvest, crawl)
        word = rated.get(harvest.url_id)
        if harvest.kept:
            decision = _why_kept(word, memo, passes=passes, is_seed=is_seed)
        elif harvest.url.site.name in blocked:
            decision = Decision.SITE_BLOCKED
        elif harvest.page.noindex:
            decision = Decision.NOINDEX
        elif is_listing(harvest.page.flags.split(",")):
            decision = Decision.LISTING
        elif word is False:
            decision = Decision.RATED_IRRELEVANT
        elif copy:
            decision = Decision.COPY
        else:
            decision = Decision.EARLIER if passes else Decision.IRRELEVANT
        found[harvest.pk] = decision
    return found


def _why_kept(
    word: bool | None, memo: Mapping[str, Any], *, passes: bool, is_seed: bool
) -> Decision:
    if word:
        return Decision.RATED_RELEVANT
    if passes:
        return Decision.RELEVANT
    if not memo.get("keep"):
        return Decision.EARLIER
    if SHARE in memo:
        return Decision.LINK_WORDS
    return Decision.SEED_RULE if is_seed else Decision.STRATEGY


def threshold_of(harvest: Harvest, crawl: Crawl) -> float:
    """Return the threshold by which a page was scored last."""
    own = harvest.explanation.get("judge", {}).get("threshold")
    # The explanation of a page that is not kept stays as it is when only the threshold changes.
    return float(own) if harvest.kept and own is not None else last_threshold(crawl)


def has_ratings_in(harvest: Harvest) -> bool:
    """True if ratings, answers or examples change the relevance by what two digits show."""
    judged = harvest.judge_relevance
    return judged is not None and round(judged, 2) != round(harvest.relevance, 2)


def decision_sentence(decision: Decision) -> str:
    """Say what decided, after a page's relevance and the threshold are named."""
    return {
        Decision.RATED_RELEVANT: _("The page is kept because it was rated as relevant."),
        Decision.RATED_IRRELEVANT: _("The page is not kept because it was rated as not relevant."),
        Decision.RELEVANT: _("The relevance reaches the threshold, so the page is kept."),
        Decision.LINK_WORDS: _(
            "The page is kept anyway: the crawl strategy keeps a page if the words of a link"
            " to it match the topic closely."
        ),
        Decision.SEED_RULE: _(
            "The page is kept anyway: the crawl strategy keeps the pages that a run starts from."
        ),
        Decision.STRATEGY: _(
            "The page is kept anyway: the crawl strategy chose to keep it, whatever its relevance."
        ),
        Decision.IRRELEVANT: _("The relevance is below the threshold, so the page is not kept."),
        Decision.SITE_BLOCKED: _("The page is not kept because its site is blocked."),
        Decision.NOINDEX: _("The page is not kept because it asks not to be indexed."),
        Decision.LISTING: _("The page is not kept because it is a feed or a sitemap."),
        Decision.COPY: _("The page is not kept because a copy of it is stored under another URL."),
        Decision.EARLIER: _(
            "This was decided by earlier settings; the page has not been scored again since."
        ),
    }[decision]


def short_reason(decision: Decision) -> str:
    """Return the part of a page's reason that names why it is kept below the threshold, or ""."""
    named = {
        Decision.RATED_RELEVANT: _("kept because it was rated as relevant"),
        Decision.LINK_WORDS: _("kept for the words of a link to it"),
        Decision.SEED_RULE: _("kept as a starting page, by the crawl strategy"),
        Decision.STRATEGY: _("kept by the crawl strategy"),
    }
    return named.get(decision, "")
