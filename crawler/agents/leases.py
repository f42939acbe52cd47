"""Take back what a dead or silent collector held; nothing it had in hand is lost."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q

from crawler.models import Assignment, FrontierEntry, Site
from crawler.models.web import EPOCH
from crawler.reasons import Reason

logger = logging.getLogger(__name__)

State = FrontierEntry.State

#: Deaths of its collector after which a URL is left for good. From the third on it is
#: fetched alone: a machine that is switched off again and again must not be blamed on it.
QUARANTINE_AFTER = 8


def expire(
    now: datetime, is_dead: Callable[[str], bool], site_delay_s: Callable[[str], float]
) -> int:
    """Free every assignment whose owner is dead or whose lease has run out; how many."""
    freed = 0
    for assignment in Assignment.objects.filter(closed=None):
        # Until somebody takes it, an assignment hangs on whoever posted it.
        if assignment.leased_until <= now or is_dead(assignment.taken_by or assignment.posted_by):
            freed += _free(assignment, now, site_delay_s)
    return freed


def _free(assignment: Assignment, now: datetime, site_delay_s: Callable[[str], float]) -> int:
    with transaction.atomic():
        # Only if it is still as it was read: the owner may just have closed it.
        if not Assignment.objects.filter(
            pk=assignment.pk, closed=None, taken_by=assignment.taken_by
        ).update(closed=now):
            return 0
        logger.warning("%s of %s is given back", assignment, assignment.taken_by or "nobody")
        held = FrontierEntry.objects.filter(assignment=assignment, state=State.LEASED)
        if assignment.taken_by:
            held.update(crashes=F("crashes") + 1)
        held.filter(crashes__gte=QUARANTINE_AFTER).update(
            state=State.QUARANTINED, reason=Reason.QUARANTINED, ended=now, assignment=None
        )
        held.filter(state=State.LEASED).update(state=State.NEW, assignment=None)
        owner = assignment.taken_by or f"assignment {assignment.pk}"
        for site in Site.objects.filter(Q(assignments=assignment), held_by=owner):
            # Its last request may have ended just now: the whole rest begins here.
            rest_s = max(site.delay_s, site_delay_s(site.name))
            site.next_fetch_at = now + timedelta(seconds=rest_s)
            site.held_by, site.held_until = "", EPOCH
            site.save(update_fields=["next_fetch_at", "held_by", "held_until"])
    return 1
