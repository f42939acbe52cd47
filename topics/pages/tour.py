"""The first five steps of a person, each done or not by what is stored."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from topics.models import Digest, SavedSearch, Thumb, Topic, Tour


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what to do, where, and whether it is done."""

    title: str
    about: str
    address: str
    done: bool


def is_put_away(user: Any) -> bool:
    """True if a person does not want to see the steps."""
    return Tour.objects.filter(user=user, put_away=True).exists()


def put_away(user: Any, *, away: bool) -> None:
    """Hide the steps of a person, or show them again."""
    Tour.objects.update_or_create(user=user, defaults={"put_away": away})


def steps_of(user: Any) -> list[Step]:
    """The steps of a person; the links lead to their own topic, or to a sample until there is one.

    Done is what the person did: what came with the sample topics does not count.
    """
    topics = Topic.objects.visible_to(user)
    own = topics.filter(sample=False)
    topic = own.order_by("-pk").first() or topics.first()
    rate = topic.get_absolute_url() if topic else reverse("new_topic")
    digest = reverse("topic_digest", args=[topic.slug]) if topic else rate
    alerts = reverse("topic_alerts", args=[topic.slug]) if topic else rate
    return [
        Step(
            _("Follow something"),
            _("Write what you want to follow, in a few words."),
            reverse("new_topic"),
            own.exists(),
        ),
        Step(
            _("Rate a page"),
            _("Say of a page that it is relevant or not; the others are scored again at once."),
            rate,
            Thumb.objects.filter(user=user).exists(),
        ),
        Step(
            _("Have new pages mailed"),
            _("Choose when the digest comes, and look at a preview."),
            digest,
            Digest.objects.filter(topic__in=topics, active=True).exists(),
        ),
        Step(
            _("Get alerts"),
            _("Choose the score from which a new page is reported at once."),
            alerts,
            own.exclude(alert_score=None).exists(),
        ),
        Step(
            _("Save a search"),
            _("A saved search is a tile on this page, and a feed if you like."),
            reverse("search"),
            SavedSearch.objects.filter(owner=user).exists(),
        ),
    ]
