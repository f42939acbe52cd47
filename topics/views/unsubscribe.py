"""Stopping a digest by the address in its mail."""

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from topics.delivery import unsubscribing


@login_not_required
# Mail providers post here for a reader, without cookies; who has the address may.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether to stop a digest; only a POST stops it, as programs follow links too."""
    digest = unsubscribing.find_digest(token)
    if digest is None:
        raise Http404
    every = request.POST.get("scope") == "all"
    if request.method == "POST":
        unsubscribing.stop(digest, every=every)
    context = {"digest": digest, "stopped": request.method == "POST", "every": every}
    return render(request, "topics/unsubscribe.html", context)
