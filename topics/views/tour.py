"""Put the first steps away, or show them again."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from topics.pages.tour import put_away


@require_POST
def tour(request: HttpRequest) -> HttpResponse:
    """Put the first steps away, unless the form is to show them."""
    put_away(request.user, away=request.POST.get("do") != "show")
    return redirect("topic_list")
