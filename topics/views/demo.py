"""The demo web's pages, for browsers, which cannot resolve its host names."""

from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from focusweb.demo.server import browse
from focusweb.demo.web import CLOCK_FILE, LivingWeb


@require_safe
def demo_page(request: HttpRequest, host: str, path: str) -> HttpResponse:
    """A page of the demo web as its own server serves it; links stay within these addresses."""
    answer = browse(_demo_web().at(datetime.now(UTC)), f"/{host}/{path}", "/demo")
    if answer.status != 200:
        raise Http404
    return HttpResponse(answer.body, content_type=answer.content_type)


@cache
def _demo_web() -> LivingWeb:
    folder = Path(settings.BASE_DIR) / "fixtures" / "demo_web"
    return LivingWeb(folder, datetime.now(UTC), Path(settings.DATA_DIR) / CLOCK_FILE)
