"""Headers that every answer carries and Django has no setting for."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

#: Addresses with a token, and pages whose content is a stranger's. None has a form that needs
#: to prove its origin: without a referrer a browser names none.
NO_REFERRER = frozenset(
    {
        "unsubscribe",
        "confirm_channel",
        "stop_channel",
        "mail_link",
        "digest_preview_mail",
        "digest_issue_mail",
        "digest_issue_file",
        "feed",
        "newspaper",
        "newspaper_feed",
    }
)

#: Pages for readers who do not sign in: each says itself how long it may be kept.
OWN_CACHING = frozenset({"feed", "newspaper", "newspaper_feed"})

Answer = Callable[[HttpRequest], HttpResponse]


def safety_headers(get_response: Answer) -> Answer:
    """Forbid caches to keep a page, other sites to use or see it, and scripts to use a camera."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        name = request.resolver_match.url_name if request.resolver_match else None
        # Nearly every page depends on its reader; static files are served before this.
        if name not in OWN_CACHING or "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = "private, no-store"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        response.headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
        if name in NO_REFERRER:
            response.headers["Referrer-Policy"] = "no-referrer"
        return response

    return answer
