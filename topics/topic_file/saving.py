"""Change a topic to match its file."""

from datetime import datetime
from typing import Final

from django.contrib.auth.models import AbstractBaseUser
from msgspec import UNSET

from focusweb.database import write_transaction
from topics.errors import TopicError
from topics.models import SiteControl, Topic, TopicTerm
from topics.profile.crawl import save_crawl
from topics.rules import schedule
from topics.rules.topic_rules import term_key
from topics.sources.site_rules import get_or_create_site
from topics.topic_file.document import (
    Daily,
    Hours,
    SettingsRow,
    SiteRow,
    TermRow,
    TopicDocument,
    Weekly,
    field_named,
    parse_time,
)

#: The name of a topic's field in the file, if it is not its own.
_PLACES: Final = {
    "schedule_kind": "schedule.kind",
    "every_hours": "schedule.every",
    "at": "schedule.at",
    "weekdays": "schedule.days",
    "zone": "schedule.zone",
}


@write_transaction()
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
    with field_named(
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
    topic.at, topic.weekdays, topic.zone = None, "", planned.zone
    if isinstance(planned, Hours):
        topic.schedule_kind, topic.every_hours = schedule.HOURS, planned.every
        return
    topic.at = parse_time(planned.at, "schedule.at")
    topic.schedule_kind = schedule.DAILY
    if isinstance(planned, Weekly):
        topic.schedule_kind, topic.weekdays = schedule.WEEKLY, ", ".join(planned.days)


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
        with field_named({name: f"{place}.{name}" for name in TermRow.__struct_fields__}):
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
