"""Errors as problem details (RFC 9457), for programs that call the API."""

import json
from http import HTTPStatus
from typing import Any, Final

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation

PROBLEM_TYPE: Final = "application/problem+json"
#: Where all addresses of the API begin.
API_ROOT: Final = "/api/v1/"
_REASONS: Final = {
    400: "the request is malformed, or its host is not one of FOCUSWEB_ALLOWED_HOSTS",
    413: "the body is larger than {limit_mib} MiB",
    500: "the server could not answer; its log says why",
    503: "the server cannot answer now; send the request again later",
}


def problem(status: int, detail: str, **more: Any) -> HttpResponse:
    """Return an answer with problem details."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    text = json.dumps(body | {"detail": detail} | more, cls=DjangoJSONEncoder)
    return HttpResponse(text, status=status, content_type=PROBLEM_TYPE)


def is_for_api(request: HttpRequest) -> bool:
    """Return True if a program sent the request, which reads no pages."""
    return request.path_info.startswith(API_ROOT)


def problem_in_place_of_page(status: int, context: dict[str, Any]) -> HttpResponse:
    """Return what a page with this context says, for a program; in English, as all of the API."""
    if fault := context.get("fault"):
        with translation.override("en"):
            return problem(status, render_to_string("topics/_fault.html", {"fault": fault}).strip())
    return problem(status, _REASONS[status].format(**context))
