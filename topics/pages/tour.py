"""The first five steps of a person, each done or not by what is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Exists, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from focusweb.prepared import prepared
from topics.models import Digest, SavedSearch, Thumb, Topic, Tour


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what to do, where, and whether it is done."""

    title: str
    about: str
    address: str
    done: bool


def put_away(user: Any, *, away: bool) -> None:
    """Hide the steps of a person, or show them again."""
    Tour.objects.update_or_create(user=user, defaults={"put_away": away})


def tour_steps(user: Any, topics: Sequence[Topic]) -> list[Step]:
    """Return the steps of a person with these topics; none if they were put away. One query.

    The links lead to their own topic, or to a sample until there is one. Done is what the person
    did: what came with the sample topics does not count.
    """
    ((put_away, has_rated, has_digest, has_alerts, has_saved),) = _done(user.pk)
    if put_away:
        return []
    own = [topic for topic in topics if not topic.sample]
    topic = max(own, key=lambda one: one.pk) if own else next(iter(topics), None)
    rate = topic.get_absolute_url() if topic else reverse("new_topic")
    digest = reverse("topic_digest", args=[topic.slug]) if topic else rate
    alerts = reverse("topic_alerts", args=[topic.slug]) if topic else rate
    return [
        Step(
            _("Follow something"),
            _("Write what you want to follow, in a few words."),
            reverse("new_topic"),
            bool(own),
        ),
        Step(
            _("Rate a page"),
            _(
                "Say whether a page is relevant. All other pages are scored again at once. Star a"
                " page, and its changes stand among the news."
            ),
            rate,
            has_rated,
        ),
        Step(
            _("Have new pages mailed"),
            _("Choose when the digest comes, and look at a preview."),
            digest,
            has_digest,
        ),
        Step(
            _("Get alerts"),
            _("Choose the score from which a new page is reported at once."),
            alerts,
            has_alerts,
        ),
        Step(
            _("Save a search"),
            _("A saved search is a tile on this page, and a feed if you like."),
            reverse("search"),
            has_saved,
        ),
    ]


@prepared
def _done(user: int) -> QuerySet[Any, Any]:
    """Whether the steps were put away, and which of them are done."""
    own = Topic.objects.filter(owner=user)
    facts = (
        Tour.objects.filter(user=user, put_away=True),
        Thumb.objects.filter(user=user),
        Digest.objects.filter(topic__owner=user, active=True),
        own.filter(
            Q(sample=False, alert_score__isnull=False) | Q(owner__alert_rules__isnull=False)
        ),
        SavedSearch.objects.filter(owner=user),
    )
    people = get_user_model()._default_manager.filter(pk=user)
    return people.values_list(*(Exists(rows) for rows in facts))
