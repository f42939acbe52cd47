"""Write a batch of a collector's results into tables, inside the caller's transaction."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from crawler.messages import CrawlResult
from crawler.models import Crawl, FrontierEntry, Harvest, IndexOutbox, Link, Run, bulk
from crawler.models.frontier import MAX_DETAIL
from crawler.models.web import EPOCH
from crawler.page.duplicates.copies import honoured_canonical
from crawler.page.traps import template_key
from crawler.page.url import site_of
from crawler.ranking.explain import explain
from crawler.ranking.link_age import found_day
from crawler.reasons import Reason
from crawler.sources.feeds import note_feeds
from crawler.sources.new_sites import new_fronts_among
from crawler.store.baseline import FirstVisit, first_visits
from crawler.store.dates import note_listed
from crawler.store.duplicates import mark_copies, release_copies, retire_copies
from crawler.store.frontier.addresses import AddressBook
from crawler.store.frontier.enqueue import NewEntry, enqueue_links, put_last
from crawler.store.frontier.politeness import charge, stopped_sites
from crawler.store.frontier.revisits import is_unchanged, note_unchanged
from crawler.store.pages import write_pages
from crawler.strategies.base import Rating
from focusweb.failpoints import pass_point

State = FrontierEntry.State


def write_results(
    crawl: Crawl,
    run: Run,
    assignment: int,
    book: AddressBook,
    postings: Sequence[CrawlResult],
    now: datetime,
) -> None:
    """Keep pages, links, frontier changes, harvests, outbox rows and the run's counts."""
    postings = _without_stopped_sites(_still_held(assignment, postings))
    urls = {link.url: link.site for posting in postings for link in posting.links}
    urls |= {url: site_of(url) for posting in postings for url in _other_addresses(posting)}
    numbers = book.numbers(urls, now)
    postings = mark_copies(crawl, postings)
    with_page = [posting for posting in postings if posting.page is not None]
    write_pages(crawl, with_page, numbers, now)
    pass_point("page.inserted")
    looks = first_visits(crawl, run, [posting.claim.key for posting in with_page], now)
    _write_links(with_page, numbers, looks, now)
    _write_harvests(crawl, run, with_page, looks, now)
    _end_entries(crawl, run, assignment, postings, numbers, now)
    release_copies(crawl, postings)
    note_unchanged(crawl, postings, now)
    n_full = enqueue_links(crawl, run, _entering(postings, numbers), now)
    note_listed(crawl, with_page, numbers, now)
    put_last(crawl, run, {template_key(posting.claim.url) for posting in with_page})
    IndexOutbox.queue((posting.claim.key for posting in with_page), now)
    _note_feeds(crawl, with_page, now)
    charge(postings, now)
    _count(run, postings, n_full, now)
    retire_copies(crawl, run, postings, now)


def _note_feeds(crawl: Crawl, postings: Sequence[CrawlResult], now: datetime) -> None:
    """Remember the feeds of kept pages, and of new sites whatever their front pages show."""
    naming = [posting for posting in postings if posting.page and posting.page.feeds]
    others = [posting.claim.url for posting in naming if not posting.kept]
    fronts = new_fronts_among(crawl, others, now)
    pages = [one.page for one in naming if one.page and (one.kept or one.claim.url in fronts)]
    note_feeds(crawl, pages, now)


def _still_held(assignment: int, postings: Sequence[CrawlResult]) -> list[CrawlResult]:
    """Leave out what was taken from the frontier meanwhile: its site was removed."""
    rows = bulk.select(
        f"SELECT url_id FROM {bulk.table(FrontierEntry)}"
        " WHERE assignment_id = %s AND state = 'leased'",
        [assignment],
    )
    held = {key for (key,) in rows}
    return [posting for posting in postings if posting.claim.key in held]


def _without_stopped_sites(postings: Sequence[CrawlResult]) -> list[CrawlResult]:
    """Enter nothing of sites that are to be left alone; a redirect to one ends there."""
    stopped = stopped_sites()
    if not stopped:
        return list(postings)
    kept = []
    for posting in postings:
        if posting.redirect_to and site_of(posting.redirect_to) in stopped:
            detail = f"leads to {posting.redirect_to}"
            kept.append(CrawlResult(posting.claim, Reason.SITE_STOPPED, detail))
            continue
        links = [link for link in posting.links if link.site not in stopped]
        kept.append(replace(posting, links=links))
    return kept


def _other_addresses(posting: CrawlResult) -> Iterable[str]:
    """Addresses besides its links that a posting puts into the frontier."""
    if posting.redirect_to:
        yield posting.redirect_to
    if posting.page is not None and (canonical := honoured_canonical(posting.page)):
        yield canonical


_HARVEST_FIELDS = (
    "crawl_id",
    "url_id",
    "run_id",
    "kept",
    "relevance",
    "content_value",
    "link_value",
    "score",
    "n_linking_sites",
    "link_scale",
    "trust",
    "density",
    "explanation",
    "first_seen",
    "published",
    "baseline",
    "judge_relevance",
)


def _entering(postings: Sequence[CrawlResult], numbers: Mapping[str, int]) -> Iterable[NewEntry]:
    for posting in postings:
        claim = posting.claim
        for link in posting.links:
            if link.rating is not None:
                template = template_key(link.url)
                yield NewEntry(
                    numbers[link.url], claim.key, link.rating, link.depth_hops, template=template
                )
        if posting.redirect_rating is not None:
            target, hops = numbers[posting.redirect_to], claim.redirect_hops + 1
            yield NewEntry(target, claim.key, posting.redirect_rating, claim.depth_hops, hops)
        if posting.page is not None and (canonical := honoured_canonical(posting.page)):
            rating = Rating(claim.priority, memo=claim.memo, keep=claim.keep)
            yield NewEntry(numbers[canonical], claim.key, rating, claim.depth_hops)


