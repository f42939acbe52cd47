"""Other sites with a page of the same story."""

from collections.abc import Sequence

from django.db.models import QuerySet

from crawler.api.judging import pages_of_stories
from crawler.api.tables import Harvest
from focusweb.database import number_list
from focusweb.prepared import prepared


def also_at(harvests: Sequence[Harvest]) -> dict[int, list[Harvest]]:
    """Pages of other sites with the story of each, by the harvest's number.

    Best first, one a site.
    """
    by_story: dict[int, list[Harvest]] = {}
    for harvest in harvests:
        if harvest.story_id is not None:
            by_story.setdefault(harvest.story_id, []).append(harvest)
    if not by_story:
        return {}
    others: dict[int, dict[int, Harvest]] = {}
    for row in _in_stories([*by_story]):
        for harvest in by_story[row.story_id or 0]:
            if row.url.site_id != harvest.url.site_id:
                others.setdefault(harvest.pk, {}).setdefault(row.url.site_id, row)
    return {pk: list(found.values()) for pk, found in others.items()}


@prepared
def _in_stories(stories: Sequence[int]) -> QuerySet[Harvest]:
    rows = pages_of_stories(number_list(stories)).select_related("url__site")
    return rows.only("story", "url__url", "url__site__name").order_by("-score", "pk")
