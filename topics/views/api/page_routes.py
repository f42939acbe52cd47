"""Pages of a topic, what a user says of them, searches and saved searches."""

from typing import Any, Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Path, Router, Status
from ninja.errors import HttpError

from crawler.api.tables import Harvest
from topics.delivery.rules.saving import delete_search
from topics.models import SavedSearch, Thumb, Topic
from topics.models.searches import MAX_SAVED
from topics.pages import explain
from topics.pages.reading import (
    BETWEEN_TAGS,
    NO_MARKS,
    marks_of,
    set_hidden,
    set_note,
    set_read,
    set_starred,
)
from topics.pages.rows import page_words
from topics.pages.saved_searches import keep_search
from topics.pages.search_facts import resolve
from topics.pages.search_results import result_rows, scope_of
from topics.pages.search_screen import found_views, read_request
from topics.profile.feedback import set_thumb
from topics.search.query import parse_query
from topics.views.api import shapes
from topics.views.api.base import ERRORS, FEEDBACK, MANAGE, READ, answer_once
from topics.views.api.paging import part_of
from topics.views.api.topic_routes import NO_HEADER, topic_of

router = Router(tags=["pages"])

Order = Literal["newest", "score"]
_FIELDS = {"newest": "first_seen", "score": "score"}


def _shown(topic: Topic, user: Any, rows: list[Harvest]) -> list[dict[str, Any]]:
    url_ids = [row.url_id for row in rows]
    marks = marks_of(topic, user, url_ids)
    thumbs = Thumb.objects.filter(topic=topic, user=user, url_id__in=url_ids)
    ratings = dict(thumbs.values_list("url_id", "value"))
    return [_page(row, marks.get(row.url_id, NO_MARKS), ratings.get(row.url_id, 0)) for row in rows]


def _page(row: Harvest, marks: Any, rating: int) -> dict[str, Any]:
    return {
        "id": row.pk,
        "url": row.url.url,
        "title": row.title,
        "site": row.url.site.name,
        "language": row.page.language,
        "score": row.score,
        "relevance": row.relevance,
        "parts": {one["name"]: one["value"] for one in row.explanation.get("parts", [])},
        "published": row.published,
        "first_seen": row.first_seen,
        "rating": rating,
        "read": marks.read,
        "starred": marks.starred,
        "hidden": marks.hidden,
        "note": marks.note,
        "tags": list(marks.tags),
    }


@router.get("/topics/{slug}/pages", auth=READ, response=ERRORS | {200: shapes.Listed[shapes.Page]})
def list_pages(
    request: HttpRequest,
    slug: Path[shapes.Slug],
    order: Order = "newest",
    cursor: shapes.Cursor = "",
    limit: shapes.Limit = 50,
) -> dict[str, Any]:
    """List the kept pages of a topic, newest or best first."""
    topic = topic_of(request, slug)
    kept = Harvest.objects.kept().filter(crawl=topic.crawl_id)
    rows = kept.select_related("url__site", "url__page")
    return part_of(
        rows, _FIELDS[order], cursor, limit, lambda found: _shown(topic, request.user, found)
    )


def _harvest(topic: Topic, pk: int) -> Harvest:
    rows = Harvest.objects.select_related("url__site", "url__page")
    return get_object_or_404(rows, pk=pk, crawl=topic.crawl_id, url__page__isnull=False)


@router.get("/topics/{slug}/pages/{pk}", auth=READ, response=ERRORS | {200: shapes.FullPage})
def read_page(
    request: HttpRequest, slug: Path[shapes.Slug], pk: Path[shapes.Key]
) -> dict[str, Any]:
    """Read a page with its text and the terms that matched."""
    topic = topic_of(request, slug)
    row = _harvest(topic, pk)
    matched = explain.found_terms(row.explanation, page_words(row))
    (shown,) = _shown(topic, request.user, [row])
    return shown | {"text": row.page.text, "matched_terms": [str(term) for term, _ in matched]}


@router.put(
    "/topics/{slug}/pages/{pk}/rating", auth=FEEDBACK, response=ERRORS | {200: shapes.Rated}
)
def rate_page(
    request: HttpRequest,
    slug: Path[shapes.Slug],
    pk: Path[shapes.Key],
    rating: shapes.Rating,
) -> dict[str, Any]:
    """Rate a page; the stored pages of the topic are scored again."""
    topic = topic_of(request, slug)
    done = set_thumb(topic, request.user, _harvest(topic, pk), rating.value, timezone.now())
    return {"value": done.value, "moved": done.moved.total if done.moved else None}


