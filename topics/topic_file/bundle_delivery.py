"""The saved searches, alert rules and digest of a topic file."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from topics.delivery.plan import save_digest
from topics.delivery.rules.conditions import (
    PAGE_CONDITIONS,
    WRITTEN,
    ConditionError,
    stored_condition,
)
from topics.delivery.rules.saving import delete_rule, save_rule
from topics.errors import TopicError
from topics.models import AlertRule, Digest, SavedSearch, Topic
from topics.models.alert_rules import MAX_RULES
from topics.models.searches import MAX_SAVED
from topics.rules import topic_rules
from topics.topic_file.document import (
    DigestRow,
    RuleRow,
    SavedSearchRow,
    field_named,
    parse_time,
    shown_time,
)

_RULE_CONDITIONS = ("watches", "after_days", *PAGE_CONDITIONS)
_RULE_VALUES = (
    *("active", "watches", "after_days", *(name for name in PAGE_CONDITIONS if name != "search")),
    *("rate", "max_per_day", "zone"),
)
_DIGEST_VALUES = (
    *("active", "frequency", "also_at", "weekdays", "zone", "language", "max_items", "min_items"),
    *("besides", "skip_empty"),
)


def search_rows(topic: Topic) -> list[dict[str, Any]]:
    """Return the saved searches in a topic."""
    own = topic.saved_searches.filter(owner=topic.owner_id).order_by("name")
    return [{name: getattr(one, name) for name in SavedSearchRow.__struct_fields__} for one in own]


def rule_rows(topic: Topic) -> list[dict[str, Any]]:
    """Return the alert rules of a topic; those that need a search of all topics are left out."""
    own = topic.alert_rules.filter(owner=topic.owner_id).select_related("search").order_by("name")
    return [
        {
            "name": rule.name,
            "search": rule.search.name if rule.search else "",
            **{name: getattr(rule, name) for name in _RULE_VALUES},
            "quiet_from": shown_time(rule.quiet_from) if rule.quiet_from else None,
            "quiet_until": shown_time(rule.quiet_until) if rule.quiet_until else None,
        }
        for rule in own
        if rule.search is None or rule.search.topic_id == topic.pk
    ]


def digest_row(topic: Topic) -> dict[str, Any] | None:
    """Return the settings of a topic's digest; None without one."""
    digest = Digest.objects.filter(topic=topic).first()
    if digest is None:
        return None
    searches = digest.searches.filter(topic=topic, owner=topic.owner_id).order_by("name")
    return {
        **{name: getattr(digest, name) for name in _DIGEST_VALUES},
        "at": shown_time(digest.at),
        "searches": list(searches.values_list("name", flat=True)),
    }


def save_searches(topic: Topic, rows: list[SavedSearchRow], now: datetime) -> list[SavedSearch]:
    """Give a topic these saved searches; a feed's address stays. Return those to be deleted."""
    own = SavedSearch.objects.filter(owner=topic.owner_id)
    known = {one.name: one for one in own.filter(topic=topic)}
    names = _each_once((row.name for row in rows), "saved_searches")
    left = [one for name, one in known.items() if name not in names]
    own = own.exclude(pk__in=[one.pk for one in left])
    for number, row in enumerate(rows):
        place = f"saved_searches[{number}]"
        saved = known.pop(row.name, None) or SavedSearch(
            owner=topic.owner, topic=topic, name=row.name, created=now
        )
        _require_free(saved, own, place, MAX_SAVED)
        before = saved.conditions
        saved.query, saved.order, saved.counted = _query(row.query, place), row.order, None
        saved.without, saved.on_home = row.without, row.on_home
        _check(saved, place, SavedSearchRow.__struct_fields__, {"without"})
        saved.save()
        if saved.conditions != before:
            saved.restart_rules(now)
    return left


def _query(typed: str, place: str) -> str:
    """Return the query of a saved search; refuse one that its form would refuse."""
    try:
        return stored_condition("query", typed)
    except ConditionError as error:
        raise TopicError(f"{place}.query: {error}") from error


def searches_by_name(topic: Topic, left: Collection[SavedSearch]) -> dict[str, SavedSearch]:
    """Return the saved searches of a topic's owner by name, without those to be deleted."""
    own = topic.saved_searches.filter(owner=topic.owner_id)
    return {one.name: one for one in own.exclude(pk__in=[one.pk for one in left])}


