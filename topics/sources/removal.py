"""Remove a site at its owner's wish: from the tables and from the index."""

from datetime import datetime

from crawler.api.sites import Removed, remains, remove_site
from crawler.api.tables import Site
from topics.errors import TopicError
from topics.models import TopicFigures
from topics.search import outbox
from topics.search.errors import IndexUnusableError
from topics.search.store import default_store

#: How long to wait for the index; the rest of the outbox is done in the background.
INDEX_S = 300.0


class SiteUnknown(TopicError):
    """No site has that name."""


def get_site(name: str) -> Site:
    """Return the site of a host, or host and port; raises SiteUnknown."""
    site = Site.objects.filter(name=name.strip().lower().rstrip(".")).first()
    if site is None:
        raise SiteUnknown(f"no page of a site named {name!r} was ever seen; give the bare host")
    return site


def remove_everywhere(site: Site, now: datetime) -> Removed:
    """Delete all a site gave, and take its pages out of the index."""
    removed = remove_site(site, now)
    TopicFigures.objects.all().delete()  # they name sites
    outbox.drain_all(INDEX_S)
    return removed


def find_remains(site: Site, removed: Removed) -> list[str]:
    """Return what the tables and the index still hold of a removed site; should be nothing."""
    found = remains(site)
    try:
        indexed = default_store().open().ids()
    except IndexUnusableError:
        # It is built again from the tables, where the pages are deleted.
        return found
    if n_left := len(set(removed.pages) & set(indexed)):
        found.append(f"{n_left} index entries")
    return found
