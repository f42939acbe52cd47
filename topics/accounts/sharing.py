"""Topics that other people may read, and topics that get another owner."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Min, Q, QuerySet
from django.utils.translation import gettext as _

from focusweb.database import write_transaction
from focusweb.prepared import prepared
from topics.errors import TopicError
from topics.models import Delivery, Digest, DigestIssue, Feed, Notice, Topic, TopicReader
from topics.models.ledger import LedgerState


def share(topic: Topic, name: str, now: datetime) -> TopicReader:
    """Allow the user with this name to read a topic.

    Raises
    ------
    TopicError
        If there is no such person, or it is the owner.
    """
    user = get_user_model()._default_manager.filter(username=name.strip(), is_active=True).first()
    if user is None:
        raise TopicError(_("There is no user of this name here."))
    if user.pk == topic.owner_id:
        raise TopicError(_("The topic is yours already."))
    reader, _made = TopicReader.objects.get_or_create(
        topic=topic, user=user, defaults={"created": now}
    )
    return reader


def shared_with(user: Any) -> Sequence[Topic]:
    """Return the topics of others that a person may read, with addresses of the reader's."""
    return [row.topic.as_shared() for row in _shared_with(user.pk)]


@prepared
def _shared_with(user: int) -> QuerySet[TopicReader]:
    rows = TopicReader.objects.filter(user_id=user).select_related("topic__owner", "topic__crawl")
    return rows.order_by("topic__name")


def find_shared(user: Any, address: str) -> Topic | None:
    """Return the shared topic of an address `owner~short name`, as its reader sees it."""
    owner, mark, slug = address.rpartition("~")
    if not mark:
        return None
    rows = TopicReader.objects.filter(
        user_id=user.pk, topic__slug=slug, topic__owner__username=owner
    )
    row = rows.select_related("topic__owner", "topic__crawl", "topic__figures").first()
    return row.topic.as_shared() if row else None


@write_transaction()
def follow_owner(topic: Topic, now: datetime) -> None:
    """Give what belongs to a topic to its new owner, and end what leads to the former one.

    The public page and its feed go on. The secret address of the topic's feed ends, and so do
    copies of its digest for channels of the former owner. What waits to be sent to that person is
    not sent: the next issue of the digest has its pages.
    """
    TopicReader.objects.filter(topic=topic, user=topic.owner_id).delete()
    Feed.objects.filter(newspaper__topic=topic).update(owner=topic.owner_id)
    # A feed shows pages of its owner's topics only, so this one would be empty from now on.
    Feed.objects.filter(topic=topic).exclude(owner=topic.owner_id).delete()
    copies = Digest.channels.through._default_manager.filter(digest__topic=topic)
    copies.exclude(channel__owner=topic.owner_id).delete()
    _end_waiting(topic, now)


def _end_waiting(topic: Topic, now: datetime) -> None:
    """End issues, copies and alerts that wait to be sent to the former owner of a topic."""
    sent = Delivery.objects.filter(issue__digest__topic=topic, state__in=Delivery.WAITING)
    sent.exclude(channel__owner=topic.owner_id).update(state=LedgerState.STOPPED, ended=now)
    waiting = DigestIssue.objects.filter(digest__topic=topic, state__in=DigestIssue.WAITING)
    first = waiting.aggregate(first=Min("covers_from"))["first"]
    if first is not None:
        Digest.objects.filter(topic=topic, covered_until__gt=first).update(covered_until=first)
        waiting.update(state=LedgerState.MERGED, ended=now)
    notices = Notice.objects.filter(Q(alert__topic=topic) | Q(event__topic=topic), delivery=None)
    notices.exclude(rule__owner=topic.owner_id).delete()
