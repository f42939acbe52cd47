"""The stored pages of a crawl, and which of them are kept."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler.judging.keeping import is_kept
from crawler.knowledge.profile import CrawlSettings
from crawler.models import Crawl, FrontierEntry, Harvest
from crawler.page.parsed import is_listing
from crawler.store.labels import LabelledPage, decisions_of
from crawler.strategies.link_notes import unpack_notes


def stored_pages(crawl: Crawl) -> list[dict[str, Any]]:
    """Return the columns of each stored page that judging it again needs, the oldest first."""
    columns = [
        "pk",
        "url_id",
        "kept",
        "judge_relevance",
        "relevance",
        "score",
        "content_value",
        "trust",
        "density",
        "n_linking_sites",
        "link_value",
        "link_scale",
        "first_seen",
        "url__page__noindex",
        "url__page__flags",
        "url__page__title",
        "url__url",
        "url__site__name",
    ]
    harvests = Harvest.objects.filter(crawl=crawl, url__page__isnull=False)
    return list(harvests.order_by("pk").values(*columns))


class StoredKeeping:
    """Which pages of a crawl are kept, with some labels."""

    def __init__(
        self, crawl: Crawl, settings: CrawlSettings, labels: Sequence[LabelledPage]
    ) -> None:
        self._threshold, self._blocked = settings.threshold, settings.blocked_sites
        self._decided, self._copies = decisions_of(labels), _copies(crawl)
        self._by_order = _kept_by_order(crawl)

    def kept(self, rows: Sequence[dict[str, Any]], found: NDArray[np.float64]) -> NDArray[np.bool_]:
        """True for each page that is kept with this relevance, shape (n_rows,)."""
        kept = np.zeros(len(rows), np.bool_)
        for place, (row, relevance) in enumerate(zip(rows, found.tolist(), strict=True)):
            url = row["url_id"]
            kept[place] = is_kept(
                relevance,
                self._threshold,
                forced=url in self._by_order,
                copy=url in self._copies,
                hidden=row["url__page__noindex"]
                or row["url__site__name"] in self._blocked
                or is_listing(row["url__page__flags"].split(",")),
                label=self._decided.get(url),
            )
        return kept


def _kept_by_order(crawl: Crawl) -> frozenset[int]:
    """URLs whose pages the strategy keeps whatever the judge says."""
    done = FrontierEntry.objects.filter(crawl=crawl, state=FrontierEntry.State.DONE)
    memos = done.exclude(memo=b"").values_list("url_id", "memo")
    return frozenset(url for url, memo in memos if unpack_notes(memo).get("keep"))


def _copies(crawl: Crawl) -> frozenset[int]:
    """URLs whose pages are stored under another address already."""
    copies = FrontierEntry.objects.filter(crawl=crawl).copies()
    return frozenset(copies.values_list("url_id", flat=True))
