"""Save a rule so that nothing old fires, and nothing waits for a channel that left."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from focusweb.database import write_transaction
from topics.models import AlertRule, Channel

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
    rule.notices.filter(delivery=None).exclude(channel__in=list(channels)).delete()


def switch_rule(rule: AlertRule, now: datetime) -> None:
    """Switch a rule on or off; what comes while it is off is never sent."""
    rule.active = not rule.active
    if rule.active:
        rule.restart(now)
    rule.save(update_fields=["active", "begins"])


def mute(rule: AlertRule, hours: int, now: datetime) -> None:
    """Mute a rule's messages for some hours; 0 ends the wait."""
    rule.muted_until = now + timedelta(hours=hours) if hours else None
    rule.save(update_fields=["muted_until"])
