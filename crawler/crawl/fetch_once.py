"""Fetch one page outside any crawl, with the same politeness; the page is not stored."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from crawler.crawl.collector import FetchOutcome, PageSource
from crawler.fetch.config import MAX_REDIRECTS
from crawler.messages import Batch, CrawlResult, FetchItem
from crawler.models import Site
from crawler.models.web import HOLD
from crawler.page.url import site_of
from crawler.reasons import Reason
from crawler.store.frontier.politeness import charge, let_go, site_state

#: Longest wait for a site that rests, and for its answer.
PATIENCE = timedelta(seconds=45)


def fetch_one(
    url: str, source: PageSource, owner: str, clock: Callable[[], datetime]
) -> FetchOutcome | None:
    """Fetch one page and follow its redirects.

    Parameters
    ----------
    url : str
        Canonical.
    owner : str
        Who holds the page's site meanwhile.

    Returns
    -------
    FetchOutcome or None
        None while another process holds the site or the site rests for long: try again later.
    """
    answer = _request(url, source, owner, clock)
    for _ in range(MAX_REDIRECTS):
        if answer is None or not answer.redirect_to:
            return answer
        answer = _request(answer.redirect_to, source, owner, clock)
    if answer is not None and answer.redirect_to:
        return replace(answer, reason=Reason.TOO_MANY_REDIRECTS, redirect_to="")
    return answer


def _request(
    url: str, source: PageSource, owner: str, clock: Callable[[], datetime]
) -> FetchOutcome | None:
    now, name = clock(), site_of(url)
    site = Site.objects.of_url(url, now)
    if site.stopped:
        return FetchOutcome(FetchItem(0, url, name), None, Reason.SITE_STOPPED)
    # Filtering on the hold turns the update into a lock.
    free = Site.objects.filter(pk=site.pk).free(now)
    if not free.update(held_by=owner, held_until=now + HOLD):
        return None
    site.refresh_from_db()
    work = Batch(0, owner, now + HOLD, (FetchItem(0, url, name),), {name: site_state(site, now)})
    try:
        answers = list(source.answers(work, until=now + PATIENCE, stopping=lambda: False))
        charge([CrawlResult(a.claim, a.reason, n_bytes=a.n_bytes) for a in answers], clock())
    finally:
        let_go([source.sites().get(name, work.sites[name])], owner, clock())
    return answers[0] if answers else None
