"""Headers that every answer carries and Django has no setting for."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

Answer = Callable[[HttpRequest], HttpResponse]


def safety_headers(get_response: Answer) -> Answer:
    """Let no cache keep a page, no other site use it, and no script ask for a camera."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # Nearly every page depends on who reads it; static files are served before this.
        response.headers["Cache-Control"] = "private, no-store"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        response.headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
        return response

    return answer
