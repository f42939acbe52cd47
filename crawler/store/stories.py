"""Group the pages of a crawl that report the same event into stories."""

from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import Exists, Expression, OuterRef, Q, QuerySet

from crawler.models import Crawl, FrontierEntry, Harvest, Page, Story, bulk
from crawler.models.web import as_unsigned, unpack_terms
from crawler.page.duplicates.near_duplicates import MAX_FIRSTS, StoryFeatures, StoryGroups
from crawler.page.duplicates.shingles import Shingles
from crawler.page.parsed import PageTerms
from focusweb.database import write_transaction

#: Copies of an older story begin a new one.
N_STORIES = MAX_FIRSTS

_FEATURE_COLUMNS = (
    "url__page__title",
    "url__page__fingerprint",
    "url__site__domain",
    "url__page__own_fingerprint",
    "url_id",
)


def group_stories(crawl: Crawl, *, n_compared: int = N_STORIES) -> int:
    """Give each page without a story the story of its original, or a new one. Return how many.

    Pages never change their story: what a user has seen as one story stays one. Pages are compared
    with the newest stories, and with older ones of their site under the same title.
    """
    rows = list(
        _in_stories(Harvest.objects.filter(crawl=crawl))
        .filter(story=None)
        .order_by("first_seen", "pk")
        .values_list("pk", "first_seen", *_FEATURE_COLUMNS)
    )
    if not rows:
        return 0
    groups = _known(crawl, {(row[2], row[4]) for row in rows}, n_compared)
    first_seen = {-row[0]: row[1] for row in rows}
    # New groups have negative numbers until they are stored.
    placed = {row[0]: groups.place(_features(-row[0], *row[2:])) for row in rows}
    begun = sorted({key for key in placed.values() if key < 0}, reverse=True)
    with write_transaction():
        made = Story.objects.bulk_create(
            Story(crawl=crawl, first_seen=first_seen[key]) for key in begun
        )
        numbers = {key: story.pk for key, story in zip(begun, made, strict=True)}
        bulk.execute_many(
            f"UPDATE {bulk.table(Harvest)} SET story_id = %s WHERE id = %s",
            [(numbers.get(key, key), pk) for pk, key in placed.items()],
        )
    return len(placed)


def pages_of_stories(stories: Collection[int] | Expression) -> QuerySet[Harvest]:
    """Harvests that belong to some stories; each story is of one crawl.

    Naming the crawl too would make SQLite read every harvest of the crawl.
    """
    return _in_stories(Harvest.objects.filter(story__in=stories))


def _in_stories(rows: QuerySet[Harvest]) -> QuerySet[Harvest]:
    """Keep those that belong to stories: kept pages, and copies of kept pages."""
    entries = FrontierEntry.objects.filter(crawl=OuterRef("crawl"), url=OuterRef("url"))
    is_one = Q(kept=True) | Exists(entries.copies())
    return rows.filter(url__page__isnull=False).filter(is_one)


def _known(crawl: Crawl, titles: Collection[tuple[str, str]], n_compared: int) -> StoryGroups:
    """Stories that may get another page: the newest, and those with titles.

    They are known by their first pages, and by those with `titles`.
    """
    groups = StoryGroups()
    stories = list(crawl.stories.order_by("-pk").values_list("pk", flat=True)[:n_compared])
    if len(stories) == n_compared:
        stories += _older(crawl, stories[-1], titles)
    begun: set[int] = set()
    # The oldest first, as the latest are kept.
    for story, *columns in _story_rows(sorted(stories)):
        if story not in begun:
            begun.add(story)
            groups.begin(_features(story, *columns))
        elif (columns[0], columns[2]) in titles:
            groups.join(_features(story, *columns), story)
    return groups


def _older(crawl: Crawl, newest: int, titles: Collection[tuple[str, str]]) -> list[int]:
    """Stories before that one which have a page under one of `titles`, given with their site.

    What moves may be much older than what is reprinted.
    """
    found: set[int] = set()
    for some in bulk.chunks(sorted({title for title, _ in titles})):
        rows = Harvest.objects.filter(crawl=crawl, story__lt=newest, url__page__title__in=some)
        columns = rows.values_list("story_id", "url__page__title", "url__site__domain")
        found.update(story for story, *by in columns if story and tuple(by) in titles)
    return sorted(found)


def _story_rows(stories: list[int]) -> Iterator[tuple[Any, ...]]:
    """Yield the story and `_FEATURE_COLUMNS` of each page of some stories, oldest first."""
    for some in bulk.chunks(stories):
        rows = Harvest.objects.filter(story__in=some).order_by("pk")
        rows = rows.filter(url__page__isnull=False)
        yield from rows.values_list("story_id", *_FEATURE_COLUMNS)


def _features(
    key: int, title: str, fingerprint: int, site: str, own: int | None, page: int
) -> StoryFeatures:
    return StoryFeatures.of(
        key,
        title,
        as_unsigned(fingerprint),
        site,
        own_fingerprint=as_unsigned(own or 0),
        shingles=Shingles(lambda: _terms(page)),
    )


def _terms(page: int) -> PageTerms:
    """The tokens of a stored page; none if it has been deleted meanwhile."""
    # The ORM takes ten times as long for one value, and up to two pages are read for each new one.
    rows = bulk.select(f"SELECT packed_terms FROM {bulk.table(Page)} WHERE url_id = %s", [page])
    return unpack_terms(rows[0][0] if rows else b"")
