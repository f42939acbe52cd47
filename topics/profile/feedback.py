"""A person's word on pages and topics, and what it changes among the stored pages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from crawler.api.judging import (
    ChangedPages,
    LabelledPage,
    is_judged,
    is_outdated,
    rejudge,
    save_labels,
)
from crawler.api.tables import Crawl, Harvest, Page
from focusweb.database import write_transaction
from focusweb.runtime import wakeups
from topics.models import ExamplePage, Thumb, Topic, TopicFigures
from topics.profile.crawl import save_crawl

#: Trust in an example page beside that in a seed.
EXAMPLE_WEIGHT = 2.0
#: More stored pages than this are judged again in the background.
N_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class ThumbResult:
    """A thumb that was given or taken back, and what that changed."""

    value: int  # 1, -1, or 0 for none
    moved: ChangedPages | None


def set_thumb(topic: Topic, user: Any, harvest: Harvest, value: int, now: datetime) -> ThumbResult:
    """Give a page a thumb, or take it back with 0, and judge the stored pages again.

    Raises
    ------
    ValueError
        If `value` is not 1, 0 or -1.
    """
    if value not in (1, 0, -1):
        raise ValueError(f"a thumb is 1, 0 or -1, got {value}")
    with write_transaction():
        if value:
            Thumb.objects.update_or_create(
                user_id=user.pk,
                topic=topic,
                url_id=harvest.url_id,
                defaults={"value": value, "created": now},
            )
        else:
            Thumb.objects.filter(user_id=user.pk, topic=topic, url_id=harvest.url_id).delete()
        moved = apply_labels(topic, now)
    return ThumbResult(value, moved)


def give_answers(
    topic: Topic, user: Any, answers: Mapping[int, bool], now: datetime
) -> ChangedPages | None:
    """Save answers, by number of the URL, as thumbs, and judge the stored pages again."""
    with write_transaction():
        for url_id, good in answers.items():
            Thumb.objects.update_or_create(
                user_id=user.pk,
                topic=topic,
                url_id=url_id,
                defaults={"value": 1 if good else -1, "created": now, "answers": True},
            )
        return apply_labels(topic, now)


def apply_labels(topic: Topic, now: datetime) -> ChangedPages | None:
    """Save all labels of a topic for the crawler; re-score the stored pages if any changed."""
    crawl = topic.crawl
    if crawl is None or not save_topic_labels(topic):
        return ChangedPages()
    return rescore_stored(crawl, now)


def save_topic_labels(topic: Topic) -> bool:
    """Save all labels of a topic for the crawler; return False if nothing changed.

    The timer finds in `outdated_crawls` that the stored pages are to be judged again.
    """
    return topic.crawl is not None and save_labels(topic.crawl, labels_of(topic))


def apply_profile(topic: Topic, now: datetime) -> ChangedPages | None:
    """Hand the crawler what a topic is now; judge again, as `rescore_stored`, if that is news."""
    crawl = save_crawl(topic, now)
    return ChangedPages() if is_judged(crawl) else rescore_stored(crawl, now)


def rescore_stored(crawl: Crawl, now: datetime) -> ChangedPages | None:
    """Judge the stored pages again; None if there are too many, which a task judges."""
    if crawl.harvests.count() <= N_AT_ONCE:
        changed = rejudge(crawl, now)
        TopicFigures.objects.forget(crawl)
        return changed
    wakeups.wake("topics.tasks.judge_stored", crawl.pk)
    return None


def outdated_crawls() -> list[int]:
    """Numbers of the crawls whose stored pages were judged by what was wanted before.

    The process that changed them ended before it judged again, or left it to a task.
    """
    return [crawl.pk for crawl in Crawl.objects.exclude(topic=None) if is_outdated(crawl)]


def labels_of(topic: Topic) -> list[LabelledPage]:
    """Return every example and every thumb; of several on one page the last counts.

    A thumb on an example's page is a second label: what the judge learns from stays as it is.
    """
    return [*_examples(topic), *_last_of(_thumbs(topic.thumbs.all()))]


def labels_with_thumb(topic: Topic, user: Any, url_id: int, value: int) -> list[LabelledPage]:
    """The labels that a topic would have if a person rated a page so, or not at all with 0."""
    own = {"user_id": user.pk, "url_id": url_id}
    others = _thumbs(topic.thumbs.exclude(**own))
    if value:
        # As `set_thumb` stores it: an answer stays one.
        answers = topic.thumbs.filter(**own, answers=True).exists()
        others.append((url_id, value, answers))
    return [*_examples(topic), *_last_of(others)]


def labels_with_example(topic: Topic, example: LabelledPage) -> list[LabelledPage]:
    """Return the labels that a topic would have with one more example."""
    return [*_examples(topic, example), *_last_of(_thumbs(topic.thumbs.all()))]


def _examples(topic: Topic, *more: LabelledPage) -> list[LabelledPage]:
    shown: dict[tuple[int, bytes], LabelledPage] = {}
    stored = _stored_pages(topic)
    for example in topic.examples.filter(state=ExamplePage.State.READ):
        page = stored.get(example.url, 0)
        terms = b"" if page else bytes(example.packed_terms)
        shown[page, terms] = LabelledPage(example.good, EXAMPLE_WEIGHT, page, terms)
    return [*(shown | {(row.page, row.terms): row for row in more}).values()]


def _thumbs(thumbs: QuerySet[Thumb]) -> list[tuple[int, int, bool]]:
    return list(thumbs.order_by("created", "pk").values_list("url_id", "value", "answers"))


def _last_of(thumbs: Iterable[tuple[int, int, bool]]) -> list[LabelledPage]:
    last: dict[int, LabelledPage] = {}
    for url_id, value, answers in thumbs:
        last[url_id] = LabelledPage(value > 0, 1.0, url_id, decided=True, answers=answers)
    return [*last.values()]


def _stored_pages(topic: Topic) -> dict[str, int]:
    """Numbers of the stored pages among the example addresses.

    Of one that was stored whole the example's own terms may be those of the article.
    """
    urls = topic.examples.exclude(url="").values_list("url", flat=True)
    pages = Page.objects.filter(url__url__in=list(urls)).exclude(reader_version=None)
    return dict(pages.values_list("url__url", "pk"))


@dataclass(frozen=True, slots=True)
class ThumbRow:
    """A thumb as a list shows it."""

    value: int
    created: datetime
    title: str
    harvest_pk: int


def thumb_rows(topic: Topic, user: Any) -> list[ThumbRow]:
    """Return a person's thumbs of a topic with their pages, the latest first."""
    thumbs = Thumb.objects.filter(topic=topic, user_id=user.pk).order_by("-created", "-pk")
    given = list(thumbs.values_list("url_id", "value", "created"))
    pages = Harvest.objects.filter(crawl=topic.crawl_id, url_id__in=[url for url, *_ in given])
    found = {harvest.url_id: harvest for harvest in pages.select_related("url__page")}
    return [
        ThumbRow(value, created, found[url].title, found[url].pk)
        for url, value, created in given
        if url in found
    ]