def replace_rules(
    topic: Topic, rows: list[RuleRow], searches: dict[str, SavedSearch], now: datetime
) -> None:
    """Replace a topic's alert rules by these; those that are there keep channels."""
    own = AlertRule.objects.filter(owner=topic.owner_id)
    whole = {one.name: one for one in own.filter(topic=topic) if _is_portable(one, topic)}
    names = _each_once((row.name for row in rows), "rules")
    left = [one for name, one in whole.items() if name not in names]
    own = own.exclude(pk__in=[one.pk for one in left])
    for number, row in enumerate(rows):
        place = f"rules[{number}]"
        rule = whole.pop(row.name, None) or AlertRule(
            owner=topic.owner, topic=topic, name=row.name, begins=now, created=now
        )
        _require_free(rule, own, place, MAX_RULES)
        was_off = not rule.active
        before = [getattr(rule, name) for name in _RULE_CONDITIONS]
        rule.search = _search(row.search, searches, f"{place}.search") if row.search else None
        for name in _RULE_VALUES:
            setattr(rule, name, getattr(row, name))
        if (row.quiet_from is None) != (row.quiet_until is None):
            raise TopicError(f"{place}.quiet_until: quiet hours need a beginning and an end")
        for name in ("quiet_from", "quiet_until"):
            text = getattr(row, name)
            setattr(rule, name, None if text is None else parse_time(text, f"{place}.{name}"))
        _check(rule, place, RuleRow.__struct_fields__)
        _check_watches(row, place)
        _set_written(rule, row, place)
        after = [getattr(rule, name) for name in _RULE_CONDITIONS]
        channels = list(rule.channels.all()) if rule.pk else []
        # What came while it was off, or before its conditions changed, is not sent.
        begins = before != after or (rule.active and was_off)
        save_rule(rule, channels, now, conditions_changed=begins)
    for rule in left:
        delete_rule(rule, now)


def _set_written(rule: AlertRule, row: RuleRow, place: str) -> None:
    """Set the written conditions as the form of a rule does."""
    for name in WRITTEN:
        try:
            setattr(rule, name, stored_condition(name, getattr(row, name)))
        except ConditionError as error:
            raise TopicError(f"{place}.{name}: {error}") from error


def _check_watches(row: RuleRow, place: str) -> None:
    """Refuse conditions on pages if the rule is on other events."""
    if row.watches == AlertRule.Watches.PAGES:
        return
    for name in PAGE_CONDITIONS:
        if getattr(row, name):
            raise TopicError(f"{place}.{name}: a rule on {row.watches!r} has no condition on pages")


def _is_portable(rule: AlertRule, topic: Topic) -> bool:
    return rule.search is None or rule.search.topic_id == topic.pk


def replace_digest(
    topic: Topic, row: DigestRow | None, searches: dict[str, SavedSearch], now: datetime
) -> None:
    """Give a topic this digest, or none; one that is there keeps channels and other topics."""
    digest = Digest.objects.filter(topic=topic).first()
    if row is None:
        if digest is not None:
            digest.delete()
        return
    is_new = digest is None
    digest = digest or Digest(topic=topic, covered_until=now)
    for name in _DIGEST_VALUES:
        setattr(digest, name, getattr(row, name))
    digest.at = parse_time(row.at, "digest.at")
    told = topic_rules.schedule_errors(digest.frequency, digest.at, digest.weekdays)
    for name, message in told.items():
        raise TopicError(f"digest.{name}: {message}")
    _check(digest, "digest", DigestRow.__struct_fields__, {"searches", "also_topics"})
    if digest.min_items > digest.max_items:
        raise TopicError("digest.min_items: the minimum must not be above max_items")
    chosen = [
        _search(name, searches, f"digest.searches[{number}]")
        for number, name in enumerate(row.searches)
    ]
    save_digest(digest, now)
    elsewhere = [] if is_new else list(digest.searches.exclude(topic=topic))
    digest.searches.set([*chosen, *elsewhere])


def _search(name: str, known: dict[str, SavedSearch], place: str) -> SavedSearch:
    if name not in known:
        raise TopicError(f"{place}: {name!r} is not a saved search of this topic")
    return known[name]


def _each_once(names: Iterable[str], part: str) -> set[str]:
    """Return the names of a part; one that is listed twice is a TopicError."""
    seen: set[str] = set()
    for number, name in enumerate(names):
        if name in seen:
            raise TopicError(f"{part}[{number}].name: {name!r} is listed twice")
        seen.add(name)
    return seen


Row = TypeVar("Row", SavedSearch, AlertRule)


def _require_free(row: Row, own: QuerySet[Row], place: str, limit: int) -> None:
    """Refuse a name that the owner uses elsewhere, and more rows than one may have."""
    if own.filter(name=row.name).exclude(pk=row.pk).exists():
        raise TopicError(f"{place}.name: you have {row.name!r} already, not of this topic")
    if row.pk is None and own.count() >= limit:
        raise TopicError(f"{place}: you have {limit} of them; delete one first")


def _check(
    row: Model, place: str, names: tuple[str, ...], besides: frozenset[str] | set[str] = frozenset()
) -> None:
    fields = {field.name for field in row._meta.fields}
    with field_named({name: f"{place}.{name}" for name in names}):
        row.full_clean(exclude=(fields - set(names)) | besides, validate_unique=False)
