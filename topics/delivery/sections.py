"""What the sections of an issue hold: topics and saved searches, each story in one of them."""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Final

from django.db.models import Q

from crawler.api.ranking import Candidate, first_ranked, is_new_site
from crawler.api.tables import Harvest, HarvestQuerySet
from topics.models import Digest, DigestIssue, DigestItem, SavedSearch, Topic
from topics.pages.news import in_order
from topics.pages.not_spam import fair_news
from topics.pages.saved_searches import fitting, topics_of
from topics.search.errors import SearchError

logger = logging.getLogger(__name__)

#: Time for which pages are considered again: one may have been on its way into the tables when the
#: last issue was made, have been left out for better ones, or have risen since.
AGAIN: Final = timedelta(days=2)
MAX_CANDIDATES: Final = 2000
#: Pages of one site in one section, at most.
PER_SITE: Final = 3


@dataclass(frozen=True, slots=True)
class Section:
    """A part of an issue: a topic, or a saved search in its topics."""

    name: str
    topics: Sequence[Topic]
    search: SavedSearch | None = None


@dataclass(frozen=True, slots=True)
class ChosenPage:
    """A page of an issue, of which topic it is, and the heading above it; "" for none."""

    harvest: Harvest
    topic: Topic
    section: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The pages of an issue, section by section, best first.

    Attributes
    ----------
    n_more : int
        Pages that were news too but found no place.
    n_of_full_sites : int
        Those of them that were left out because their site had all its places.
    """

    pages: Sequence[ChosenPage] = ()
    n_more: int = 0
    n_of_full_sites: int = 0


@dataclass(frozen=True, slots=True)
class _Row:
    candidate: Candidate
    topic: Topic
    url_id: int
    score: float


def sections_of(digest: Digest) -> list[Section]:
    """Return the sections of a digest's mails: its topic, further topics, saved searches."""
    topics = [digest.topic, *digest.topics_besides()]
    sections = [Section(topic.name, [topic]) for topic in topics]
    searches = digest.saved_searches()
    return sections + [Section(one.name, topics_of(one), one) for one in searches]


def topics_of_digest(digest: Digest) -> list[Topic]:
    """Return all topics whose pages a digest may hold, each once."""
    topics = [topic for section in sections_of(digest) for topic in section.topics]
    return list({topic.pk: topic for topic in topics}.values())


def choose_pages(digest: Digest, covers_from: datetime, now: datetime) -> Choice:
    """The pages an issue made now would hold, and how many were left out."""
    sections, seen = sections_of(digest), set[int]()
    chosen: list[list[_Row]] = []
    n_candidates = n_full = 0
    for section in sections:
        rows = [
            row for row in _candidates(digest, section, covers_from, now) if row.url_id not in seen
        ]
        seen |= {row.url_id for row in rows}
        ranked = [row.candidate for row in rows]
        won = {one.key for one in first_ranked(ranked, digest.max_items, per_site=PER_SITE)}
        chosen.append([row for row in rows if row.candidate.key in won])
        n_candidates += len(rows)
        n_full += _n_of_full_sites(rows, won)
    kept = _share_places(chosen, digest.max_items)
    harvests = in_order([row.candidate.key for rows in kept for row in rows])
    by_key = {harvest.pk: harvest for harvest in harvests}
    pages = [
        ChosenPage(by_key[row.candidate.key], row.topic, section.name if len(sections) > 1 else "")
        for section, rows in zip(sections, kept, strict=True)
        for row in rows
        if row.candidate.key in by_key
    ]
    return Choice(pages, n_candidates - len(pages), n_full)


def delivered_pages(digest: Digest, topic: Topic) -> HarvestQuerySet:
    """Pages of a topic that an issue of a digest delivered, and all others of their stories."""
    # By its number, not its relation: a digest in a preview may not be stored yet.
    issues = DigestIssue.objects.filter(digest=digest.pk).delivered()
    items = DigestItem.objects.filter(issue__in=issues.values("pk"))
    return Harvest.objects.filter(crawl__topic=topic.pk).filter(
        Q(url_id__in=items.values("url_id"))
        | Q(story__in=items.exclude(story=None).values("story_id"))
    )


def _candidates(
    digest: Digest, section: Section, covers_from: datetime, now: datetime
) -> list[_Row]:
    """The news that a section could hold, best first."""
    found: list[_Row] = []
    for topic in section.topics:
        if topic.crawl is None:
            continue
        rows = (
            fair_news(topic, now)
            # A page has its story, and the score that counts, once its crawl has ranked it.
            .filter(first_seen__gt=covers_from - AGAIN, story__isnull=False)
            .exclude(pk__in=delivered_pages(digest, topic).values("pk"))
        )
        if section.search is not None:
            try:
                rows = rows.filter(pk__in=fitting(section.search, rows, topic, now))
            except SearchError as error:
                # The digest's page says so; its other sections come.
                logger.warning("saved search %s: %s", section.search.pk, error)
                continue
        found += _rows(rows.one_per_story().order_by("-score", "pk"), topic, now)
    if len(section.topics) > 1:
        found.sort(key=lambda row: (-row.score, row.candidate.key))
    best: dict[int, _Row] = {}
    for row in found:
        best.setdefault(row.url_id, row)
    return list(best.values())


def _rows(rows: HarvestQuerySet, topic: Topic, now: datetime) -> list[_Row]:
    assert topic.crawl is not None
    began = topic.crawl.baseline_end()
    columns = "pk", "url__site__domain", "url__site__first_seen", "url_id", "score"
    return [
        _Row(Candidate(pk, domain, is_new_site(seen, began, now)), topic, url_id, score)
        for pk, domain, seen, url_id, score in rows.values_list(*columns)[:MAX_CANDIDATES]
    ]


def _n_of_full_sites(rows: Sequence[_Row], won: set[int]) -> int:
    places = Counter(row.candidate.site for row in rows if row.candidate.key in won)
    left = [row.candidate.site for row in rows if row.candidate.key not in won]
    return sum(places[site] >= PER_SITE for site in left)


def _share_places(sections: Sequence[Sequence[_Row]], n_places: int) -> list[list[_Row]]:
    """Give the places of a mail to its sections in turn, each section's best first."""
    kept: list[list[_Row]] = [[] for _ in sections]
    for turn in zip_longest(*sections):
        for number, row in enumerate(turn):
            if row is not None and n_places > 0:
                kept[number].append(row)
                n_places -= 1
    return kept
