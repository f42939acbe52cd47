"""The search page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from topics.models import Topic
from topics.pages.search_results import MAX_SCREENS, PAGES_PER_SCREEN, SearchAnswer, search_pages


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    text = request.GET.get("q", "").strip()
    slug = request.GET.get("topic", "")
    number = _screen_number(request.GET.get("page", ""))
    own = Topic.objects.visible_to(request.user).select_related("crawl")
    topics = list(own)
    chosen = get_object_or_404(own, slug=slug) if slug else None
    told = (
        search_pages(text, [chosen] if chosen else topics, screen=number)
        if text
        else SearchAnswer()
    )
    context = {
        "now": timezone.now(),
        "text": text,
        "topics": topics,
        "chosen": chosen,
        "answer": told,
        "number": number,
        "n_screens": _n_screens(told),
        "first": (number - 1) * PAGES_PER_SCREEN + 1,
    }
    return render(request, "topics/search.html", context)


def _screen_number(text: str) -> int:
    return min(max(int(text), 1), MAX_SCREENS) if text.isdecimal() and len(text) < 5 else 1


def _n_screens(told: SearchAnswer) -> int:
    total = told.found.total if told.found else 0
    return min(-(-total // PAGES_PER_SCREEN), MAX_SCREENS)
