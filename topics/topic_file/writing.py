"""Write a topic as a file."""

from typing import Any

from topics.models import Topic
from topics.rules import schedule
from topics.rules.zones import UTC_NAME
from topics.topic_file.document import FORMAT, VERSION, SettingsRow, shown_time


def export_document(topic: Topic) -> dict[str, Any]:
    """Return the file of a topic, as plain values in the order of the format's description."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": topic.name,
        "slug": topic.slug,
        "languages": [word.strip() for word in topic.languages.split(",") if word.strip()],
        "queries": topic.queries.splitlines(),
        "searches": topic.search_list(),
        "seeds": topic.seeds.splitlines(),
        "terms": [
            {
                "text": term.text,
                "weight": term.weight,
                "required": term.required,
                "excluded": term.excluded,
            }
            for term in topic.terms.order_by("pk")
        ],
        "schedule": _schedule_of(topic),
        "settings": {name: getattr(topic, name) for name in SettingsRow.__struct_fields__},
        "sites": [
            {"site": name, "rule": rule}
            for name, rule in topic.sites.order_by("site__name").values_list("site__name", "rule")
        ],
        "active": topic.active,
    }


def _schedule_of(topic: Topic) -> dict[str, Any]:
    if topic.schedule_kind == schedule.HOURS or topic.at is None:
        zone = {} if topic.zone == UTC_NAME else {"zone": topic.zone}
        return {"kind": schedule.HOURS, "every": topic.every_hours, **zone}
    at = shown_time(topic.at)
    if topic.schedule_kind == schedule.DAILY:
        return {"kind": schedule.DAILY, "at": at, "zone": topic.zone}
    days = sorted(schedule.parse_weekdays(topic.weekdays))
    named = [schedule.WEEKDAYS[day] for day in days]
    return {"kind": schedule.WEEKLY, "days": named, "at": at, "zone": topic.zone}
