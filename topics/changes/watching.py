"""Watch starred pages and seeds: keep their texts, and note what changes, once."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import Exists, F, OuterRef, Q

from crawler.api.pages import is_listing
from crawler.api.tables import Page, Url, chunks, pack_text, unpack_text
from focusweb.database import write_transaction
from topics.changes.words import DiffKind, around_changes, difference, is_small, weight
from topics.models import PageChange, Reading, Topic, TopicReader, WatchedPage

#: Watched pages of one topic: its seeds, then what was starred last.
MAX_WATCHED: Final = 200
#: Characters of a text that are kept and compared.
MAX_CHARS: Final = 40_000
#: Changes of one page that are kept, the latest.
MAX_CHANGES: Final = 20
#: Characters around each change in the short form, and of the whole of it.
CONTEXT: Final = 60
EXTRACT: Final = 400
#: Pages that one round begins to watch, and compares.
MAX_AT_ONCE: Final = 50


class _WatchReason(NamedTuple):
    """Why a page is watched."""

    is_seed: bool = False
    is_starred: bool = False


#: The pages of topics by numbers of the topic and of the URL.
_Wanted = dict[tuple[int, int], _WatchReason]


def store_changes(now: datetime, *, clock: Callable[[], datetime] | None = None) -> int:
    """Watch starred pages and seeds, and store their changes. Return how many.

    `clock` gives the time at which each is stored; without it, that is `now`.
    """
    clock = clock or (lambda: now)
    wanted = _wanted()
    rows = WatchedPage.objects.values_list("pk", "topic_id", "url_id", "is_seed")
    known = {(topic, url): (pk, is_seed) for pk, topic, url, is_seed in rows}
    for key, (pk, is_seed) in known.items():
        if key not in wanted:
            WatchedPage.objects.filter(pk=pk).delete()
        elif wanted[key].is_seed != is_seed:
            WatchedPage.objects.filter(pk=pk).update(is_seed=not is_seed)
    _begin([key for key in wanted if key not in known], wanted)
    changed = (
        WatchedPage.objects.exclude(content_hash=F("url__page__content_hash"))
        .filter(url__page__isnull=False)
        .select_related("url__page")
    )
    return sum(_compare(row, clock) for row in changed.order_by("pk")[:MAX_AT_ONCE])


def _wanted() -> _Wanted:
    """What is to be watched: seeds first, then starred pages, the latest stars first."""
    found: dict[int, dict[int, _WatchReason]] = defaultdict(dict)
    for topic, url in _seeds():
        if len(found[topic]) < MAX_WATCHED:
            found[topic][url] = _WatchReason(is_seed=True)
    readers = TopicReader.objects.filter(topic=OuterRef("topic"), user=OuterRef("user"))
    # A star outlives the right to read the topic, and would take the place of the owner's.
    may_read = Q(user=F("topic__owner")) | Exists(readers)
    starred = Reading.objects.filter(may_read, starred__isnull=False, user__is_active=True)
    for topic, url in starred.order_by("-starred").values_list("topic_id", "url_id"):
        if url in found[topic]:
            found[topic][url] = found[topic][url]._replace(is_starred=True)
        elif len(found[topic]) < MAX_WATCHED:
            found[topic][url] = _WatchReason(is_starred=True)
    return {(topic, url): why for topic, urls in found.items() for url, why in urls.items()}


def _seeds() -> Iterator[tuple[int, int]]:
    topics: dict[str, list[int]] = defaultdict(list)
    for pk, seeds in Topic.objects.filter(active=True).values_list("pk", "seeds"):
        for line in seeds.splitlines()[:MAX_WATCHED]:
            topics[line.strip()].append(pk)
    for some in chunks(sorted(topics)):
        for number, url in Url.objects.filter(url__in=some).values_list("pk", "url"):
            yield from ((topic, number) for topic in topics[url])


def _begin(new: list[tuple[int, int]], wanted: _Wanted) -> None:
    """Keep the present text of pages that are watched from now on."""
    urls = sorted({url for _topic, url in new})
    pages = {
        page.pk: page
        for some in chunks(urls)
        for page in Page.objects.filter(pk__in=some).exclude(reader_version=None)
        if not is_listing(page.flags.split(","))
    }
    # A front page or list that is a seed is different at each visit; its links are followed.
    ready = [
        key
        for key in new
        if key[1] in pages and (wanted[key].is_starred or pages[key[1]].has_article)
    ][:MAX_AT_ONCE]
    WatchedPage.objects.bulk_create(
        (
            WatchedPage(
                topic_id=topic,
                url_id=url,
                is_seed=wanted[topic, url].is_seed,
                packed_text=pack_text(pages[url].text[:MAX_CHARS]),
                content_hash=pages[url].content_hash,
                reader_version=pages[url].reader_version or 0,
            )
            for topic, url in ready
        ),
        ignore_conflicts=True,
    )


def _compare(row: WatchedPage, clock: Callable[[], datetime]) -> bool:
    """Note the change of a page unless it is small; False if it is, or another process did."""
    page: Page = row.url.page
    same_reader = (page.reader_version or 0) == row.reader_version
    before, after = unpack_text(row.packed_text), page.text[:MAX_CHARS]
    pieces = difference(before, after) if same_reader else []
    is_change = bool(pieces) and not is_small(pieces)
    new: dict[str, object] = {
        "content_hash": page.content_hash,
        "reader_version": page.reader_version or 0,
    }
    if is_change or not pieces:
        # After a small change the next one is compared with the text before both.
        new["packed_text"] = pack_text(after)
    with write_transaction():
        same = WatchedPage.objects.filter(pk=row.pk, content_hash=row.content_hash)
        if not same.update(**new) or not is_change:
            return False
        PageChange.objects.create(
            topic_id=row.topic_id,
            url_id=row.url_id,
            is_seed=row.is_seed,
            # Not before the transaction: an issue of a digest that is made meanwhile would leave it
            # out, and the next one covers only what is later than that.
            found=clock(),
            packed_before=bytes(row.packed_text),
            packed_after=pack_text(after),
            summary=[
                (piece.kind, piece.text) for piece in around_changes(pieces, CONTEXT, EXTRACT)
            ],
            n_inserted=round(weight(pieces, DiffKind.INSERTED)),
            n_deleted=round(weight(pieces, DiffKind.DELETED)),
        )
        old = PageChange.objects.filter(topic=row.topic_id, url=row.url_id).order_by("-pk")
        keys = list(old.values_list("pk", flat=True)[MAX_CHANGES:])
        PageChange.objects.filter(pk__in=keys).delete()
    return True
