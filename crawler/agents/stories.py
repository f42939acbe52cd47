"""Put the pages of a crawl that tell the same into one story, each for ever."""

from collections.abc import Collection, Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from crawler.agents import bulk
from crawler.models import Crawl, FrontierEntry, Harvest, Story
from crawler.models.web import as_unsigned
from crawler.page.near_duplicates import StoryGroups, Telling
from crawler.reasons import Reason

#: Copies of an older story begin a new one: a report is reprinted within days.
N_STORIES = 5000

_TELLING = "url__page__title", "url__page__fingerprint", "url__site__domain"


def group_stories(crawl: Crawl) -> int:
    """Give every page that has no story yet its own, or that of which it is a copy; how many.

    Pages never move: what a person was shown or told as one story stays one.
    """
    rows = list(
        tellers([crawl.pk])
        .filter(story=None)
        .order_by("first_seen", "pk")
        .values_list("pk", "first_seen", *_TELLING)
    )
    if not rows:
        return 0
    groups = _known(crawl)
    first_seen = {-row[0]: row[1] for row in rows}
    # New groups have negative numbers until they are stored.
    placed = {row[0]: groups.place(_telling(-row[0], *row[2:])) for row in rows}
    begun = sorted({key for key in placed.values() if key < 0}, reverse=True)
    with transaction.atomic():
        made = Story.objects.bulk_create(
            Story(crawl=crawl, first_seen=first_seen[key]) for key in begun
        )
        numbers = {key: story.pk for key, story in zip(begun, made, strict=True)}
        bulk.execute_many(
            f"UPDATE {bulk.table(Harvest)} SET story_id = %s WHERE id = %s",
            [(numbers.get(key, key), pk) for pk, key in placed.items()],
        )
    return len(placed)


def tellers(crawls: Collection[int]) -> QuerySet[Harvest]:
    """Harvests of some crawls that tell a story: kept pages, and copies of kept pages."""
    copies = FrontierEntry.objects.filter(
        crawl=OuterRef("crawl"), url=OuterRef("url"), reason=Reason.DUPLICATE
    )
    rows = Harvest.objects.filter(crawl__in=crawls, url__page__isnull=False)
    return rows.filter(Q(kept=True) | Exists(copies))


def _known(crawl: Crawl) -> StoryGroups:
    """The newest stories by their first pages."""
    groups = StoryGroups()
    newest = list(crawl.stories.order_by("-pk").values_list("pk", flat=True)[:N_STORIES])
    for telling in _firsts(newest):
        groups.begin(telling)
    return groups


def _firsts(stories: list[int]) -> Iterable[Telling]:
    seen: set[int] = set()
    for some in bulk.chunks(stories):
        rows = Harvest.objects.filter(story__in=some).order_by("pk")
        rows = rows.filter(url__page__isnull=False)
        for story, *told in rows.values_list("story_id", *_TELLING):
            if story not in seen:
                seen.add(story)
                yield _telling(story, *told)


def _telling(key: int, title: str, fingerprint: int, site: str) -> Telling:
    return Telling.of(key, title, as_unsigned(fingerprint), site)
