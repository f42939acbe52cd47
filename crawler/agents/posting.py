"""Write a batch of a collector's results into tables, inside the caller's transaction."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any

from django.db import connection
from django.db.models import F

from crawler.agents import bulk
from crawler.agents.addresses import AddressBook
from crawler.agents.blackboard import Posting
from crawler.agents.memo import pack_memo
from crawler.models import Crawl, FrontierEntry, Harvest, IndexOutbox, Link, Page, Run
from crawler.models.web import EPOCH, pack_terms, pack_text
from crawler.page.parsed import ParsedPage
from crawler.page.url import site_of
from crawler.ranking.explain import explain
from crawler.strategies.base import Rating

State = FrontierEntry.State

#: A link to enter: URL number, parent's number, rating, depth, redirect hops.
Entering = tuple[int, int | None, Rating, int, int]


def write_postings(
    crawl: Crawl,
    run: Run,
    assignment: int,
    book: AddressBook,
    postings: Sequence[Posting],
    now: datetime,
) -> None:
    """Keep pages, links, frontier changes, harvests, outbox rows and the run's counts."""
    urls = {link.url: link.site for posting in postings for link in posting.links}
    urls |= {p.redirect_to: site_of(p.redirect_to) for p in postings if p.redirect_to}
    numbers = book.numbers(urls, now)
    with_page = [posting for posting in postings if posting.page is not None]
    _write_pages(with_page, now)
    _write_links(with_page, numbers)
    _write_harvests(crawl, run, with_page, now)
    _end_entries(crawl, run, assignment, postings, now)
    enter_links(crawl, run, _entering(postings, numbers), now)
    when = bulk.moment(now)
    bulk.insert(
        IndexOutbox, ("page_id", "queued"), [(posting.claim.key, when) for posting in with_page]
    )
    _count(run, postings, now)


def enter_links(crawl: Crawl, run: Run, links: Iterable[Entering], now: datetime) -> None:
    """Put URLs into the frontier; one that waits already keeps its better rating."""
    best: dict[int, Entering] = {}
    for link in links:
        known = best.get(link[0])
        if known is None or link[2].priority > known[2].priority:
            best[link[0]] = link
    when, epoch = bulk.moment(now), bulk.moment(EPOCH)
    rows = [
        (crawl.pk, key, parent, run.pk, State.NEW, "", "", rating.priority, depth, hops,
         pack_memo(rating), 0, 0, epoch, when, False)
        for key, parent, rating, depth, hops in sorted(best.values(), key=_by_number)
    ]  # fmt: skip
    entries = bulk.table(FrontierEntry)
    bulk.insert(
        FrontierEntry, _ENTRY_FIELDS, rows,
        conflict="ON CONFLICT (crawl_id, url_id) DO UPDATE SET"
        " priority = excluded.priority, parent_id = excluded.parent_id,"
        " depth_hops = excluded.depth_hops, memo = excluded.memo"
        f" WHERE {entries}.state = 'new' AND excluded.priority > {entries}.priority",
    )  # fmt: skip


_ENTRY_FIELDS = (
    "crawl_id", "url_id", "parent_id", "run_id", "state", "reason", "detail", "priority",
    "depth_hops", "redirect_hops", "memo", "attempts", "crashes", "not_before", "found",
    "integrated",
)  # fmt: skip
_PAGE_FIELDS = (
    "url_id", "title", "language", "charset", "packed_text", "packed_terms", "fingerprint",
    "content_hash", "noindex", "flags", "etag", "last_modified", "first_fetched", "fetched",
    "changed", "n_fetches",
)  # fmt: skip
_HARVEST_FIELDS = (
    "crawl_id", "url_id", "run_id", "kept", "relevance", "content_value", "link_value", "score",
    "n_linking_sites", "explanation", "first_seen",
)  # fmt: skip


def _by_number(link: Entering) -> int:
    return link[0]


def _entering(postings: Sequence[Posting], numbers: Mapping[str, int]) -> Iterable[Entering]:
    for posting in postings:
        claim = posting.claim
        for link in posting.links:
            if link.rating is not None:
                yield numbers[link.url], claim.key, link.rating, link.depth_hops, 0
        if posting.redirect_rating is not None:
            target, hops = numbers[posting.redirect_to], claim.redirect_hops + 1
            yield target, claim.key, posting.redirect_rating, claim.depth_hops, hops


