"""The state of the installation, and URLs that programs request by themselves."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from topics.installation.system_state import Level, failing_topics, system_parts


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


@require_safe
def system(request: HttpRequest) -> HttpResponse:
    """What works, what does not, and what to do."""
    return render(request, "topics/system.html", _state(request))


@require_safe
def system_live(request: HttpRequest) -> HttpResponse:
    """The part of that page that changes while it is open."""
    return render(request, "topics/_system.html", _state(request))


def _state(request: HttpRequest) -> dict[str, Any]:
    now = timezone.now()
    parts = system_parts(request.user, now)
    return {
        "parts": parts,
        "n_trouble": sum(part.level != Level.OK for part in parts),
        "failing": failing_topics(request.user, now),
    }


@login_not_required
@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    """What a browser needs to install the site as an app."""
    return JsonResponse(
        {
            "id": "/",
            "name": "FocusWeb",
            "short_name": "FocusWeb",
            "description": _("Follows topics on the web and explains each page."),
            "start_url": reverse("topic_list"),
            "scope": "/",
            "display": "standalone",
            "background_color": "#fbf9f5",
            "theme_color": "#fbf9f5",
            "icons": [
                {"src": static("favicon.svg"), "sizes": "any", "type": "image/svg+xml"},
                *(
                    {
                        "src": static(f"icon-{size}.png"),
                        "sizes": f"{size}x{size}",
                        "type": "image/png",
                        "purpose": purpose,
                    }
                    for size in (192, 512)
                    for purpose in ("any", "maskable")
                ),
            ],
        },
        content_type="application/manifest+json",
    )
