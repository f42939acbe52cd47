"""Changes of watched pages as lists show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import OuterRef, Subquery

from crawler.api.tables import Harvest
from topics.changes.words import DiffKind, DiffPiece
from topics.models import PageChange, Topic
from topics.pages.listing import ChangedPage
from topics.pages.opening import open_address

#: Changes among the news; the others are on their own page.
MAX_AMONG_NEWS: Final = 5
#: Unread changes that are read for the latest of each page.
MAX_UNREAD: Final = 50
#: Least score of a change among the news.
LEAST_SCORE: Final = 0.5


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A change with its page, and whether the reader has read it."""

    change: PageChange
    title: str
    language: str
    site: str
    opens: str
    pieces: Sequence[DiffPiece]
    is_read: bool

    def as_listed(self) -> ChangedPage:
        """The change as its place among the news depends on it: by the page's score, at least .5.

        A person chose to watch these pages, so a low score does not hide their changes.
        """
        score = max(getattr(self.change, "score", None) or 0.0, LEAST_SCORE)
        return ChangedPage(self.change.pk, score, self.change.found)


def unread_changes(topic: Topic, user: Any) -> list[ShownChange]:
    """Return the latest change of each page that a person has not read, with its page's score."""
    if not getattr(topic, "has_changes", True):
        return []
    pages = Harvest.objects.filter(crawl=topic.crawl_id, url=OuterRef("url"))
    rows = PageChange.objects.visible_to(user, topic).unread_by(user)
    rows = rows.annotate(score=Subquery(pages.values("score")[:1]))
    latest: dict[int, PageChange] = {}
    for row in rows.select_related("url__site", "url__page")[:MAX_UNREAD]:
        latest.setdefault(row.url_id, row)
    return shown_changes(list(latest.values())[:MAX_AMONG_NEWS], user, read=[])


def mark_changes_read(user: Any, keys: Sequence[int]) -> int:
    """Mark changes as read by a person. Return how many they were."""
    through = PageChange.read_by.through
    through.objects.bulk_create(
        (through(pagechange_id=key, user_id=user.pk) for key in keys), ignore_conflicts=True
    )
    return len(keys)


def shown_changes(
    rows: Sequence[PageChange], user: Any, *, read: Sequence[int] | None = None
) -> list[ShownChange]:
    """Turn changes into what is shown of them; `read` are the keys of those that are read."""
    if read is None:
        through = PageChange.read_by.through.objects.filter(user_id=user.pk)
        keys = [row.pk for row in rows]
        read = list(through.filter(pagechange__in=keys).values_list("pagechange_id", flat=True))
    return [_shown(row, is_read=row.pk in read) for row in rows]


def _shown(row: PageChange, *, is_read: bool) -> ShownChange:
    page = getattr(row.url, "page", None)
    return ShownChange(
        change=row,
        title=(page.title if page else "") or row.url.url,
        language=page.language if page else "",
        site=row.url.site.name,
        opens=open_address(row.url.url),
        pieces=[DiffPiece(DiffKind(kind), text) for kind, text in row.summary],
        is_read=is_read,
    )
