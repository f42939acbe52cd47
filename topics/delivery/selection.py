"""Choose the pages of an issue, and store them: the first step of the ledger."""

from datetime import datetime, timedelta

import msgspec
from django.db import transaction
from django.db.models import Q
from django.utils import translation

from crawler.api.ranking import Candidate, first_ranked, is_new_site
from crawler.api.tables import Harvest, HarvestQuerySet
from focusweb.failpoints import pass_point
from topics.delivery.confirmation import confirmed_address
from topics.delivery.coverage import coverage_of, is_notice_due
from topics.delivery.mime import one_line
from topics.delivery.plan import newest_slot
from topics.delivery.rendering import MAX_EXTRACT, MAX_WHY, IssueItem
from topics.models import Digest, DigestIssue, DigestItem, Topic
from topics.pages.news import in_order
from topics.pages.not_spam import fair_news
from topics.pages.opening import open_address_outside
from topics.pages.rows import shown_pages

#: Pages are considered again for so long. A page may have been on its way into the tables when the
#: last issue was made, have been left out for better ones, or have risen since.
AGAIN = timedelta(days=2)
MAX_CANDIDATES = 2000
MAX_ALSO = 5
#: Pages of one site in one issue, at most.
PER_SITE = 3


@transaction.atomic
def freeze(digest_pk: int, now: datetime) -> DigestIssue | None:
    """Make the issue of a digest that has come; None if another process was first.

    Issues that wait for the mail server are merged into it.
    """
    digest = Digest.objects.select_for_update().due(now).filter(pk=digest_pk).first()
    if digest is None:
        return None
    slot = newest_slot(digest.schedule(), digest.next_due, now)
    digest.plan_next(now)
    if digest.issues.filter(local_date=slot.local_date, slot=digest.at).exists():
        # A zone that skips a day, or a clock turned back: this day has had its issue.
        digest.save(update_fields=["next_due"])
        return None
    covers_from = _merge_waiting(digest, now)
    pages, n_more = choose_pages(digest, covers_from, now)
    is_empty = not pages and digest.skip_empty and not _breaks_silence(digest, covers_from, now)
    issue = DigestIssue.objects.create(
        digest=digest,
        local_date=slot.local_date,
        slot=digest.at,
        covers_from=covers_from,
        covers_until=now,
        n_more=n_more,
        created=now,
        state=DigestIssue.State.EMPTY if is_empty else DigestIssue.State.FROZEN,
        ended=now if is_empty else None,
        recipient=confirmed_address(digest.topic.owner),
    )
    _keep(issue, pages, now)
    digest.covered_until = now
    digest.save(update_fields=["next_due", "covered_until"])
    pass_point("digest.half")
    return issue


def _breaks_silence(digest: Digest, covers_from: datetime, now: datetime) -> bool:
    return is_notice_due(digest, coverage_of(digest, covers_from, now), now)


def choose_pages(digest: Digest, covers_from: datetime, now: datetime) -> tuple[list[Harvest], int]:
    """The pages an issue made now would hold, best first, and how many were left out."""
    topic = digest.topic
    if topic.crawl is None:
        return [], 0
    rows = (
        fair_news(topic, now)
        # A page has its story, and the score that counts, once its crawl has taken stock.
        .filter(first_seen__gt=covers_from - AGAIN, story__isnull=False)
        .exclude(pk__in=delivered_pages(digest).values("pk"))
        .one_per_story()
        .order_by("-score", "pk")
    )
    began = topic.crawl.baseline_end()
    columns = "pk", "url__site__domain", "url__site__first_seen"
    ranked = [
        Candidate(pk, domain, is_new_site(seen, began, now))
        for pk, domain, seen in rows.values_list(*columns)[:MAX_CANDIDATES]
    ]
    chosen = first_ranked(ranked, digest.max_items, per_site=PER_SITE)
    return in_order([one.key for one in chosen]), len(ranked) - len(chosen)


def issue_items(
    topic: Topic, pages: list[Harvest], language: str, now: datetime
) -> list[IssueItem]:
    """The items of an issue for some pages, in the language of a digest."""
    if topic.crawl is None:
        return []
    with translation.override(language):
        return [
            IssueItem(
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
            )
            for row in shown_pages(topic.crawl, pages, now)
        ]


def drop_old(issue: DigestIssue, now: datetime) -> bool:
    """Take out pages that are not news any more; True if there were any.

    An issue may wait for days: the age floor holds when it is sent, not only when it was made.
    """
    news = issue.digest.topic.news(now).order_by().values("url_id")
    old = issue.items.exclude(url_id__in=news)
    if not old.exists():
        return False
    is_empty = issue.digest.skip_empty and issue.items.count() == old.count()
    with transaction.atomic():
        moved = DigestIssue.objects.move(
            issue.pk,
            DigestIssue.WAITING,
            state=DigestIssue.State.EMPTY if is_empty else DigestIssue.State.FROZEN,
            ended=now if is_empty else None,
        )
        if moved:
            old.delete()
    return moved


def _merge_waiting(digest: Digest, now: datetime) -> datetime:
    """Give up issues that were never handed over; since when the next one covers."""
    waiting = digest.issues.filter(state__in=DigestIssue.WAITING, asked_again=False)
    starts = [digest.covered_until, *waiting.values_list("covers_from", flat=True)]
    waiting.update(state=DigestIssue.State.MERGED, ended=now)
    return min(starts)


def delivered_pages(digest: Digest) -> HarvestQuerySet:
    """Pages of the digest's topic that an issue delivered, and all others of their stories."""
    # By its number, not its relation: a digest in a preview may not be stored yet.
    rows = DigestIssue.objects.filter(digest=digest.pk).delivered()
    items = DigestItem.objects.filter(issue__in=rows)
    return Harvest.objects.filter(crawl__topic=digest.topic_id).filter(
        Q(url_id__in=items.values("url_id"))
        | Q(story__in=items.exclude(story=None).values("story_id"))
    )


def _keep(issue: DigestIssue, pages: list[Harvest], now: datetime) -> None:
    rows = issue_items(issue.digest.topic, pages, issue.digest.language, now)
    DigestItem.objects.bulk_create(
        DigestItem(
            issue=issue,
            url_id=page.url_id,
            story_id=page.story_id,
            position=position,
            shown=msgspec.to_builtins(shown),
        )
        for position, (page, shown) in enumerate(zip(pages, rows, strict=True))
    )
