"""Channels and rules for tests."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User

from crawler.models import Harvest
from tests.topics.delivery.issues import news
from tests.topics.factories import NOON, Scene
from topics.delivery.channels import deliveries
from topics.delivery.rules import bundling, firing
from topics.models import AlertRule, Channel, Delivery
from topics.models.channels import new_secret

MINUTE = timedelta(minutes=1)


def channel_of(owner: User, kind: str = "mail", target: str = "", **more: Any) -> Channel:
    """A confirmed channel."""
    number = Channel.objects.count()
    values = {
        "name": f"{kind} {number}",
        "target": target or f"r{number}@reader.test",
        "secret": new_secret() if kind == "webhook" else "",
        "confirmed": NOON,
        "created": NOON,
    } | more
    return Channel.objects.create(owner=owner, kind=kind, **values)


def rule_of(scene: Scene, *channels: Channel, **more: Any) -> AlertRule:
    """A rule on a topic that checks what came in the last hours."""
    number = AlertRule.objects.count()
    begins = scene.now - timedelta(hours=6)
    values = {"name": f"Rule {number}", "topic": scene.topic, "begins": begins, "created": begins}
    rule = AlertRule.objects.create(owner=scene.topic.owner, **values | more)
    rule.channels.set(channels)
    return rule


def page(scene: Scene, title: str = "", **more: Any) -> Harvest:
    """A page that is news and was found a moment ago."""
    return news(scene, title, **{"first_seen": scene.now - MINUTE} | more)


def work_rules(now: Any) -> list[Delivery]:
    """What the background worker does of rules and channels at a moment; the deliveries made."""
    before = set(Delivery.objects.values_list("pk", flat=True))
    firing.fire_rules(now)
    deliveries.give_up_dead(now)
    bundling.bundle_all(now)
    for pk in deliveries.waiting_deliveries(now):
        deliveries.send_one(pk, lambda: now)
    return list(Delivery.objects.exclude(pk__in=before).order_by("pk"))
