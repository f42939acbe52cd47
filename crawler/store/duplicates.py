"""Recognise copies among the pages of a batch, and let the original stand for them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db.models import F, Q

from crawler.messages import CrawlResult, as_copy, with_user_label
from crawler.models import Crawl, FrontierEntry, Harvest, IndexOutbox, Page, Run, bulk
from crawler.models.frontier import MAX_DETAIL
from crawler.models.web import as_unsigned
from crawler.page.copies import (
    N_COMPARED,
    StoredPage,
    content_hash,
    find_original,
    honoured_canonical,
    is_repeat,
    is_version_of,
    stored,
)
from crawler.page.traps import template_key
from crawler.reasons import Reason
from crawler.store.labels import decided_pages

_COLUMNS = ("pk", "url__url", "content_hash", "fingerprint", "canonical__url")


def mark_copies(crawl: Crawl, postings: Sequence[CrawlResult]) -> list[CrawlResult]:
    """Mark the pages of a batch that are copies of kept pages, or nothing new of their kind.

    A person's word on a page comes first, and stands even for a copy.
    """
    decided = decided_pages(crawl)
    postings = [with_user_label(posting, decided.get(posting.claim.key)) for posting in postings]
    kept = _possible_originals(crawl, postings)
    seen: dict[int, list[StoredPage]] = {}
    settled = []
    for posting in postings:
        page, key = posting.page, posting.claim.key
        if page is None or posting.reason is not Reason.FETCHED:
            settled.append(posting)
            continue
        original = find_original(page, key, kept) if posting.kept else None
        if original is None and posting.kept:
            kept.append(stored(key, page))
        template = template_key(page.url)
        if template:
            if template not in seen:
                seen[template] = _latest(crawl, template)
            posting = replace(posting, stale=is_repeat(page, key, seen[template]))
            seen[template].append(stored(key, page))
        if original is not None:
            posting = with_user_label(as_copy(posting, original), decided.get(key))
        settled.append(posting)
    return settled


def _possible_originals(crawl: Crawl, postings: Iterable[CrawlResult]) -> list[StoredPage]:
    pages = [posting.page for posting in postings if posting.page is not None and posting.kept]
    hashes = {content_hash(page.text) for page in pages}
    canonicals = {honoured_canonical(page) for page in pages} - {""}
    if not pages:
        return []
    wanted = Q(content_hash__in=hashes)
    if canonicals:
        wanted |= Q(url__url__in=canonicals)
    kept = Harvest.objects.filter(crawl=crawl).kept().values("url_id")
    return _stored(Page.objects.filter(wanted, pk__in=kept))


def _latest(crawl: Crawl, template: int) -> list[StoredPage]:
    done = FrontierEntry.objects.filter(
        crawl=crawl, template=template, state=FrontierEntry.State.DONE
    ).order_by("-ended", "-pk")
    keys = list(done.values_list("url_id", flat=True)[:N_COMPARED])
    return _stored(Page.objects.filter(pk__in=keys))


def _stored(pages: Any) -> list[StoredPage]:
    return [
        StoredPage(key, url, hashed, as_unsigned(fingerprint), canonical or "")
        for key, url, hashed, fingerprint, canonical in pages.values_list(*_COLUMNS)
    ]


def retire_copies(crawl: Crawl, run: Run, postings: Iterable[CrawlResult], now: datetime) -> None:
    """Let pages go that named one of these as their canonical address."""
    originals = {
        posting.claim.key: stored(posting.claim.key, posting.page)
        for posting in postings
        if posting.page is not None and posting.kept
    }
    if not originals:
        return
    candidates = Page.objects.filter(canonical_id__in=list(originals)).filter(
        pk__in=Harvest.objects.filter(crawl=crawl).kept().values("url_id")
    )
    by_url = {original.url: original for original in originals.values()}
    copies = [
        (copy, by_url[copy.canonical])
        for copy in _stored(candidates)
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
    when = bulk.moment(now)
    bulk.insert(IndexOutbox, ("page_id", "queued"), [(key, when) for key in keys])
