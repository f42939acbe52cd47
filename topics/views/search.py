"""The search page, and its pages as a file."""

from dataclasses import dataclass, replace
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from topics.models import Topic
from topics.pages.saved_searches import address_of
from topics.pages.search_export import MAX_EXPORTED, as_csv, as_json, as_markdown
from topics.pages.search_facts import resolve
from topics.pages.search_results import scope_of, shown_pages
from topics.pages.search_screen import (
    MAX_SCREENS,
    PAGES_PER_SCREEN,
    Order,
    Request,
    SearchAnswer,
    found_ids,
    read_request,
    search_pages,
)
from topics.search.errors import SearchError
from topics.search.query import parse_query

_FILES = (("csv", "CSV"), ("json", "JSON"), ("md", "Markdown"))
_TYPES = {"csv": "text/csv", "json": "application/json", "md": "text/markdown"}


@dataclass(frozen=True, slots=True)
class _Link:
    """A search that one click leads to, with what is shown of it."""

    label: str
    address: str
    count: int = 0
    is_on: bool = False


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    asked, topics, chosen = _asked(request)
    answer = search_pages(asked, [chosen] if chosen else topics) if asked.text else SearchAnswer()
    context = {
        "now": timezone.now(),
        "text": asked.text,
        "topics": topics,
        "chosen": chosen,
        "answer": answer,
        "order": asked.order.value,
        "number": asked.screen,
        "n_screens": _n_screens(answer),
        "first": (asked.screen - 1) * PAGES_PER_SCREEN + 1,
        "off": sorted(asked.without),
        "address": address_of(asked, chosen),
        "files": _FILES,
        **_links(asked, chosen, answer),
    }
    return render(request, "topics/search.html", context)


def _links(asked: Request, chosen: Topic | None, answer: SearchAnswer) -> dict[str, object]:
    """Every search that the page leads to."""
    to = partial(address_of, topic=chosen)
    labels = {
        Order.RELEVANCE: _("relevance"),
        Order.NEWEST: _("newest first"),
        Order.SCORE: _("score"),
    }
    return {
        "orders": [
            _Link(labels[order], to(replace(asked, order=order)), is_on=order is asked.order)
            for order in Order
        ],
        "names": [
            _Link(name.text, to(replace(asked, without=asked.without ^ {name.key})), 0, name.is_on)
            for name in answer.names
        ],
        "meant": [_Link(x.label, to(replace(asked, text=x.query)), x.count) for x in answer.meant],
        "relaxed": [
            _Link(x.label, to(replace(asked, text=x.query)), x.count) for x in answer.relaxed
        ],
        "facets": [
            (
                facet.name,
                [
                    _Link(x.label, to(replace(asked, text=f"{answer.base} {x.condition}")), x.count)
                    for x in facet.values
                ],
            )
            for facet in answer.facets
        ],
    }


@require_safe
def search_export(request: HttpRequest) -> HttpResponse:
    """The pages of a search as a file; a 400 says what is wrong with the search."""
    asked, topics, chosen = _asked(request)
    searched = [chosen] if chosen else topics
    kind = request.GET.get("format", "csv")
    if kind not in _TYPES:
        return HttpResponse("format: csv, json, md", status=400, content_type="text/plain")
    try:
        ids = found_ids(asked, searched)[:MAX_EXPORTED]
        query = resolve(parse_query(asked.text), scope_of(searched))
    except SearchError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain; charset=utf-8")
    crawls = [topic.crawl for topic in searched if topic.crawl is not None]
    pages = shown_pages(ids, query, crawls)
    match kind:
        case "csv":
            body = as_csv(pages)
        case "json":
            body = as_json(asked.text, pages)
        case _:
            body = as_markdown(asked.text, pages)
    response = HttpResponse(body, content_type=f"{_TYPES[kind]}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="search.{kind}"'
    return response


def _asked(request: HttpRequest) -> tuple[Request, list[Topic], Topic | None]:
    """What the address says, the reader's topics, and the one it is about."""
    asked = read_request(
        request.GET.get("q", ""),
        order=request.GET.get("order", ""),
        without=request.GET.getlist("without"),
        screen=request.GET.get("page", ""),
    )
    own = Topic.objects.visible_to(request.user).select_related("crawl")
    slug = request.GET.get("topic", "")
    return asked, list(own), get_object_or_404(own, slug=slug) if slug else None


def _n_screens(answer: SearchAnswer) -> int:
    total = answer.found.total if answer.found else 0
    return min(-(-total // PAGES_PER_SCREEN), MAX_SCREENS)
