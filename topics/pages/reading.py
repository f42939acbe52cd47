"""What a person did with pages: read, starred, hid, tagged, noted. No score depends on it."""

import logging
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from django.db import DatabaseError
from django.db.models import F, FilteredRelation, Q, QuerySet, prefetch_related_objects

from crawler.api.tables import Harvest
from focusweb.database import number_list, write_transaction
from focusweb.database_faults import fault_of, last_fault
from focusweb.prepared import prepared
from topics.models import Reading, ReadingTag, Topic, Visit
from topics.models.topic import TopicQuerySet

logger = logging.getLogger(__name__)

MAX_TAGS = 10
MAX_TAG = 40
MAX_NOTE = 4000
#: Tags that a filter offers.
MAX_OFFERED = 50
#: Pages that one click on "mark all" marks, at most.
MAX_AT_ONCE = 3000

#: What stands between the tags of a line; no tag holds it.
BETWEEN_TAGS = re.compile(r"[,;，；、\n]+")


@dataclass(frozen=True, slots=True)
class Marks:
    """A person's marks on one page, as a list shows them."""

    read: bool = False
    starred: bool = False
    hidden: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()

    @property
    def tag_line(self) -> str:
        """The tags as they are typed."""
        return ", ".join(self.tags)


NO_MARKS = Marks()


def marks_of(topic: Topic, user: Any, url_ids: Collection[int]) -> dict[int, Marks]:
    """Return a person's marks on some pages by number of the URL, for pages that have any."""
    rows = Reading.objects.of(user, topic).filter(url_id__in=url_ids).prefetch_related("tags")
    return {row.url_id: _marks(row) for row in rows}


def marks_by_page(harvests: Iterable[Harvest], user: int) -> dict[int, Marks]:
    """A person's marks on pages, by key of the harvest, for pages that have any."""
    keys = {(one.crawl_id, one.url_id): one.pk for one in harvests}
    rows = _marks_on([*{crawl for crawl, _url in keys}], [url for _crawl, url in keys], user)
    prefetch_related_objects(rows, "tags")
    found = (((row.topic.crawl_id, row.url_id), row) for row in rows)
    return {keys[key]: _marks(row) for key, row in found if key in keys}


@prepared
def _marks_on(crawls: Sequence[int], urls: Sequence[int], user: int) -> QuerySet[Reading]:
    rows = Reading.objects.filter(
        user_id=user, topic__crawl__in=number_list(crawls), url__in=number_list(urls)
    )
    return rows.select_related("topic")


def _marks(row: Reading) -> Marks:
    return Marks(
        read=row.read is not None,
        starred=row.starred is not None,
        hidden=row.hidden,
        note=row.note,
        tags=tuple(tag.name for tag in row.tags.all()),
    )


@dataclass(frozen=True, slots=True)
class Reactions:
    """What a person said of the pages of a list, and of their sites.

    Marks and thumbs are by number of the URL, rules by number of the site.
    """

    marks: dict[int, Marks]
    thumbs: dict[int, int]
    site_rules: dict[int, str]


def reactions_to(topic: Topic, user: Any, pages: Sequence[Harvest]) -> Reactions:
    """Return everything a person said of some pages of a topic; one query."""
    said = Reactions({}, {}, {})
    rows = _reactions(topic.pk, user.pk, [page.pk for page in pages])
    # A page with several tags comes as several rows.
    for url, site, thumb, rule, reading, read, starred, hidden, note, tag in sorted(
        rows, key=lambda row: row[-1] or ""
    ):
        if thumb:
            said.thumbs[url] = thumb
        if rule:
            said.site_rules[site] = rule
        if reading:
            tags = said.marks.get(url, NO_MARKS).tags + ((tag,) if tag else ())
            said.marks[url] = Marks(read is not None, starred is not None, hidden, note, tags)
    return said


@prepared
def _reactions(topic: int, user: int, pages: Sequence[int]) -> QuerySet[Any, Any]:
    own = {"topic": topic, "user_id": user}
    rows = Harvest.objects.filter(pk__in=number_list(pages)).annotate(
        reading=_of("url__readings", **own),
        thumb=_of("url__thumbs", **own),
        control=_of("url__site__controls", topic=topic),
    )
    return rows.values_list(*_SAID)


