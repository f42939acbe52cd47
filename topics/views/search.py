"""The search page, and what can be done with many of its pages at once."""

from dataclasses import dataclass, replace
from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from crawler.api.tables import Harvest
from focusweb.plugins import offers
from topics.models import Topic
from topics.pages.reading import MarkAction, mark_many, tag_many, tags_fit, tags_in
from topics.pages.saved_searches import address_of
from topics.pages.search_export import MAX_EXPORTED, export_file
from topics.pages.search_facts import resolve
from topics.pages.search_results import best_harvests, readable_topics, result_rows, scope_of
from topics.pages.search_screen import (
    PAGES_PER_SCREEN,
    QuerySuggestion,
    SearchAnswer,
    SearchOrder,
    SearchRequest,
    found_views,
    n_screens,
    read_request,
    search_pages,
)
from topics.search.errors import SearchError
from topics.search.query import parse_query
from topics.views.reading import cut_tags_message
from topics.views.row_numbers import row_numbers

_PLAIN = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class _Link:
    """A search that one click leads to, with what is shown of it."""

    label: str
    address: str
    count: int = 0
    is_on: bool = False


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    query, topics, chosen = _read_address(request, request.GET)
    searched, reader = [chosen] if chosen else topics, request.user.pk
    answer = search_pages(query, searched, reader) if query.text else SearchAnswer()
    context = {
        "now": timezone.now(),
        "text": query.text,
        "topics": topics,
        "chosen": chosen,
        "reads_shared": any(topic.is_shared for topic in topics),
        "answer": answer,
        "order": query.order.value,
        "number": answer.screen,
        "n_screens": n_screens(answer.found.total if answer.found else 0),
        "first": (answer.screen - 1) * PAGES_PER_SCREEN + 1,
        "off": sorted(query.without),
        "address": address_of(query, chosen),
        "files": [(name, offer.item.label) for name, offer in offers("exporters").items()],
        **_links(query, chosen, answer),
    }
    return render(request, "topics/search.html", context)


def _links(query: SearchRequest, chosen: Topic | None, answer: SearchAnswer) -> dict[str, object]:
    """Every search that the page leads to."""
    to = partial(address_of, topic=chosen)

    def offered(one: QuerySuggestion) -> _Link:
        return _Link(one.label, to(replace(query, text=one.query)), one.count)

    labels = {
        SearchOrder.RELEVANCE: _("relevance"),
        SearchOrder.NEWEST: _("newest first"),
        SearchOrder.SCORE: _("score"),
    }
    return {
        "orders": [
            _Link(labels[order], to(replace(query, order=order)), is_on=order is query.order)
            for order in SearchOrder
        ],
        "names": [
            _Link(name.text, to(replace(query, without=query.without ^ {name.key})), 0, name.is_on)
            for name in answer.names
        ],
        "parts": [offered(one) for one in answer.parts],
        "meant": [offered(one) for one in answer.meant],
        "relaxed": [offered(one) for one in answer.relaxed],
        "shorter": answer.shorter and offered(answer.shorter),
        "facets": [
            (
                facet.name,
                [
                    _Link(x.label, to(replace(query, text=f"{answer.base} {x.condition}")), x.count)
                    for x in facet.values
                ],
            )
            for facet in answer.facets
        ],
    }


@require_safe
def search_export(request: HttpRequest) -> HttpResponse:
    """The pages of a search as a file; a 400 says what is wrong with the search."""
    query, topics, chosen = _read_address(request, request.GET)
    searched = [chosen] if chosen else topics
    kind = request.GET.get("format", "csv")
    known = offers("exporters")
    if kind not in known:
        names = ", ".join(known)
        return HttpResponse(f"format: {names}", status=400, content_type="text/plain")
    try:
        ids, fitting = found_views(query, searched, request.user.pk)
        return _file(kind, query, searched, ids, fitting, request.user.pk)
    except SearchError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain; charset=utf-8")


@require_POST
def search_bulk(request: HttpRequest) -> HttpResponse:
    """Mark or tag the chosen pages of a search, or all of them, or give them as a file."""
    query, topics, chosen = _read_address(request, request.POST)
    searched = [chosen] if chosen else topics
    back = redirect(f"{reverse('search')}?{address_of(query, chosen)}")
    action, tags = request.POST.get("do", ""), tags_in(request.POST.get("tags", ""))
    files = offers("exporters")
    if action not in {*MarkAction, *files, "tag"}:
        raise Http404
    try:
        pages = _picked(request.POST, query, searched, request.user.pk)
        if action in files and pages:
            ids = [page.url_id for page in pages]
            picked = frozenset((page.crawl_id, page.url_id) for page in pages)
            return _file(action, query, searched, ids, picked, request.user.pk)
    except SearchError:
        messages.error(request, _("The search cannot be run now. Nothing was changed."))
        return back
    if not pages:
        messages.error(request, _("Choose at least one page first."))
    elif action == "tag" and not tags:
        messages.error(request, _("Write a tag first."))
    else:
        now = timezone.now()
        if action == "tag":
            count = tag_many(pages, request.user, tags, now)
        else:
            count = mark_many(pages, request.user, MarkAction(action), now)
        sentence = ngettext("%(count)d page changed.", "%(count)d pages changed.", count)
        messages.success(request, sentence % {"count": count})
        if action == "tag" and not tags_fit(request.POST["tags"]):
            messages.warning(request, cut_tags_message())
    return back


def _picked(
    given: QueryDict, query: SearchRequest, searched: list[Topic], reader: int | None
) -> list[Harvest]:
    """The pages that a form chose, as the best of the searched topics sees them."""
    crawls = [topic.crawl for topic in searched if topic.crawl is not None]
    if given.get("all"):
        ids, fitting = found_views(query, searched, reader)
        ids = ids[:MAX_EXPORTED]
        best = best_harvests(ids, crawls, fitting)
        return [best[page_id] for page_id in ids if page_id in best]
    chosen = row_numbers(given.getlist("pick")[:MAX_EXPORTED])
    own = Harvest.objects.kept().filter(crawl__in=crawls, pk__in=chosen)
    return list(own.select_related("crawl__topic").order_by("-score", "pk"))


def _file(
    kind: str,
    query: SearchRequest,
    searched: list[Topic],
    ids: list[int],
    fitting: frozenset[tuple[int, int]],
    reader: int | None,
) -> HttpResponse:
    """Some pages of a search as a file."""
    resolved = resolve(parse_query(query.text), scope_of(searched, reader))
    crawls = [topic.crawl for topic in searched if topic.crawl is not None]
    pages = result_rows(ids[:MAX_EXPORTED], resolved, crawls, fitting=fitting)
    offer = offers("exporters").get(kind)  # None if it was paused meanwhile
    file = export_file(offer, query.text, pages) if offer else None
    if file is None:
        return HttpResponse("the plugin of this format failed", status=503, content_type=_PLAIN)
    response = HttpResponse(file.body, content_type=file.content_type)
    response["Content-Disposition"] = f'attachment; filename="search.{kind}"'
    return response


def _read_address(
    request: HttpRequest, given: QueryDict
) -> tuple[SearchRequest, list[Topic], Topic | None]:
    """What an address or form says, the topics to be read, and the one it is about."""
    query = read_request(
        given.get("q", ""),
        order=given.get("order", ""),
        without=given.getlist("without"),
        screen=given.get("page", ""),
    )
    topics, slug = readable_topics(request.user), given.get("topic", "")
    chosen = next((topic for topic in topics if topic.slug == slug), None)
    if slug and chosen is None:
        raise Http404
    return query, topics, chosen
