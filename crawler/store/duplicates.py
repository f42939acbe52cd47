"""Recognise copies among the pages of a batch, and let the original stand for them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db.models import F, Q

from crawler.messages import CrawlResult, as_copy, with_user_label
from crawler.models import Crawl, FrontierEntry, Harvest, IndexOutbox, Page, Run, Url, bulk
from crawler.models.frontier import MAX_DETAIL
from crawler.models.web import as_unsigned
from crawler.page.duplicates.copies import (
    N_COMPARED,
    StoredPage,
    find_original,
    is_repeat,
    is_version_of,
    stored_copy,
)
from crawler.page.traps import template_key
from crawler.reasons import Reason
from crawler.store.labels import decided_pages

_COLUMNS = "page.url_id, url.url, page.content_hash, page.fingerprint, canonical.url"
_PAGES = (
    f"{bulk.table(Page)} page JOIN {bulk.table(Url)} url ON url.id = page.url_id"
    f" LEFT JOIN {bulk.table(Url)} canonical ON canonical.id = page.canonical_id"
)
# Not joined, or SQLite walks through all that is kept.
_IS_KEPT = (
    f"EXISTS (SELECT 1 FROM {bulk.table(Harvest)} harvest WHERE harvest.crawl_id = %s"
    " AND harvest.url_id = page.url_id AND harvest.kept)"
)
# A page that is gone stands for no copy: it may have moved there.
_IS_GONE = (
    f"EXISTS (SELECT 1 FROM {bulk.table(FrontierEntry)} entry WHERE entry.crawl_id = %s"
    f" AND entry.url_id = page.url_id AND entry.reason = '{Reason.GONE}')"
)
#: Templates in one statement; SQLite takes 500 parts of a compound one.
MAX_TEMPLATES = 100


def mark_copies(crawl: Crawl, postings: Sequence[CrawlResult]) -> list[CrawlResult]:
    """Mark the pages of a batch that are copies of kept pages, or nothing new of their kind.

    A person's word on a page comes first, and stands even for a copy. No page of a blocked site is
    kept: the collector may have read the rules of sites before.
    """
    decided = decided_pages(crawl)
    blocked = Crawl.objects.get(pk=crawl.pk).settings.blocked_sites
    postings = [
        replace(posting, kept=False)
        if posting.claim.site in blocked
        else with_user_label(posting, decided.get(posting.claim.key))
        for posting in postings
    ]
    fetched = {
        posting.claim.key: stored_copy(posting.claim.key, posting.page)
        for posting in postings
        if posting.page is not None and posting.reason is Reason.FETCHED
    }
    kept = _possible_originals(
        crawl, [fetched[one.claim.key] for one in postings if one.kept and one.claim.key in fetched]
    )
    seen = _latest(crawl, {template_key(page.url) for page in fetched.values()} - {0})
    settled = []
    for posting in postings:
        key = posting.claim.key
        me = fetched.get(key)
        if me is None or posting.page is None:
            settled.append(posting)
            continue
        original = find_original(posting.page, me, kept) if posting.kept else None
        if original is None and posting.kept:
            kept.append(me)
        template = template_key(me.url)
        if template:
            if is_repeat(me, seen[template]):
                posting = replace(posting, stale=True)
            seen[template].append(me)
        if original is not None:
            posting = with_user_label(as_copy(posting, original), decided.get(key))
        settled.append(posting)
    return settled


def _possible_originals(crawl: Crawl, pages: Sequence[StoredPage]) -> list[StoredPage]:
    """The kept pages that hold the text of one of some pages, or stand at their canonical URLs."""
    hashes = sorted({page.content_hash for page in pages})
    canonicals = sorted({page.canonical for page in pages} - {""})
    wanted = f"page.content_hash IN ({bulk.places(hashes)})"
    if canonicals:
        wanted += f" OR url.url IN ({bulk.places(canonicals)})"
    if not pages:
        return []
    return _stored(
        f"""
        SELECT {_COLUMNS} FROM {_PAGES} WHERE ({wanted}) AND {_IS_KEPT} AND NOT {_IS_GONE}
        """,
        [*hashes, *canonicals, crawl.pk, crawl.pk],
    )


def copies_without_original(crawl: Crawl, urls: Sequence[int]) -> set[int]:
    """Return those of some URLs whose pages are copies of what is no longer kept, or is gone."""
    marked = FrontierEntry.objects.copies().filter(crawl=crawl, url_id__in=urls)
    keys = list(marked.values_list("url_id", flat=True))
    if not keys:
        return set()
    wanted = f"page.url_id IN ({bulk.places(keys)})"
    copies = _stored(f"SELECT {_COLUMNS} FROM {_PAGES} WHERE {wanted}", keys)
    originals = _possible_originals(crawl, copies)
    hashes, addresses = {one.content_hash for one in originals}, {one.url for one in originals}
    return {
        copy.key
        for copy in copies
        if copy.content_hash not in hashes and copy.canonical not in addresses
    }


def release_copies(crawl: Crawl, postings: Iterable[CrawlResult]) -> None:
    """Make the oldest copy of each kept page that is gone a page like any other.

    Whether it is kept is decided when the pages are judged again, as at the end of the run.
    """
    gone = [posting.claim.key for posting in postings if posting.reason is Reason.GONE]
    if not gone:
        return
    originals = _stored(
        f"SELECT {_COLUMNS} FROM {_PAGES}"
        f" WHERE page.url_id IN ({bulk.places(gone)}) AND {_IS_KEPT}",
        [*gone, crawl.pk],
    )
    entries = FrontierEntry.objects.filter(crawl=crawl)
    for original in originals:
        same = Q(content_hash=original.content_hash) | Q(canonical=original.key)
        pages = Page.objects.filter(same).exclude(pk=original.key)
        copies = entries.copies().filter(url_id__in=pages.values("pk")).order_by("pk")
        urls = list(copies.values_list("url_id", flat=True)[: bulk.MAX_VALUES])
        alone = copies_without_original(crawl, urls)
        if oldest := next((url for url in urls if url in alone), None):
            entries.filter(url_id=oldest).update(reason=Reason.FETCHED, detail="", stale=False)


def _latest(crawl: Crawl, templates: Collection[int]) -> dict[int, list[StoredPage]]:
    """The pages that were fetched last of each template."""
    latest: dict[int, list[StoredPage]] = {template: [] for template in templates}
    if not templates:
        return latest
    # One for each template, as a window over all its pages would read each of them.
    one = (
        f"SELECT url_id FROM {bulk.table(FrontierEntry)} WHERE crawl_id = %s AND template = %s"
        f" AND state = 'done' ORDER BY ended DESC, id DESC LIMIT {N_COMPARED}"
    )
    for some in bulk.chunks(sorted(templates), MAX_TEMPLATES):
        parts = " UNION ALL ".join([f"SELECT url_id FROM ({one}) latest"] * len(some))
        values = [value for template in some for value in (crawl.pk, template)]
        pages = f"SELECT {_COLUMNS} FROM {_PAGES} WHERE page.url_id IN ({parts})"
        for page in _stored(pages, values):
            latest.setdefault(template_key(page.url), []).append(page)
    return latest


def _stored(statement: str, values: Sequence[Any]) -> list[StoredPage]:
    return [
        StoredPage(key, url, hashed, as_unsigned(fingerprint), canonical or "")
        for key, url, hashed, fingerprint, canonical in bulk.select(statement, values)
    ]


def retire_copies(crawl: Crawl, run: Run, postings: Iterable[CrawlResult], now: datetime) -> None:
    """Let pages go that named one of these as their canonical address."""
    kept = {
        posting.claim.key: posting.page
        for posting in postings
        if posting.page is not None and posting.kept
    }
    keys = sorted(kept)
    if not keys:
        return
    candidates = _stored(
        f"""
        SELECT {_COLUMNS} FROM {_PAGES}
        WHERE page.canonical_id IN ({bulk.places(keys)}) AND {_IS_KEPT}
        """,
        [*keys, crawl.pk],
    )
    if not candidates:
        return
    originals = [stored_copy(key, page) for key, page in kept.items()]
    by_url = {original.url: original for original in originals}
    copies = [
        (copy, by_url[copy.canonical])
        for copy in candidates
        if copy.canonical in by_url and is_version_of(copy, by_url[copy.canonical])
    ]
    wanted = {key for key, good in decided_pages(crawl).items() if good}
    copies = [(copy, original) for copy, original in copies if copy.key not in wanted]
    if copies:
        _let_go(crawl, run, copies, now)


def _let_go(
    crawl: Crawl, run: Run, copies: Sequence[tuple[StoredPage, StoredPage]], now: datetime
) -> None:
    keys = [copy.key for copy, _ in copies]
    mine = Harvest.objects.filter(crawl=crawl, url_id__in=keys)
    n_of_run = mine.filter(run=run, kept=True).count()
    mine.update(kept=False)
    Run.objects.filter(pk=run.pk).update(kept=F("kept") - n_of_run)
    for copy, original in copies:
        FrontierEntry.objects.filter(crawl=crawl, url_id=copy.key).update(
            reason=Reason.DUPLICATE, detail=f"the same as {original.url}"[:MAX_DETAIL]
        )
    IndexOutbox.queue(keys, now)
