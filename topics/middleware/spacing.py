"""Pages in Chinese have no blanks beside Chinese punctuation."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language

from topics.rules.spacing import close_up

Answer = Callable[[HttpRequest], HttpResponse]

#: Mails as they are sent, in a language of their own, and pages of the demo web.
AS_THEY_ARE = frozenset({"digest_preview_mail", "digest_issue_mail", "demo_page"})


def chinese_spacing(get_response: Answer) -> Answer:
    """Close up the pages that are shown in Chinese."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        name = request.resolver_match.url_name if request.resolver_match else None
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        is_ours = is_page and not response.streaming and name not in AS_THEY_ARE
        if is_ours and (get_language() or "").startswith("zh"):
            response.content = close_up(response.content.decode(response.charset))
        return response

    return answer
