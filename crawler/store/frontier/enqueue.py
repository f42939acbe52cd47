"""Put URLs into the frontier, as many of a kind as are worth having."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime

import msgspec
from django.db.models import F

from crawler.models import Crawl, FrontierEntry, Page, Run, bulk
from crawler.models.web import EPOCH
from crawler.page.traps import TemplateTally
from crawler.reasons import Reason
from crawler.strategies.base import WORDS, Memo, Rating
from crawler.strategies.link_notes import pack_memo, pack_notes, unpack_notes, with_words

State = FrontierEntry.State

#: Ends of URLs that gave a page, and those of them that gave nothing new.
STALE = (Reason.DUPLICATE, Reason.SOFT_404)
FETCHED = (Reason.FETCHED, Reason.NOINDEX, Reason.NO_ENTRIES, *STALE)


class NewEntry(msgspec.Struct, frozen=True):
    """A URL on its way into the frontier, by numbers of the address book."""

    key: int
    parent: int | None
    rating: Rating
    depth_hops: int = 0
    redirect_hops: int = 0
    template: int = 0


def enqueue_links(crawl: Crawl, run: Run, links: Iterable[NewEntry], now: datetime) -> int:
    """Enter URLs; one that waits already keeps its better rating.

    Returns how many were left out because their template is full.
    """
    links = list(links)
    best: dict[int, NewEntry] = {}
    for link in links:
        known = best.get(link.key)
        if known is not None:
            better = max(known, link, key=lambda one: one.rating.priority)
            other = link if better is known else known
            link = _with_words(better, other.rating.memo)
        best[link.key] = link
    _merge_words(crawl, best)
    tallies = tally(crawl, run, {link.template for link in best.values()})
    left_out = _surplus(crawl, best.values(), tallies)
    when, epoch = bulk.moment_parameter(now), bulk.moment_parameter(EPOCH)
    rows = [
        (
            crawl.pk,
            link.key,
            link.parent,
            run.pk,
            State.NEW,
            "",
            "",
            link.template,
            int(link.template in tallies and tallies[link.template].is_mostly_stale),
            link.rating.priority,
            link.depth_hops,
            link.redirect_hops,
            pack_notes(link.rating),
            0,
            0,
            0,
            epoch,
            when,
            False,
            False,
        )
        for key, link in sorted(best.items())
        if key not in left_out
    ]
    entries, pages = bulk.table(FrontierEntry), bulk.table(Page)
    bulk.insert(
        FrontierEntry,
        _ENTRY_FIELDS,
        rows,
        conflict="ON CONFLICT (crawl_id, url_id) DO UPDATE SET"
        # A page that is visited again as a starting point keeps its parent. A URL that is new on a
        # known page gets that page as its parent, whichever page gives it the better rating.
        f" priority = excluded.priority, parent_id = CASE WHEN {entries}.found >"
        f" (SELECT first_fetched FROM {pages} WHERE {pages}.url_id = {entries}.parent_id)"
        f" THEN {entries}.parent_id"
        f" ELSE COALESCE(excluded.parent_id, {entries}.parent_id) END,"
        " depth_hops = excluded.depth_hops, memo = excluded.memo"
        f" WHERE {entries}.state = 'new' AND excluded.priority > {entries}.priority",
    )
    _found_anew(crawl, links)
    return len(left_out)


def _with_words(link: NewEntry, memo: Memo) -> NewEntry:
    rating = with_words(link.rating, memo)
    return link if rating is link.rating else msgspec.structs.replace(link, rating=rating)


def _merge_words(crawl: Crawl, best: dict[int, NewEntry]) -> None:
    """Merge the words of links with those noted before, if the strategy notes words."""
    with_notes = [key for key, link in best.items() if WORDS in link.rating.memo]
    merged = []
    for some in bulk.chunks(with_notes):
        waiting = FrontierEntry.objects.filter(crawl=crawl, url_id__in=some, state=State.NEW)
        for key, packed in waiting.values_list("url_id", "memo"):
            notes = unpack_notes(packed)
            link = best[key] = _with_words(best[key], notes)
            if WORDS in notes and notes[WORDS] != link.rating.memo[WORDS]:
                notes = {**notes, WORDS: link.rating.memo[WORDS]}
                merged.append((pack_memo(notes), crawl.pk, key))
    bulk.execute_many(
        f"UPDATE {bulk.table(FrontierEntry)} SET memo = %s WHERE crawl_id = %s AND url_id = %s",
        merged,
    )


def _found_anew(crawl: Crawl, links: Collection[NewEntry]) -> None:
    """Make a page the parent of a URL if it was visited before the URL was found, and lists it now.

    It says that the URL is new; the page that named it first, at a first look, does not.
    """
    listed: dict[int, list[int]] = defaultdict(list)
    for link in links:
        if link.parent is not None and not link.redirect_hops:
            listed[link.parent].append(link.key)
    visited = bulk.existing_urls(Page, listed, "n_fetches > 1")
    again = Page.objects.filter(pk__in=visited).values_list("pk", "first_fetched")
    for parent, first in again if visited else ():
        for keys in bulk.chunks(listed[parent]):
            waiting = FrontierEntry.objects.filter(
                crawl=crawl, url_id__in=keys, state=State.NEW, found__gt=first
            )
            waiting.filter(parent__page__first_fetched__gte=F("found")).update(parent_id=parent)
            waiting.filter(parent_id=parent).update(may_be_fresh=True)


_ENTRY_FIELDS = (
    "crawl_id",
    "url_id",
    "parent_id",
    "run_id",
    "state",
    "reason",
    "detail",
    "template",
    "tier",
    "priority",
    "depth_hops",
    "redirect_hops",
    "memo",
    "attempts",
    "crashes",
    "trials",
    "not_before",
    "found",
    "integrated",
    "stale",
)


def tally(crawl: Crawl, run: Run, templates: Collection[int]) -> dict[int, TemplateTally]:
    """Return what the run has entered and fetched of some templates."""
    found: dict[int, TemplateTally] = {}
    for some in bulk.chunks(sorted(set(templates) - {0})):
        rows = bulk.select(
            "SELECT template, COUNT(*),"
            f" COUNT(*) FILTER (WHERE reason IN ({bulk.places(FETCHED)})),"
            f" COUNT(*) FILTER (WHERE reason IN ({bulk.places(STALE)}) OR stale)"
            f" FROM {bulk.table(FrontierEntry)} WHERE crawl_id = %s AND run_id = %s"
            f" AND template IN ({bulk.places(some)}) GROUP BY template",
            [*FETCHED, *STALE, crawl.pk, run.pk, *some],
        )
        found |= {template: TemplateTally(*numbers) for template, *numbers in rows}
    return found


def _surplus(
    crawl: Crawl, links: Iterable[NewEntry], tallies: dict[int, TemplateTally]
) -> set[int]:
    """Keys for which their template has no place left; those known already keep theirs."""
    by_template: dict[int, list[NewEntry]] = defaultdict(list)
    for link in links:
        if link.template:
            by_template[link.template].append(link)
    surplus: set[int] = set()
    for template, some in by_template.items():
        n_free = tallies.get(template, TemplateTally()).n_free
        if len(some) <= n_free:
            continue
        known = _known(crawl, [link.key for link in some])
        new = [link for link in some if link.key not in known]
        new.sort(key=_by_worth)
        surplus.update(link.key for link in new[n_free:])
    return surplus


def _by_worth(link: NewEntry) -> tuple[float, int]:
    return -link.rating.priority, link.key


def _known(crawl: Crawl, keys: list[int]) -> set[int]:
    known: set[int] = set()
    for some in bulk.chunks(keys):
        rows = FrontierEntry.objects.filter(crawl=crawl, url_id__in=some)
        known.update(rows.values_list("url_id", flat=True))
    return known


def put_last(crawl: Crawl, run: Run, templates: Collection[int]) -> None:
    """Let templates that gave nothing new wait until everything else is fetched."""
    mostly_stale = [
        key for key, seen in tally(crawl, run, templates).items() if seen.is_mostly_stale
    ]
    if mostly_stale:
        FrontierEntry.objects.filter(
            crawl=crawl, state=State.NEW, tier=0, template__in=mostly_stale
        ).update(tier=1)