def _write_links(
    postings: Sequence[CrawlResult],
    numbers: Mapping[str, int],
    looks: Mapping[int, FirstVisit],
    now: datetime,
) -> None:
    rows = {}
    for posting in postings:
        look = looks[posting.claim.key]
        day = found_day(look.published, now, first_look=look.is_first, baseline=look.was_there)
        for link in posting.links:
            rows[posting.claim.key, numbers[link.url]] = day, link.in_frame
    links = bulk.table(Link)
    bulk.insert(
        Link,
        ("source_id", "target_id", "found_day", "in_frame"),
        [(*ends, *found) for ends, found in sorted(rows.items())],
        # Where it stands is as of the last look; when it was found stays.
        conflict="ON CONFLICT (source_id, target_id) DO UPDATE SET in_frame = excluded.in_frame"
        f" WHERE COALESCE({links}.in_frame, NOT excluded.in_frame) <> excluded.in_frame",
    )


def _write_harvests(
    crawl: Crawl,
    run: Run,
    postings: Sequence[CrawlResult],
    looks: Mapping[int, FirstVisit],
    now: datetime,
) -> None:
    when, settings = bulk.moment_parameter(now), crawl.settings
    rows = []
    for posting in postings:
        score, verdict = posting.score, posting.verdict
        if score is None or verdict is None:
            continue
        reason, look = explain(score, verdict, settings), looks[posting.claim.key]
        rows.append(
            (
                crawl.pk,
                posting.claim.key,
                run.pk,
                posting.kept,
                verdict.relevance,
                score.content.value,
                score.link_value,
                score.value,
                score.n_sites,
                score.scale,
                score.content.trust,
                score.content.density,
                bulk.json_value(reason),
                when,
                bulk.moment_parameter(look.published),
                look.was_there,
                posting.judge_relevance,
            )
        )
    renewed = ", ".join(
        f"{name} = excluded.{name}"
        for name in (
            "run_id",
            "kept",
            "relevance",
            "judge_relevance",
            "content_value",
            "trust",
            "density",
            "score",
            "explanation",
            "published",
        )
    )
    bulk.insert(
        Harvest,
        _HARVEST_FIELDS,
        rows,
        conflict=f"ON CONFLICT (crawl_id, url_id) DO UPDATE SET {renewed}",
    )


def _end_entries(
    crawl: Crawl,
    run: Run,
    assignment: int,
    postings: Sequence[CrawlResult],
    numbers: Mapping[str, int],
    now: datetime,
) -> None:
    when, epoch = bulk.moment_parameter(now), bulk.moment_parameter(EPOCH)
    rows = []
    for posting in postings:
        ended = posting.retry_at is None
        state = State.NEW if not ended else State.FAILED
        if posting.page is not None or posting.redirect_to or is_unchanged(posting):
            state = State.DONE
        rows.append(
            (
                state,
                posting.reason,
                posting.detail[:MAX_DETAIL],
                numbers.get(posting.redirect_to),
                bulk.moment_parameter(posting.retry_at) or epoch,
                when if ended else None,
                run.pk,
                assignment if ended else None,
                int(posting.reason is not Reason.SITE_BUDGET),
                posting.page is not None,
                posting.stale,
                crawl.pk,
                posting.claim.key,
            )
        )
    bulk.execute_many(
        f"UPDATE {bulk.table(FrontierEntry)} SET state = %s, reason = %s, detail = %s,"
        " redirects_to_id = %s, not_before = %s, ended = %s, run_id = %s, assignment_id = %s,"
        # Whoever posts has survived it.
        " attempts = attempts + %s, crashes = 0, trials = 0,"
        # A copy that was not read this time is still one, see `is_copy`.
        " stale = CASE WHEN %s THEN %s"
        " ELSE reason = 'duplicate' OR (stale AND reason <> 'fetched') END"
        " WHERE crawl_id = %s AND url_id = %s AND state = 'leased'",
        rows,
    )


def _count(run: Run, postings: Sequence[CrawlResult], n_full: int, now: datetime) -> None:
    n_traps = n_full + sum(posting.n_traps for posting in postings)
    fetched = sum(posting.page is not None or is_unchanged(posting) for posting in postings)
    redirected = sum(bool(posting.redirect_to) for posting in postings)
    [(last_url, counted)] = bulk.select(
        f"SELECT last_url, reasons FROM {bulk.table(Run)} WHERE id = %s", [run.pk]
    )
    reasons = Counter(json.loads(counted))
    reasons.update(str(posting.reason) for posting in postings)
    if n_traps:
        reasons[str(Reason.TRAP)] += n_traps
    bulk.execute(
        f"UPDATE {bulk.table(Run)} SET fetched = fetched + %s, kept = kept + %s,"
        " failed = failed + %s, n_bytes = n_bytes + %s, links_dropped = links_dropped + %s,"
        " reasons = %s, last_url = %s, progress_at = %s WHERE id = %s",
        [
            fetched,
            sum(posting.kept for posting in postings),
            len(postings) - fetched - redirected,
            sum(posting.n_bytes for posting in postings),
            n_traps + sum(posting.n_dropped for posting in postings),
            bulk.json_value(dict(reasons)),
            postings[-1].claim.url if postings else last_url,
            bulk.moment_parameter(now),
            run.pk,
        ],
    )
