"""Set up a topic's digest."""

from datetime import datetime

from django.db import transaction

from topics.models import Digest


@transaction.atomic
def save_digest(digest: Digest, email: str, now: datetime) -> None:
    """Save a digest's settings and its owner's address, and plan its next issue."""
    before = Digest.objects.filter(pk=digest.pk).first()
    if before is None or (digest.active and not before.active):
        # What came while it was off is not sent in one heap.
        digest.covered_until = now
    digest.plan_next(now)
    digest.save()
    owner = digest.topic.owner
    if owner.email != email:
        owner.email = email
        owner.save(update_fields=["email"])
