"""Show pages in the language and the time zone of their reader."""

from collections.abc import Callable
from contextlib import ExitStack
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from topics.accounts.sign_ins import LANGUAGE_KEY, ZONE_KEY, note_visit
from topics.rules.zones import zone_names

#: static/live.js writes the browser's own time zone into it.
ZONE_COOKIE = "zone"

Answer = Callable[[HttpRequest], HttpResponse]


def use_preferences(get_response: Answer) -> Answer:
    """Use what the user chose, else the browser's language; both come without a query."""

    def answer(request: HttpRequest) -> HttpResponse:
        language = ""
        zone = request.COOKIES.get(ZONE_COOKIE, "")
        zone = zone if zone in zone_names() else ""
        if request.user.is_authenticated:
            note_visit(request, timezone.now())
            language = request.session.get(LANGUAGE_KEY, "")
            zone = request.session.get(ZONE_KEY, "") or zone
        with ExitStack() as stack:
            if language and language != translation.get_language():
                stack.enter_context(translation.override(language))
                request.LANGUAGE_CODE = language
            if zone:
                stack.enter_context(timezone.override(ZoneInfo(zone)))
            response = get_response(request)
            if language:
                # A page in a language of its own has said so.
                response.headers.setdefault("Content-Language", language)
            return response

    return answer
