"""Undo what a clock that ran ahead has left: nobody is to wait ten years for a digest."""

from datetime import datetime, timedelta
from typing import Final

from topics.models import Digest, DigestIssue, Topic

#: A moment further ahead than this was written by a clock that has been set back since.
FURTHEST: Final = timedelta(hours=1)
#: Longer than an issue ever rests between two tries.
REST: Final = timedelta(hours=4)


def heal_clocks(now: datetime) -> int:
    """Bring moments that lie further ahead than they can back to now; how many."""
    limit = now + FURTHEST
    healed = Digest.objects.filter(covered_until__gt=limit).update(covered_until=now)
    healed += Topic.objects.filter(alerts_from__gt=limit).update(alerts_from=now)
    late = DigestIssue.objects.filter(state__in=DigestIssue.WAITING, not_before__gt=now + REST)
    healed += late.update(not_before=now)
    for digest in Digest.objects.filter(active=True, next_due__gt=now):
        planned = digest.next_due
        digest.plan_next(now)
        if digest.next_due < planned:
            digest.save(update_fields=["next_due"])
            healed += 1
    return healed
