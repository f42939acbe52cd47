"""URLs that programs request by themselves: a health check, and a small picture."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@login_not_required
@never_cache
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Answer one word, without a query to the database."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@login_not_required
@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Lead to the picture; some pages, such as a plain text, cannot name it themselves."""
    return HttpResponseRedirect(static("favicon.svg"))
