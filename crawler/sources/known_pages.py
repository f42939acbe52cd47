"""Kept pages to visit again: those whose change is most likely and matters most."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q

from crawler.models import Crawl, FrontierEntry, Harvest, Page, bulk
from crawler.models.crawls import HarvestQuerySet
from crawler.models.web import unpack_checks
from crawler.reasons import Reason
from crawler.revisit.refresh import REFRESH_SHARE, PastVisit, best_to_revisit
from crawler.sources import registry
from crawler.sources.backoff import backing_off
from crawler.sources.base import Found, Inquiry
from crawler.strategies.link_notes import REFRESH

#: The best pages that are thought of, and how long each rests at least.
MAX_CONSIDERED = 5000
REST = timedelta(days=1)
#: A page stored whole that is not kept is read again from this share of the threshold on.
NEARLY = 0.5
#: Ends of a visit that gave a page, and of none so far.
WAS_READ = (Reason.FETCHED, Reason.UNCHANGED, Reason.DUPLICATE, "")


class KnownPages:
    """Known pages, for at most a fifth of the run; half of that for those stored whole."""

    name = REFRESH

    def find(self, inquiry: Inquiry) -> Found:
        """Choose by importance, estimated rate of change and time since the last look."""
        crawl = Crawl.objects.get(pk=inquiry.crawl_id)
        n_pages = int(REFRESH_SHARE * crawl.settings.n_pages)
        visited = _visited_before(crawl, inquiry.now)
        whole = to_read_again(crawl).filter(pk__in=visited.values("pk"))
        best = whole.order_by("-kept", "-score", "pk").values_list("url_id", flat=True)
        again = list(best[: (n_pages + 1) // 2])
        others = visited.kept().exclude(url_id__in=again)
        looks = _looks(crawl, others, inquiry.now)
        chosen = [*again, *best_to_revisit(looks, n_pages - len(again))]
        urls = dict(Page.objects.filter(pk__in=chosen).values_list("pk", "url__url"))
        return Found(tuple(urls[key] for key in chosen))


def to_read_again(crawl: Crawl) -> HarvestQuerySet:
    """Pages that were stored whole, before articles were found, and that a person may see.

    These are kept pages, and pages whose relevance, with or without thumbs, is at least `NEARLY`
    of what is needed: judged by its article, one of them may be kept. A thumb down leaves a page
    among them, as only kept pages are shown to be rated. All others are judged by all
    that stands on them until they are fetched again for another reason. A page that could not be
    read when it was last fetched stays as it is.
    """
    if not Page.objects.outdated().exists():
        return Harvest.objects.none()
    # The frontier answers this: reading the fetch times of the pages would pass over all their
    # text.
    looks = FrontierEntry.objects.filter(crawl=crawl, url=OuterRef("url"))
    in_vain = looks.exclude(reason__in=WAS_READ)
    outdated = Page.objects.outdated().values("pk")
    least = NEARLY * crawl.settings.threshold
    seen = Q(kept=True) | Q(relevance__gte=least) | Q(judge_relevance__gte=least)
    stored = Harvest.objects.filter(seen, crawl=crawl, url_id__in=outdated)
    return stored.exclude(Exists(in_vain))


def _visited_before(crawl: Crawl, now: datetime) -> HarvestQuerySet:
    """Pages that have rested."""
    rested = Harvest.objects.filter(crawl=crawl, url__page__fetched__lt=now - REST)
    # A source that failed rests, though it may have been kept as a page.
    return rested.exclude(url__url__in=backing_off(crawl, registry.load_sources(crawl), now))


def _looks(
    crawl: Crawl, kept: HarvestQuerySet, now: datetime
) -> dict[int, tuple[float, list[PastVisit], float]]:
    rows = kept.order_by("-score", "pk").values_list(
        "url_id", "score", "url__page__packed_checks", "url__page__fetched"
    )[:MAX_CONSIDERED]
    # A visit that brought no page counts, too: pages that are gone would come first for ever.
    ended: dict[int, datetime | None] = {}
    for some in bulk.chunks([key for key, *_ in rows]):
        entries = FrontierEntry.objects.filter(crawl=crawl, url_id__in=some)
        ended |= dict(entries.values_list("url_id", "ended"))
    looks = {}
    for key, score, packed, fetched in rows:
        rested = now - max(fetched, ended.get(key) or fetched)
        if rested >= REST:
            looks[key] = score, unpack_checks(packed), rested / timedelta(days=1)
    return looks
