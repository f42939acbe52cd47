"""What is tried though its links promise little: unknown sites, new ones, pages of hubs."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import Count, F, Max, Q, QuerySet

from crawler.models import Crawl, FrontierEntry, Harvest, Link, bulk
from crawler.page.url import canonical_url, site_of
from crawler.revisit.hubs import (
    HEARING,
    LEAST_PRAISED,
    LEAST_PRAISED_NEW,
    leads_elsewhere,
    n_exploration_visits,
    sites_to_explore,
)
from crawler.sources import registry
from crawler.sources.base import Found, Inquiry, each_once
from crawler.sources.new_sites import new_since


class Exploration:
    """Tries a few front pages, and pages of hubs' own sites, in every run but the first.

    What such a page is worth its link does not say: "All sites", or a mere name. If it leads
    to pages on topic it becomes a source.
    """

    name = "scouts"

    def find(self, inquiry: Inquiry) -> Found:
        """Choose what to try, a share of the run's pages."""
        crawl = Crawl.objects.get(pk=inquiry.crawl_id)
        n_most = n_exploration_visits(crawl.settings.n_pages)
        sources = registry.load_sources(crawl)
        hubs = [url for url, one in sources.items() if one.kind == registry.HUBS]
        fed = {site_of(url) for url, one in sources.items() if one.kind == registry.FEEDS}
        found = (
            *_pages_of_hubs(crawl, hubs)[:n_most],
            *_new_fronts(crawl, hubs, fed, inquiry.now, n_most),
            *_pages_of_new_sites(crawl, inquiry.now, n_most),
            *_front_pages(crawl, fed, n_most),
        )
        return Found(each_once(found)[:n_most])


def _new_fronts(
    crawl: Crawl, hubs: Collection[str], fed: Collection[str], now: datetime, n_most: int
) -> list[str]:
    """Front pages of new sites that one page on topic, or one list of links, names."""
    since = new_since(crawl, now)
    if since is None:
        return []
    kept = Harvest.objects.filter(crawl=crawl).kept().not_stuffed()
    good_links = Q(source_id__in=kept.values("url_id")) | Q(source__url__in=hubs)
    links = Link.objects.votes().filter(good_links, target__site__first_seen__gt=since)
    return _untried(crawl, links, fed, n_most, least=LEAST_PRAISED_NEW)


def _front_pages(crawl: Crawl, fed: Collection[str], n_most: int) -> list[str]:
    """Front pages of the sites with most in-links that were never fetched."""
    kept = Harvest.objects.filter(crawl=crawl).kept().not_stuffed()
    links = Link.objects.votes().filter(source_id__in=kept.values("url_id"))
    return _untried(crawl, links, fed, n_most, least=LEAST_PRAISED)


def _untried(
    crawl: Crawl, links: QuerySet[Link], fed: Collection[str], n_most: int, *, least: int
) -> list[str]:
    """Front pages that were never fetched, of the sites to which most of some links lead."""
    rows = (
        links.filter(target__site__stopped=False)
        .exclude(source__site__domain=F("target__site__domain"))
        .exclude(target__site__name__in=crawl.settings.blocked_sites)
        .values("target__site__name")
        .annotate(n=Count("source__site__domain", distinct=True), url=Max("target__url"))
        .filter(n__gte=least)
        .values_list("target__site__name", "n", "url")
    )
    # The last address by the alphabet is one with https, if the site has any.
    fronts = {site: (n, canonical_url("/", url)) for site, n, url in rows}
    entries_tried = FrontierEntry.objects.filter(crawl=crawl).exclude(state=FrontierEntry.State.NEW)
    tried = _those_among(entries_tried, [front for _, front in fronts.values()])
    known = {site for site, (_, front) in fronts.items() if front in tried} | set(fed)
    praise = {site: n for site, (n, _) in fronts.items()}
    return [fronts[site][1] for site in sites_to_explore(praise, known, n_most=n_most, least=least)]


def _pages_of_new_sites(crawl: Crawl, now: datetime, n_most: int) -> list[str]:
    """Of sites first seen lately, with few pages fetched: what waits, best first."""
    since, entries = new_since(crawl, now), FrontierEntry.objects.filter(crawl=crawl)
    if since is None:
        return []
    done = entries.filter(
        state=FrontierEntry.State.DONE,
        url__site__stopped=False,
        url__site__first_seen__gt=since,
    ).exclude(url__site__name__in=crawl.settings.blocked_sites)
    fetched = done.order_by().values("url__site").annotate(n=Count("pk")).filter(n__lt=HEARING)
    n_fetched = Counter(dict(fetched.values_list("url__site", "n")))
    waiting = entries.filter(url__site__in=list(n_fetched)).ready(now)
    chosen: list[str] = []
    for url, site in waiting.values_list("url__url", "url__site").iterator():
        if len(chosen) == n_most:
            break
        if n_fetched[site] < HEARING:
            n_fetched[site] += 1
            chosen.append(url)
    return chosen


def _pages_of_hubs(crawl: Crawl, hubs: Collection[str]) -> list[str]:
    """What hubs link to on their own sites, and waits."""
    targets: dict[str, list[str]] = defaultdict(list)
    links = Link.objects.filter(source__url__in=hubs).order_by("source_id", "target_id")
    for hub, target in links.values_list("source__url", "target__url"):
        targets[hub].append(target)
    own = [
        url
        for hub, found in targets.items()
        if leads_elsewhere(hub, found)
        for url in found
        if site_of(url) == site_of(hub)
    ]
    waiting = FrontierEntry.objects.filter(crawl=crawl, state=FrontierEntry.State.NEW)
    still = _those_among(waiting, own)
    return [url for url in own if url in still]


def _those_among(entries: QuerySet[FrontierEntry], urls: Sequence[str]) -> set[str]:
    """The addresses of some entries, among some addresses: there may be many."""
    return {
        url
        for some in bulk.chunks(urls)
        for url in entries.filter(url__url__in=some).values_list("url__url", flat=True)
    }
