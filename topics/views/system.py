"""What machines ask: is the web server alive."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@login_not_required
@never_cache
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Answer one word, without a look at the database."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")
