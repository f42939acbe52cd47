"""A topic as a file, and back: one JSON object, described in docs/topic-format.md."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, time
from typing import Any, Final, Literal

import msgspec
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.db import transaction
from msgspec import UNSET, UnsetType

from topics.errors import TopicError
from topics.models import SiteControl, Topic, TopicTerm
from topics.profile.crawl import save_crawl
from topics.rules import schedule
from topics.rules.topic_rules import term_key
from topics.sources.site_rules import get_or_create_site

FORMAT: Final = "focusweb-topic"
VERSION: Final = 1
MAX_BYTES: Final = 5_000_000

#: Where a field of the topic stands in the file, if not under its own name.
_PLACES: Final = {
    "schedule_kind": "schedule.kind",
    "every_hours": "schedule.every",
    "at": "schedule.at",
    "weekdays": "schedule.days",
    "zone": "schedule.zone",
}


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class TermRow(_Strict, frozen=True):
    """One term."""

    text: str
    weight: float = 1.0
    required: bool = False
    excluded: bool = False


class Hours(_Strict, frozen=True, tag_field="kind", tag=schedule.HOURS):
    """Every so many hours."""

    every: int = 24


class Daily(_Strict, frozen=True, tag_field="kind", tag=schedule.DAILY):
    """Every day at a local time."""

    at: str
    zone: str = "UTC"


class Weekly(_Strict, frozen=True, tag_field="kind", tag=schedule.WEEKLY):
    """On some days at a local time."""

    days: list[str]
    at: str
    zone: str = "UTC"


class SettingsRow(_Strict, frozen=True):
    """How to crawl and rank; a setting that is left out takes its default."""

    strategy: str | UnsetType = UNSET
    strategy_parameters: dict[str, float] | UnsetType = UNSET
    judge: str | UnsetType = UNSET
    judge_parameters: dict[str, float] | UnsetType = UNSET
    n_pages: int | UnsetType = UNSET
    max_depth_hops: int | UnsetType = UNSET
    link_weight: float | UnsetType = UNSET
    content_weight: float | UnsetType = UNSET
    threshold: float | UnsetType = UNSET
    fresh_days: int | UnsetType = UNSET
    half_life_days: int | UnsetType | None = UNSET
    breadth: str | UnsetType = UNSET
    ranker: str | UnsetType = UNSET
    link_value: str | UnsetType = UNSET
    link_scale: float | UnsetType = UNSET
    alert_score: float | UnsetType | None = UNSET


class SiteRow(_Strict, frozen=True):
    """A person's word on one site."""

    site: str
    rule: Literal["raise", "lower", "pin", "block"]


class TopicDocument(_Strict, frozen=True):
    """The whole file."""

    format: Literal["focusweb-topic"]
    version: Literal[1]
    name: str
    slug: str
    languages: list[str] = []
    queries: list[str] = []
    searches: list[str] = []
    seeds: list[str] = []
    terms: list[TermRow] = []
    schedule: Hours | Daily | Weekly = Hours()
    settings: SettingsRow = SettingsRow()
    sites: list[SiteRow] = []
    active: bool = True


def read_document(data: bytes) -> TopicDocument:
    """Read a topic file; a TopicError names the field that is wrong."""
    if len(data) > MAX_BYTES:
        raise TopicError(f"the file has {len(data)} bytes; a topic has at most {MAX_BYTES}")
    try:
        return msgspec.json.decode(data, type=TopicDocument)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TopicError(str(error).replace("`$.", "`").replace("`$`", "the top level")) from error


@transaction.atomic
def save_document(
    document: TopicDocument, owner: AbstractBaseUser, now: datetime, *, sample: bool = False
) -> tuple[Topic, bool]:
    """Create or update the topic of a document, all or nothing.

    Returns
    -------
    topic : Topic
    created : bool
        False if the owner had a topic of this slug, which was brought up to date.

    Raises
    ------
    TopicError
        Names the field that is wrong.
    """
    topic = Topic.objects.filter(owner=owner.pk, slug=document.slug).first()
    created = topic is None
    topic = topic or Topic(owner_id=owner.pk)
    topic.sample = topic.sample or sample
    before, planned = topic.alert_score, topic.schedule() if topic.next_run else None
    _fill(topic, document)
    if topic.alert_score != before:
        topic.alerts_from = now  # what is stored already never becomes an alert
    with _field_named(
        _PLACES | {name: f"settings.{name}" for name in SettingsRow.__struct_fields__}
    ):
        topic.full_clean(exclude=["owner", "crawl"])
    if planned not in (None, topic.schedule()):
        topic.plan_next_run(now)
    topic.save()
    _replace_terms(topic, document.terms)
    _replace_sites(topic, document.sites, now)
    save_crawl(topic, now)
    return topic, created