_SAID: Final = (
    *("url_id", "url__site_id", "thumb__value", "control__rule", "reading__pk"),
    *("reading__read", "reading__starred", "reading__hidden", "reading__note"),
    "reading__tags__name",
)


def _of(relation: str, **values: Any) -> FilteredRelation:
    """The row of a relation for which some values hold."""
    condition = Q(**{f"{relation}__{name}": value for name, value in values.items()})
    return FilteredRelation(relation, condition=condition)


def tag_names(topic: Topic, user: Any) -> list[str]:
    """Return the different tags that a person used in a topic, as a filter offers them."""
    return [name for (name,) in _tag_names(topic.pk, user.pk)]


@prepared
def _tag_names(topic: int, user: int) -> QuerySet[Any, Any]:
    tags = ReadingTag.objects.filter(reading__topic=topic, reading__user_id=user)
    return tags.order_by("name").values_list("name").distinct()[:MAX_OFFERED]


def set_read(topic: Topic, user: Any, url_id: int, now: datetime, *, read: bool) -> None:
    """Mark a page as read or unread."""
    _change(topic, user, url_id, now, read=now if read else None)


def set_starred(topic: Topic, user: Any, url_id: int, now: datetime, *, starred: bool) -> None:
    """Star a page or take the star back."""
    _change(topic, user, url_id, now, starred=now if starred else None)


def set_hidden(topic: Topic, user: Any, url_id: int, now: datetime, reason: str) -> None:
    """Hide a page from the lists for a reason; "" shows it again.

    Raises
    ------
    ValueError
        If the reason does not exist.
    """
    if reason and reason not in Reading.Hidden.values:
        raise ValueError(f"a reason is one of {', '.join(Reading.Hidden.values)}, got {reason!r}")
    _change(topic, user, url_id, now, hidden=reason)


def count_hidden(topic: Topic, user: Any) -> int:
    """Return how many of a topic's pages a person has hidden."""
    return Reading.objects.of(user, topic).exclude(hidden="").count()


@write_transaction()
def set_note(topic: Topic, user: Any, url_id: int, now: datetime, note: str, tags: str) -> None:
    """Save a note and tags of a page; tags are typed with commas between them."""
    row = _change(topic, user, url_id, now, note=note.strip()[:MAX_NOTE])
    row.tags.all().delete()
    ReadingTag.objects.bulk_create(ReadingTag(reading=row, name=name) for name in tags_in(tags))


def tags_in(typed: str) -> list[str]:
    """Return the different tags of a line, in the order typed, cut and in lower case."""
    # Cut last: a letter may be longer in lower case, and a column takes no longer tag.
    return list(dict.fromkeys(tag[:MAX_TAG] for tag in _typed_tags(typed)))[:MAX_TAGS]


def tags_fit(typed: str) -> bool:
    """True if `tags_in` keeps every tag of a line whole."""
    tags = _typed_tags(typed)
    return len(tags) <= MAX_TAGS and all(len(tag) <= MAX_TAG for tag in tags)


def _typed_tags(typed: str) -> list[str]:
    parts = (" ".join(part.split()).lower() for part in BETWEEN_TAGS.split(typed))
    return list(dict.fromkeys(filter(None, parts)))


def mark_all_read(topic: Topic, user: Any, url_ids: Sequence[int], now: datetime) -> int:
    """Mark pages as read; how many were unread."""
    wanted = list(url_ids)[:MAX_AT_ONCE]
    own = Reading.objects.of(user, topic)
    with write_transaction():
        done = set(own.exclude(read=None).values_list("url_id", flat=True))
        new = [url_id for url_id in wanted if url_id not in done]
        Reading.objects.bulk_create(
            (
                Reading(user_id=user.pk, topic=topic, url_id=url_id, read=now, changed=now)
                for url_id in new
            ),
            update_conflicts=True,
            unique_fields=["user", "topic", "url"],
            update_fields=["read", "changed"],
        )
    return len(new)