def _write_pages(postings: Sequence[Posting], now: datetime) -> None:
    when = bulk.moment(now)
    rows = [_page_row(posting, posting.page, when) for posting in postings if posting.page]
    pages = bulk.table(Page)
    kept = ("url_id", "first_fetched", "changed", "n_fetches")
    renewed = ", ".join(f"{name} = excluded.{name}" for name in _PAGE_FIELDS if name not in kept)
    bulk.insert(
        Page, _PAGE_FIELDS, rows,
        conflict=f"ON CONFLICT (url_id) DO UPDATE SET {renewed}, n_fetches = {pages}.n_fetches + 1,"
        f" changed = CASE WHEN {pages}.content_hash = excluded.content_hash"
        f" THEN {pages}.changed ELSE excluded.changed END",
    )  # fmt: skip


def _page_row(posting: Posting, page: ParsedPage, when: Any) -> tuple[Any, ...]:
    headers = posting.headers
    return (
        posting.claim.key, page.title[:300], page.language, page.charset, pack_text(page.text),
        pack_terms(page.terms), _signed(page.fingerprint), content_hash(page.text), page.noindex,
        ",".join(page.flags)[:120], headers.get("etag", "")[:200],
        headers.get("last-modified", "")[:60], when, when, when, 1,
    )  # fmt: skip


def content_hash(text: str) -> str:
    """A short hash of a page's text, to tell whether it changed."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _signed(fingerprint: int) -> int:
    """64 unsigned bits as the signed number a database column holds."""
    return fingerprint - (1 << 64) if fingerprint >= 1 << 63 else fingerprint


def _write_links(postings: Sequence[Posting], numbers: Mapping[str, int]) -> None:
    pairs = {
        (posting.claim.key, numbers[link.url]) for posting in postings for link in posting.links
    }
    bulk.insert(Link, ("source_id", "target_id"), sorted(pairs))


def _write_harvests(crawl: Crawl, run: Run, postings: Sequence[Posting], now: datetime) -> None:
    adapt, when = connection.ops.adapt_json_value, bulk.moment(now)
    rows = []
    for posting in postings:
        score, verdict = posting.score, posting.verdict
        if score is None or verdict is None:
            continue
        reason = explain(score, verdict, crawl.settings)
        rows.append(
            (crawl.pk, posting.claim.key, run.pk, posting.kept, verdict.relevance,
             score.content.value, score.link_value, score.value, score.n_sites,
             adapt(reason, None), when)
        )  # fmt: skip
    renewed = ", ".join(
        f"{name} = excluded.{name}"
        for name in ("run_id", "kept", "relevance", "content_value", "score", "explanation")
    )
    bulk.insert(
        Harvest, _HARVEST_FIELDS, rows,
        conflict=f"ON CONFLICT (crawl_id, url_id) DO UPDATE SET {renewed}",
    )  # fmt: skip


def _end_entries(
    crawl: Crawl, run: Run, assignment: int, postings: Sequence[Posting], now: datetime
) -> None:
    when, epoch = bulk.moment(now), bulk.moment(EPOCH)
    rows = []
    for posting in postings:
        ended = posting.retry_at is None
        state = State.NEW if not ended else State.FAILED
        if posting.page is not None or posting.redirect_to:
            state = State.DONE
        rows.append(
            (state, posting.reason, posting.detail[:300], bulk.moment(posting.retry_at) or epoch,
             when if ended else None, run.pk, None if not ended else assignment, crawl.pk,
             posting.claim.key)
        )  # fmt: skip
    bulk.execute_many(
        f"UPDATE {bulk.table(FrontierEntry)} SET state = %s, reason = %s, detail = %s,"
        " not_before = %s, ended = %s, run_id = %s, assignment_id = %s, attempts = attempts + 1"
        " WHERE crawl_id = %s AND url_id = %s AND state = 'leased'",
        rows,
    )


def _count(run: Run, postings: Sequence[Posting], now: datetime) -> None:
    fetched = sum(posting.page is not None for posting in postings)
    redirected = sum(bool(posting.redirect_to) for posting in postings)
    row = Run.objects.get(pk=run.pk)
    reasons = Counter(row.reasons)
    reasons.update(str(posting.reason) for posting in postings)
    Run.objects.filter(pk=run.pk).update(
        fetched=F("fetched") + fetched,
        kept=F("kept") + sum(posting.kept for posting in postings),
        failed=F("failed") + len(postings) - fetched - redirected,
        n_bytes=F("n_bytes") + sum(posting.n_bytes for posting in postings),
        links_dropped=F("links_dropped") + sum(posting.n_dropped for posting in postings),
        reasons=dict(reasons),
        last_url=postings[-1].claim.url,
        progress_at=now,
    )
