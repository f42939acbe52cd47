"""Save a rule so that nothing old fires, and nothing waits for a channel that left."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from focusweb.database import write_transaction
from topics.models import AlertRule, Channel, Notice, SavedSearch

#: For how long a rule can be muted, in hours.
MUTES: Final = (1, 24, 168)


@write_transaction()
def save_rule(
    rule: AlertRule, channels: Collection[Channel], now: datetime, *, conditions_changed: bool
) -> None:
    """Save a rule with its channels; with other conditions it checks new pages only."""
    if rule._state.adding or conditions_changed:
        rule.restart(now)
    rule.save()
    rule.channels.set(channels)
    left = rule.notices.filter(delivery=None).exclude(channel__in=list(channels))
    _pass_on(left, now)
    left.delete()


@write_transaction()
def switch_rule(rule: AlertRule, now: datetime) -> None:
    """Switch a rule on or off; what comes while it is off is never sent."""
    rule.active = not rule.active
    if rule.active:
        rule.restart(now)
    else:
        _pass_on(rule.notices.all(), now)
    rule.save(update_fields=["active", "begins"])


@write_transaction()
def mute(rule: AlertRule, hours: int, now: datetime) -> None:
    """Mute a rule's messages for some hours; 0 ends the wait."""
    rule.muted_until = now + timedelta(hours=hours) if hours else None
    rule.save(update_fields=["muted_until"])
    if hours:
        _pass_on(rule.notices.all(), now)


@write_transaction()
def delete_rule(rule: AlertRule, now: datetime) -> None:
    """Delete a rule, with what waits for it alone."""
    _pass_on(rule.notices.all(), now)
    rule.delete()


@write_transaction()
def delete_search(saved: SavedSearch, now: datetime) -> None:
    """Delete a saved search with the rules that use it, each as `delete_rule` does."""
    for rule in saved.alert_rules.all():
        delete_rule(rule, now)
    saved.delete()


def _pass_on(notices: QuerySet[Notice], now: datetime) -> None:
    """Give what waits to another rule that the page fitted, if it sends to the same channel.

    A channel gets each alert once, so the notice of the first rule stands for all.
    """
    others = AlertRule.objects.filter(active=True, matches__alert=OuterRef("alert"))
    others = others.filter(channels=OuterRef("channel")).exclude(muted_until__gt=now)
    others = others.exclude(pk=OuterRef("rule")).order_by("pk")
    waiting = notices.filter(Exists(others), delivery=None, dropped=False)
    waiting.update(rule=Subquery(others.values("pk")[:1]))
