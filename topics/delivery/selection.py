"""Choose the pages of an issue, and store them: the first step of the ledger."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from django.db.models import Q
from django.utils import translation

from focusweb.database import write_transaction
from focusweb.failpoints import pass_point
from topics.delivery import digest_extras
from topics.delivery.confirmation import confirmed_address
from topics.delivery.coverage import coverage_of, is_notice_due, waited_long
from topics.delivery.mime import MAX_EXTRACT, MAX_WHY, one_line
from topics.delivery.plan import newest_slot
from topics.delivery.rendering import IssueItem
from topics.delivery.sections import Choice, ChosenPage, choose_pages, topics_of_digest
from topics.models import Delivery, Digest, DigestIssue, DigestItem
from topics.pages.opening import open_address_outside
from topics.pages.rows import ShownPage, rows_of_crawls

MAX_ALSO = 5


@write_transaction()
def freeze(digest_pk: int, now: datetime) -> DigestIssue | None:
    """Make the issue of a digest that has come; None if another process was first.

    Issues that wait for the mail server are merged into it.
    """
    digest = Digest.objects.select_for_update().due(now).filter(pk=digest_pk).first()
    if digest is None:
        return None
    slot = newest_slot(digest.schedule(), digest.next_due, now)
    digest.plan_next(now)
    if digest.issues.filter(local_date=slot.local_date, slot=slot.at).exists():
        # A zone that skips a day, or a clock turned back: this day has had its issue.
        digest.save(update_fields=["next_due"])
        return None
    covers_from = _merge_waiting(digest, now)
    choice = choose_pages(digest, covers_from, now)
    parts = digest_extras.parts_of(digest, choice.pages, covers_from, now)
    n_found = len(choice.pages) + digest_extras.n_changes(parts)
    state = DigestIssue.State.FROZEN
    if not n_found and digest.skip_empty and not _breaks_silence(digest, covers_from, now):
        state = DigestIssue.State.EMPTY
    elif 0 < n_found < digest.min_items and not waited_long(digest, covers_from, now):
        # Its pages wait for more: the next issue covers the same time and what comes until then.
        state, choice, parts = DigestIssue.State.HELD, Choice(n_more=n_found), []
    issue = DigestIssue.objects.create(
        digest=digest,
        local_date=slot.local_date,
        slot=slot.at,
        covers_from=covers_from,
        covers_until=now,
        n_more=choice.n_more,
        n_of_full_sites=choice.n_of_full_sites,
        created=now,
        besides=msgspec.to_builtins(parts),
        state=state,
        ended=None if state == DigestIssue.State.FROZEN else now,
        recipient=confirmed_address(digest.topic.owner),
    )
    _keep(issue, choice.pages, now)
    digest.covered_until = covers_from if state == DigestIssue.State.HELD else now
    digest.save(update_fields=["next_due", "covered_until"])
    pass_point("digest.half")
    return issue


def _breaks_silence(digest: Digest, covers_from: datetime, now: datetime) -> bool:
    return is_notice_due(digest, coverage_of(digest, covers_from, now), now)


def issue_items(pages: Sequence[ChosenPage], language: str, now: datetime) -> list[IssueItem]:
    """Return the items of an issue for some pages, in their order, in the language of a digest."""
    with translation.override(language):
        shown = rows_of_crawls(((page.topic.crawl, page.harvest) for page in pages), now)
        return [
            _item(shown[page.harvest.pk], page.section)
            for page in pages
            if page.harvest.pk in shown
        ]


def _item(row: ShownPage, section: str) -> IssueItem:
    return IssueItem(
        title=one_line(row.title),
        url=open_address_outside(row.harvest.url.url),
        site=row.site.name,
        why=one_line(row.why, MAX_WHY),
        first_seen=row.first_seen,
        published=row.published,
        new_site=row.new_site,
        also=tuple(other.url.site.name for other in row.also[:MAX_ALSO]),
        extract=one_line(str(row.extract), MAX_EXTRACT),
        lang=row.harvest.page.language,
        has_article=row.harvest.page.has_article,
        section=one_line(section),
        score=row.harvest.score,
    )


def drop_old(issue: DigestIssue, now: datetime) -> bool:
    """Take out pages that are not news any more; True if there were any.

    An issue may wait for days: the age floor holds when it is sent, not only when it was made.
    """
    news = Q()
    for topic in topics_of_digest(issue.digest):
        news |= Q(url_id__in=topic.news(now).order_by().values("url_id"))
    old = issue.items.exclude(news)
    if not old.exists():
        return False
    # Copies have no changes of watched pages: without news nothing is left to send in them.
    copies_end = issue.digest.skip_empty and issue.items.count() == old.count()
    is_empty = copies_end and not digest_extras.n_changes(digest_extras.restored(issue.besides))
    with write_transaction():
        moved = DigestIssue.objects.move(
            issue.pk,
            DigestIssue.WAITING,
            state=DigestIssue.State.EMPTY if is_empty else DigestIssue.State.FROZEN,
            ended=now if is_empty else None,
        )
        if moved:
            old.delete()
            if copies_end:
                waiting = issue.copies.filter(state__in=issue.WAITING)
                waiting.update(state=DigestIssue.State.EMPTY, ended=now)
    return moved


def _merge_waiting(digest: Digest, now: datetime) -> datetime:
    """Give up issues that were never handed over; since when the next one covers.

    One of which a channel has a copy is not given up: its pages must not come twice.
    """
    waiting = digest.issues.filter(state__in=DigestIssue.WAITING, asked_again=False)
    held = waiting.filter(copies__state__in=DigestIssue.GONE_OUT)
    merged = list(waiting.exclude(pk__in=held.values("pk")))
    ended = {"state": DigestIssue.State.MERGED, "ended": now}
    # The pages of an issue that failed come again too, so no copy of it may bring them later.
    failed = digest.issues.filter(
        state=DigestIssue.State.FAILED, covers_from__gte=digest.covered_until
    ).exclude(copies__state__in=DigestIssue.GONE_OUT)
    covered = [*merged, *failed]
    Delivery.objects.filter(issue__in=covered, state__in=Delivery.WAITING).update(**ended)
    digest.issues.filter(pk__in=[issue.pk for issue in merged]).update(**ended)
    return min([digest.covered_until, *(issue.covers_from for issue in merged)])


def _keep(issue: DigestIssue, pages: Sequence[ChosenPage], now: datetime) -> None:
    rows = issue_items(pages, issue.digest.language, now)
    DigestItem.objects.bulk_create(
        DigestItem(
            issue=issue,
            url_id=page.harvest.url_id,
            story_id=page.harvest.story_id,
            topic=page.topic,
            position=position,
            shown=msgspec.to_builtins(shown),
        )
        for position, (page, shown) in enumerate(zip(pages, rows, strict=True))
    )
