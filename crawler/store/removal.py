"""Stop a site and delete its content when its owner requests it."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from crawler.models import (
    Crawl,
    FrontierEntry,
    Harvest,
    IndexOutbox,
    Link,
    Page,
    Site,
    SiteLines,
    Url,
)
from crawler.reasons import Reason
from focusweb.database import write_transaction

State = FrontierEntry.State
#: Pages, or rows of one table, that one transaction deletes.
PIECE = 500


@dataclass(frozen=True, slots=True)
class Removed:
    """What was taken out.

    Attributes
    ----------
    pages : tuple of int
        Numbers of the pages.
    n_urls : int
        Addresses, with or without a page.
    """

    pages: tuple[int, ...]
    n_urls: int


def stop_site(site: Site, now: datetime, reason: Reason = Reason.SITE_STOPPED) -> int:
    """Never contact a site again; how many waiting URLs that ended, for this reason.

    A collector that holds the site finishes the request under way and makes no other.
    """
    with write_transaction():
        Site.objects.filter(pk=site.pk).update(stopped=True)
        waiting = FrontierEntry.objects.filter(url__site=site, state=State.NEW)
        return waiting.set_aside(reason, state=State.FAILED, ended=now, assignment=None)


def allow_site(site: Site) -> int:
    """Let a stopped site be contacted again; how many URLs wait again for that.

    Quarantined URLs are tried once more, as if nothing had happened.
    """
    with write_transaction():
        Site.objects.filter(pk=site.pk).update(stopped=False)
        ended = FrontierEntry.objects.filter(
            Q(state=State.FAILED, reason__in=(Reason.SITE_STOPPED, Reason.SITE_QUARANTINED))
            | Q(state=State.QUARANTINED),
            url__site=site,
        )
        again = {"state": State.NEW, "detail": "", "ended": None, "assignment": None}
        return ended.set_aside("", **again, crashes=0, trials=0)


def remove_site(site: Site, now: datetime) -> Removed:
    """Stop a site and delete its addresses, pages, links and ratings in all crawls.

    The index is updated through the outbox. Works in pieces, so that crawls go on meanwhile; after
    an interruption the next call completes it.
    """
    stop_site(site, now)
    _forget_as_voter(site)
    SiteLines.objects.filter(site=site).delete()
    removed: list[int] = []
    n_urls = 0
    while keys := list(Url.objects.filter(site=site).values_list("pk", flat=True)[:PIECE]):
        with write_transaction():
            pages = list(Page.objects.filter(pk__in=keys).values_list("pk", flat=True))
            IndexOutbox.queue(pages, now)
            Url.objects.filter(pk__in=keys).delete()
        removed += pages
        n_urls += len(keys)
    return Removed(tuple(removed), n_urls)


def remove_crawl(crawl: Crawl, now: datetime, n_pieces: int | None = None) -> bool:
    """Delete a crawl, and the pages and links that no other crawl has; False if some are left.

    The index is updated through the outbox. Addresses stay: other pages may link to them. Each
    piece is a transaction of its own, so that others may write meanwhile; the next call goes on.

    Parameters
    ----------
    n_pieces : int, optional
        Most pieces to delete now; all by default.
    """
    done = 0
    while n_pieces is None or done < n_pieces:
        if not (_remove_pages(crawl, now) or _remove_rows(crawl)):
            crawl.delete()
            return True
        done += 1
    return False


@write_transaction()
def _remove_pages(crawl: Crawl, now: datetime) -> bool:
    """Delete some of a crawl's ratings, and the pages that no other crawl has."""
    harvests = dict(crawl.harvests.order_by("pk").values_list("pk", "url_id")[:PIECE])
    urls = list(harvests.values())
    IndexOutbox.queue(urls, now)
    Harvest.objects.filter(pk__in=list(harvests)).delete()
    crawl.frontier.filter(url_id__in=urls).delete()
    alone = Page.objects.filter(pk__in=urls, url__harvests=None)
    Link.objects.filter(source_id__in=list(alone.values_list("pk", flat=True))).delete()
    alone.delete()
    return bool(harvests)


@write_transaction()
def _remove_rows(crawl: Crawl) -> bool:
    """Delete some of what else there may be much of."""
    for rows in (crawl.frontier, crawl.stories):
        keys = list(rows.values_list("pk", flat=True)[:PIECE])
        rows.filter(pk__in=keys).delete()
        if keys:
            return True
    return False


def _forget_as_voter(site: Site) -> None:
    """Take the site's name out of the reasons given for pages it linked to."""
    targets = Link.objects.filter(source__site=site).values("target_id")
    named = []
    for harvest in Harvest.objects.filter(url_id__in=targets).iterator(chunk_size=500):
        link = harvest.explanation.get("link", {})
        if site.name in link.get("sites", ()):
            link["sites"] = [name for name in link["sites"] if name != site.name]
            named.append(harvest)
    Harvest.objects.bulk_update(named, ["explanation"], batch_size=500)


def remains(site: Site) -> list[str]:
    """Return what is left of a removed site's content; nothing, if all is well."""
    found = {
        "addresses": Url.objects.filter(site=site).count(),
        "pages": Page.objects.filter(url__site=site).count(),
        "frontier entries": FrontierEntry.objects.filter(url__site=site).count(),
        "ratings": Harvest.objects.filter(url__site=site).count(),
        "lines of its frame": SiteLines.objects.filter(site=site).count(),
    }
    return [f"{count} {what}" for what, count in found.items() if count]