def export_document(topic: Topic) -> dict[str, Any]:
    """The file of a topic, as plain values in the order of the format's description."""
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
        return {"kind": schedule.HOURS, "every": topic.every_hours}
    # Seconds are kept only where there are some, so that 08:00 stays as it was written.
    at = topic.at.isoformat("minutes" if topic.at.second == 0 else "seconds")
    if topic.schedule_kind == schedule.DAILY:
        return {"kind": schedule.DAILY, "at": at, "zone": topic.zone}
    days = sorted(schedule.parse_weekdays(topic.weekdays))
    named = [schedule.WEEKDAYS[day] for day in days]
    return {"kind": schedule.WEEKLY, "days": named, "at": at, "zone": topic.zone}


def _fill(topic: Topic, document: TopicDocument) -> None:
    topic.name, topic.slug, topic.active = document.name, document.slug, document.active
    topic.languages = ", ".join(document.languages)
    topic.queries = "\n".join(document.queries)
    topic.searches = "\n".join(document.searches)
    topic.seeds = "\n".join(document.seeds)
    for name in SettingsRow.__struct_fields__:
        given = getattr(document.settings, name)
        default = Topic._meta.get_field(name).get_default()  # type: ignore[union-attr]
        setattr(topic, name, default if given is UNSET else given)
    _plan(topic, document.schedule)


def _plan(topic: Topic, planned: Hours | Daily | Weekly) -> None:
    topic.at, topic.weekdays = None, ""
    if isinstance(planned, Hours):
        topic.schedule_kind, topic.every_hours = schedule.HOURS, planned.every
        return
    topic.at, topic.zone = _time(planned.at), planned.zone
    topic.schedule_kind = schedule.DAILY
    if isinstance(planned, Weekly):
        topic.schedule_kind, topic.weekdays = schedule.WEEKLY, ", ".join(planned.days)


def _time(text: str) -> time:
    try:
        return time.fromisoformat(text)
    except ValueError as error:
        raise TopicError(f"schedule.at: {text!r} is not a time of day such as 08:00") from error


def _replace_terms(topic: Topic, rows: list[TermRow]) -> None:
    topic.terms.all().delete()
    seen: set[str] = set()
    for number, row in enumerate(rows):
        place = f"terms[{number}]"
        term = TopicTerm(
            topic=topic,
            text=row.text.strip(),
            weight=row.weight,
            required=row.required,
            excluded=row.excluded,
        )
        with _field_named({name: f"{place}.{name}" for name in TermRow.__struct_fields__}):
            term.full_clean(exclude=["topic"])
        if term_key(term.text) in seen:
            raise TopicError(f"{place}.text: {term.text!r} is listed twice")
        seen.add(term_key(term.text))
        term.save()


def _replace_sites(topic: Topic, rows: list[SiteRow], now: datetime) -> None:
    topic.sites.all().delete()
    seen: set[int] = set()
    for number, row in enumerate(rows):
        try:
            site = get_or_create_site(row.site, now)
        except TopicError as error:
            raise TopicError(f"sites[{number}].site: {error}") from error
        if site.pk in seen:
            raise TopicError(f"sites[{number}].site: {row.site!r} is listed twice")
        seen.add(site.pk)
        SiteControl.objects.create(topic=topic, site=site, rule=row.rule)


@contextmanager
def _field_named(places: dict[str, str]) -> Iterator[None]:
    """Turn the first complaint about a row into one line that names its place in the file."""
    try:
        yield
    except ValidationError as error:
        field, complaints = next(iter(error.message_dict.items()))
        raise TopicError(f"{places.get(field, field)}: {complaints[0]}") from error
