"""Saved searches: keep one, list and change them."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from topics.delivery.rules.saving import delete_search
from topics.feeds.addresses import addresses_of
from topics.models import SavedSearch, Topic
from topics.pages.saved_searches import address_of, keep_search, request_of
from topics.pages.search_screen import read_request
from topics.search.errors import QueryError
from topics.search.problems import sentence
from topics.search.query import parse_query


@require_safe
def saved_searches(request: HttpRequest) -> HttpResponse:
    own = SavedSearch.objects.filter(owner_id=request.user.pk).select_related("topic", "feed")
    rows = [
        (saved, address_of(request_of(saved), saved.topic), addresses_of("search", saved))
        for saved in own.prefetch_related("digests__topic", "alert_rules")
    ]
    return render(request, "topics/saved_searches.html", {"rows": rows, "now": timezone.now()})


@require_POST
def save_search(request: HttpRequest) -> HttpResponse:
    """Keep the search that the form's fields describe."""
    query = read_request(
        request.POST.get("q", ""),
        order=request.POST.get("order", ""),
        without=request.POST.getlist("without"),
    )
    slug = request.POST.get("topic", "")
    own = Topic.objects.visible_to(request.user)
    topic = get_object_or_404(own, slug=slug) if slug else None
    back = redirect(f"{reverse('search')}?{address_of(query, topic)}")
    try:
        parse_query(query.text)
    except QueryError as error:
        messages.error(request, sentence(error.problem, error.position, error.found, error.hint))
        return back
    name = (" ".join(request.POST.get("name", "").split()) or query.text)[:120]
    values = {
        "query": query.text,
        "topic": topic,
        "order": query.order.value,
        "without": sorted(query.without),
    }
    if keep_search(request.user, name, values, timezone.now()) is None:
        messages.error(request, _("You have 100 saved searches. Delete one first."))
        return back
    messages.success(request, _("The search is saved as “%(name)s”.") % {"name": name})
    return redirect("saved_searches")


@require_POST
def change_saved_search(request: HttpRequest, pk: int) -> HttpResponse:
    """Do what the pressed button says with one of the reader's saved searches."""
    saved = get_object_or_404(SavedSearch, pk=pk, owner_id=request.user.pk)
    match request.POST.get("do", ""):
        case "home":
            saved.on_home = not saved.on_home
        case "delete":
            delete_search(saved, timezone.now())
            return redirect("saved_searches")
        case _:
            raise Http404
    saved.save()
    return redirect("saved_searches")
