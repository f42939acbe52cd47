"""Chinese pages without blanks where Chinese has none.

Templates set sentences, names and links side by side with blanks or line breaks between them, as
English needs it. Chinese marks of punctuation bring their own space.
"""

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language

Answer = Callable[[HttpRequest], HttpResponse]

# What is typed or shown as it is; else the blanks after a mark or a tag that ends after one, before
# an opening mark, and before a percent sign.
_PARTS = re.compile(
    r"(?P<as_is><(?P<name>textarea|pre|script|style)\b.*?</(?P=name)>)"
    r"|(?P<mark>[。，；：！？、）》」』](?:</(?:a|b|bdi|code|em|i|mark|small|span|strong|time)>)*)"
    r"[ \t\r\n]+"
    r"|[ \t\r\n]+(?=[（《「『])"
    r"|(?<=[0-9]) (?=%(?![0-9A-Za-z]))",
    re.DOTALL,
)


def close_up(html: str) -> str:
    """Leave out the blanks beside Chinese punctuation, but not in texts that people edit."""
    return _PARTS.sub(lambda found: found["as_is"] or found["mark"] or "", html)


def chinese_spacing(get_response: Answer) -> Answer:
    """Close up the pages that are shown in Chinese."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if is_page and not response.streaming and (get_language() or "").startswith("zh"):
            response.content = close_up(response.content.decode(response.charset))
        return response

    return answer