class MarkAction(StrEnum):
    """What can be done with many pages at once."""

    STAR = "star"
    UNSTAR = "unstar"
    READ = "read"
    UNREAD = "unread"
    HIDE = "hide"
    SHOW = "show"


def mark_many(pages: Sequence[Harvest], user: Any, action: MarkAction, now: datetime) -> int:
    """Do the same with pages of a person's topics; how many they were."""
    match action:
        case MarkAction.STAR | MarkAction.UNSTAR:
            values: dict[str, Any] = {"starred": now if action is MarkAction.STAR else None}
        case MarkAction.READ | MarkAction.UNREAD:
            values = {"read": now if action is MarkAction.READ else None}
        case MarkAction.HIDE | MarkAction.SHOW:
            values = {"hidden": Reading.Hidden.DULL if action is MarkAction.HIDE else ""}
    return _change_many(pages, user, now, values)


@write_transaction()
def tag_many(pages: Sequence[Harvest], user: Any, tags: Sequence[str], now: datetime) -> int:
    """Add tags to pages of a person's topics, as many as each may have; how many pages."""
    count = _change_many(pages, user, now, {})
    topics = {page.crawl.topic for page in pages}
    wanted = {(page.crawl.topic.pk, page.url_id) for page in pages}
    rows = Reading.objects.filter(
        user_id=user.pk, topic__in=topics, url__in={page.url_id for page in pages}
    )
    new = []
    for row in rows.prefetch_related("tags"):
        known = {tag.name for tag in row.tags.all()}
        if (row.topic_id, row.url_id) in wanted:
            more = [tag for tag in tags if tag not in known][: max(MAX_TAGS - len(known), 0)]
            new += [ReadingTag(reading=row, name=tag) for tag in more]
    ReadingTag.objects.bulk_create(new, ignore_conflicts=True)
    return count


def _change_many(pages: Sequence[Harvest], user: Any, now: datetime, values: dict[str, Any]) -> int:
    rows = [
        Reading(user_id=user.pk, topic=page.crawl.topic, url_id=page.url_id, changed=now, **values)
        for page in pages[:MAX_AT_ONCE]
    ]
    Reading.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["user", "topic", "url"],
        update_fields=[*values, "changed"],
    )
    return len(rows)


def with_visit(topics: TopicQuerySet, user: int) -> TopicQuerySet:
    """Read a person's visit with each topic, so that `begin_visit` need not."""
    own = FilteredRelation("visits", condition=Q(visits__user_id=user))
    columns = {f"visit_{name}": F(f"visit__{name}") for name in ("pk", "latest", "before")}
    return topics.annotate(visit=own, **columns)


def _read_visit(topic: Topic, user: Any) -> Visit | None:
    """The visit that `with_visit` read."""
    key = getattr(topic, "visit_pk", None)
    if key is None:
        return None
    read: Any = topic
    return Visit(
        pk=key,
        user_id=user.pk,
        topic=topic,
        latest=read.visit_latest,
        before=read.visit_before,
    )


def begin_visit(topic: Topic, user: Any, now: datetime) -> datetime | None:
    """Record that a user opens a topic. Return when the visit before ended, None in the first.

    A topic is read also while the database takes no writes: the fault is noted, the visit is not.
    """
    made = False
    visit = _read_visit(topic, user)
    try:
        if visit is None:
            visit, made = Visit.objects.get_or_create(
                user_id=user.pk, topic=topic, defaults={"latest": now}
            )
        if not made and visit.look(now):
            visit.save(update_fields=["latest", "before"])
    except DatabaseError as error:
        fault = fault_of(error)
        if not fault:
            raise
        logger.warning("topic %s: a visit cannot be stored: %s", topic.pk, error)
        last_fault.note(fault)
    return visit.before if visit is not None else None


def _change(topic: Topic, user: Any, url_id: int, now: datetime, **values: Any) -> Reading:
    row, _made = Reading.objects.update_or_create(
        user_id=user.pk, topic=topic, url_id=url_id, defaults=values | {"changed": now}
    )
    return row
