"""Save what a topic is called and when it runs."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from crawler.api.judging import ChangedPages
from focusweb.database import write_transaction
from topics.models import Topic
from topics.profile import feedback

#: Fields of a topic's schedule.
SCHEDULE: Final = frozenset({"schedule_kind", "every_hours", "at", "weekdays", "zone"})


@write_transaction()
def save_settings(topic: Topic, changed: Collection[str], now: datetime) -> ChangedPages | None:
    """Save the fields of a topic that a person changed, and what follows from them.

    Returns
    -------
    ChangedPages or None
        Stored pages whose score moved, as the name counts among a topic's words. None if the
        worker scores them.
    """
    fields = set(changed)
    if topic.next_run and fields & SCHEDULE:
        topic.plan_next_run(now)
        fields.add("next_run")
    # Nothing else is saved: a run that began meanwhile has planned the next one.
    topic.save(update_fields=sorted(fields))
    return feedback.apply_profile(topic, now) if "name" in fields else ChangedPages()