@router.patch(
    "/topics/{slug}/pages/{pk}/marks", auth=FEEDBACK, response=ERRORS | {200: shapes.Page}
)
def mark_page(
    request: HttpRequest,
    slug: Path[shapes.Slug],
    pk: Path[shapes.Key],
    marks: shapes.Marks,
) -> dict[str, Any]:
    """Mark a page as read, starred or hidden, or change its note and tags."""
    topic, now, user = topic_of(request, slug), timezone.now(), request.user
    row = _harvest(topic, pk)
    for tag in marks.tags or []:
        if BETWEEN_TAGS.search(tag):
            raise HttpError(422, f"a tag has no comma, semicolon or line break, got {tag!r}")
    if marks.read is not None:
        set_read(topic, user, row.url_id, now, read=marks.read)
    if marks.starred is not None:
        set_starred(topic, user, row.url_id, now, starred=marks.starred)
    if marks.hidden is not None:
        set_hidden(topic, user, row.url_id, now, marks.hidden)
    if marks.note is not None or marks.tags is not None:
        known = marks_of(topic, user, [row.url_id]).get(row.url_id, NO_MARKS)
        note = known.note if marks.note is None else marks.note
        tags = known.tags if marks.tags is None else marks.tags
        set_note(topic, user, row.url_id, now, note, ",".join(tags))
    (shown,) = _shown(topic, user, [row])
    return shown


@router.get("/search", auth=READ, response=ERRORS | {200: shapes.SearchAnswer})
def search(
    request: HttpRequest,
    q: shapes.SearchText,
    topic: shapes.TopicName = "",
    order: Literal["relevance", "newest", "score"] = "relevance",
    cursor: shapes.Offset = "",
    limit: shapes.Limit = 20,
) -> dict[str, Any]:
    """Search the kept pages of your topics, or of one, in the language of the search page."""
    own = Topic.objects.visible_to(request.user).select_related("crawl")
    topics = [topic_of(request, topic)] if topic else list(own)
    text_and_order = read_request(q, order=order)
    ids, fitting = found_views(text_and_order, topics)
    first = int(cursor or 0)
    crawls = [one.crawl for one in topics if one.crawl is not None]
    query = resolve(parse_query(text_and_order.text), scope_of(topics))
    pages = result_rows(ids[first : first + limit], query, crawls, fitting=fitting)
    after = first + limit
    return {
        "query": text_and_order.text,
        "total": len(ids),
        "items": [_found(page) for page in pages],
        "next": str(after) if after < len(ids) else None,
    }


def _found(page: Any) -> dict[str, Any]:
    row = page.harvest
    return {
        "id": row.pk,
        "topic": page.topic.slug if page.topic else "",
        "url": row.url.url,
        "title": row.title,
        "site": row.url.site.name,
        "score": row.score,
        "published": row.published,
        "first_seen": row.first_seen,
        "extract": " ".join(str(fragment) for fragment in page.fragments),
    }


def _saved(row: SavedSearch) -> dict[str, Any]:
    return {
        "id": row.pk,
        "name": row.name,
        "query": row.query,
        "topic": row.topic.slug if row.topic else None,
        "order": row.order,
        "on_home": row.on_home,
    }


@router.get("/saved-searches", auth=READ, response=ERRORS | {200: list[shapes.SavedSearch]})
def list_saved_searches(request: HttpRequest) -> list[dict[str, Any]]:
    """List your saved searches."""
    own = SavedSearch.objects.filter(owner_id=request.user.pk).select_related("topic")
    return [_saved(row) for row in own]


@router.post(
    "/saved-searches",
    auth=MANAGE,
    response=ERRORS | {201: shapes.SavedSearch, 409: shapes.Problem},
)
def save_search(
    request: HttpRequest,
    wanted: shapes.NewSavedSearch,
    idempotency_key: str = NO_HEADER,
) -> Status[Any]:
    """Save a search."""
    parse_query(wanted.query)
    topic = topic_of(request, wanted.topic) if wanted.topic else None
    values: dict[str, Any] = {
        "query": wanted.query,
        "topic": topic,
        "order": wanted.order,
        "without": [],
        "on_home": wanted.on_home,
    }

    def save() -> tuple[int, Any]:
        row = keep_search(request.user, wanted.name, values, timezone.now())
        if row is None:
            raise HttpError(409, f"you have {MAX_SAVED} saved searches; delete one first")
        return 201, _saved(row)

    return answer_once(request, idempotency_key, save)


@router.delete("/saved-searches/{pk}", auth=MANAGE, response=ERRORS | {204: None})
def delete_saved_search(request: HttpRequest, pk: Path[shapes.Key]) -> Status[None]:
    """Delete a saved search."""
    saved = get_object_or_404(SavedSearch, pk=pk, owner_id=request.user.pk)
    delete_search(saved, timezone.now())
    return Status(204, None)
