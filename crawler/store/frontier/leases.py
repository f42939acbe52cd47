"""Take back what a dead or silent collector held; nothing it had in hand is lost.

A page may be what kills its collectors. Whatever was in hand at a death is fetched alone from
then on, and each such trial is counted before it begins: so a page that kills is known by its
second trial. A machine that is switched off again and again must not blame what it was just
fetching: deaths in which a URL had no part speak for it, and after one that it had part in
everything else goes first.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import F, QuerySet

from crawler.models import Assignment, Crawl, FrontierEntry, Site
from crawler.models.frontier import is_copy
from crawler.models.web import EPOCH
from crawler.reasons import Reason
from crawler.store.frontier.politeness import HOLDER, holder
from crawler.store.removal import stop_site
from focusweb.database import write_transaction

logger = logging.getLogger(__name__)

State = FrontierEntry.State

#: Trials that never ended, after which a URL is quarantined for ever.
QUARANTINE_AFTER = 2
#: Upper limit, however many other deaths there are: a URL that kills this often is harmful.
MAX_QUARANTINE_AFTER = 8
#: The same for all URLs of a site whose robots.txt was never read: then the site is stopped.
STOP_SITE_AFTER = 4
#: Other deaths speak for a URL this long.
MEMORY = timedelta(days=1)


def expire(
    now: datetime, is_dead: Callable[[str], bool], site_delay_s: Callable[[str], float]
) -> int:
    """Free assignments of dead owners and assignments with expired leases. Return how many."""
    freed = 0
    for assignment in Assignment.objects.filter(closed=None):
        # Until somebody takes it, an assignment hangs on whoever posted it.
        if assignment.leased_until <= now or is_dead(assignment.taken_by or assignment.posted_by):
            freed += _free(assignment, now, site_delay_s)
    return freed


def _free(assignment: Assignment, now: datetime, site_delay_s: Callable[[str], float]) -> int:
    with write_transaction():
        # Only if it is still as it was read: the owner may just have closed it.
        if not Assignment.objects.filter(
            pk=assignment.pk, closed=None, taken_by=assignment.taken_by
        ).update(closed=now, died=bool(assignment.taken_by)):
            return 0
        logger.warning("%s of %s is given back", assignment, assignment.taken_by or "nobody")
        # What was posted is gone: the run is planned for at once, not after its rest.
        left = Crawl.objects.filter(runs=assignment.run_id, managed_by="")
        left.update(managed_until=EPOCH)
        held = FrontierEntry.objects.filter(assignment=assignment, state=State.LEASED)
        tried = _count_crash(held, now) if assignment.taken_by else set()
        held.filter(state=State.LEASED).update(state=State.NEW, assignment=None)
        for site in Site.objects.filter(pk__in=tried):
            _count_site_crash(site, now)
        mine = Site.objects.filter(held_by=holder(assignment.pk))
        for site in mine.filter(assignments=assignment):
            _release(mine, site, now, site_delay_s)
    return 1


def _release(
    held: QuerySet[Site], site: Site, now: datetime, site_delay_s: Callable[[str], float]
) -> int:
    # Its last request may have ended just now: the whole rest begins here.
    rest_s = max(site.delay_s, site_delay_s(site.name))
    return held.filter(pk=site.pk).update(
        next_fetch_at=now + timedelta(seconds=rest_s), held_by="", held_until=EPOCH
    )


def begin_trial(number: int, key: int) -> None:
    """Count a try of a URL of an assignment on trial before it is made; posting forgets it."""
    held = FrontierEntry.objects.filter(assignment_id=number, url_id=key, state=State.LEASED)
    held.update(trials=F("trials") + 1)


def _count_crash(held: QuerySet[FrontierEntry], now: datetime) -> set[int]:
    """Count a death for every URL in hand, and quarantine one that is sure to kill.

    Return the sites of those that were tried alone.
    """
    sites = set()
    tried = held.filter(trials__gt=0)
    # One that is tried by itself is to blame for those that were to follow it, too.
    (tried if tried.exists() else held).update(crashes=F("crashes") + 1)
    n_deaths = _deaths(now).count()
    for entry in held.filter(trials__gt=0).select_related("url"):
        sites.add(entry.url.site_id)
        # Everything else goes before it: then the next death may clear it.
        entry.tier = 1
        n_without = max(0, n_deaths - entry.crashes)
        if entry.trials >= min(QUARANTINE_AFTER + n_without, MAX_QUARANTINE_AFTER):
            entry.stale = is_copy(entry.reason, entry.stale)
            entry.state, entry.reason = State.QUARANTINED, Reason.QUARANTINED
            entry.detail = f"{entry.crashes} collectors died over it, {entry.trials} of them alone"
            entry.ended, entry.assignment = now, None
        fields = ["tier", "state", "reason", "stale", "detail", "ended", "assignment"]
        entry.save(update_fields=fields)
    return sites


def _count_site_crash(site: Site, now: datetime) -> None:
    """Stop a site whose robots.txt kills; else each of its URLs would cost its own deaths."""
    # Rules are stored as soon as they are read, so a site that has some did not kill with them.
    if site.robots_until > now:
        return
    entries = FrontierEntry.objects.filter(url__site=site, trials__gt=0)
    trials = sum(entries.values_list("trials", flat=True))
    # Deaths in which the site had no part speak for it.
    n_without = _deaths(now).exclude(sites=site).count()
    if trials >= min(STOP_SITE_AFTER + n_without, MAX_QUARANTINE_AFTER):
        logger.warning("site %s is stopped: whoever reads its robots.txt dies", site)
        stop_site(site, now, Reason.SITE_QUARANTINED)


def _deaths(now: datetime) -> QuerySet[Assignment]:
    return Assignment.objects.filter(died=True, closed__gte=now - MEMORY)


def free_sites(
    now: datetime, is_dead: Callable[[str], bool], site_delay_s: Callable[[str], float]
) -> int:
    """Free sites that dead processes held outside any assignment. Return how many."""
    freed = 0
    for site in Site.objects.exclude(held_by="").exclude(held_by__startswith=HOLDER):
        if site.held_until <= now or is_dead(site.held_by):
            held = Site.objects.filter(held_by=site.held_by)
            freed += _release(held, site, now, site_delay_s)
    return freed
