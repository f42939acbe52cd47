"""Kept pages to look at again: those whose change is most likely and matters most."""

from datetime import datetime, timedelta

from crawler.agents.memo import REFRESH
from crawler.models import Crawl, Harvest, Page
from crawler.models.web import unpack_checks
from crawler.revisit.refresh import REFRESH_SHARE, Check, most_worth_a_look
from crawler.sources import ledger
from crawler.sources.base import Found, Inquiry
from crawler.sources.resting import resting

#: The best pages that are thought of, and how long each rests at least.
MAX_CONSIDERED = 5000
REST = timedelta(days=1)


class KnownPages:
    """Known pages, for at most a fifth of the run."""

    name = REFRESH

    def find(self, inquiry: Inquiry) -> Found:
        """Choose by importance, estimated rate of change and time since the last look."""
        crawl = Crawl.objects.get(pk=inquiry.crawl_id)
        n_pages = int(REFRESH_SHARE * crawl.settings.n_pages)
        chosen = most_worth_a_look(_rested(crawl, inquiry.now), n_pages)
        urls = dict(Page.objects.filter(pk__in=chosen).values_list("pk", "url__url"))
        return Found(tuple(urls[key] for key in chosen))


def _rested(crawl: Crawl, now: datetime) -> dict[int, tuple[float, list[Check], float]]:
    kept = Harvest.objects.filter(crawl=crawl, url__page__fetched__lt=now - REST).kept()
    # A source that failed rests, though it may have been kept as a page.
    kept = kept.exclude(url__url__in=resting(crawl, ledger.load(crawl), now))
    rows = kept.order_by("-score", "pk").values_list(
        "url_id", "score", "url__page__packed_checks", "url__page__fetched"
    )
    return {
        key: (score, unpack_checks(packed), (now - fetched) / timedelta(days=1))
        for key, score, packed, fetched in rows[:MAX_CONSIDERED]
    }
