"""Checks before every page: limits, pauses, and sentences where a page cannot be made."""

import logging
import math
import sys
from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import is_valid_path
from django.utils import translation

from focusweb.database_faults import fault_of, last_fault
from focusweb.login import BROWSER_S, LoginPausedError, browser_mark
from focusweb.web import request_limits
from focusweb.web.password_hashing import PasswordsBusyError
from topics.views.api.problem_details import is_for_api, problem_in_place_of_page

logger = logging.getLogger(__name__)

Answer = Callable[[HttpRequest], HttpResponse]

#: More rows of a form than a user fills in.
MAX_FORMS: Final = 250
#: When a page that met a fault may be requested again.
FAULT_RETRY_S: Final = 10
BUSY_RETRY_S: Final = 5


def limit_body(get_response: Answer) -> Answer:
    """Refuse a body that is larger than its sender may send, before it is read."""

    def answer(request: HttpRequest) -> HttpResponse:
        announced = str(request.META.get("CONTENT_LENGTH") or "0")
        cookies = str(request.META.get("HTTP_COOKIE", ""))
        limit = request_limits.body_limit(request.path_info, cookies, settings.UPLOAD_PASS_NAME)
        if not _is_number(announced) or int(announced) > limit:
            return bare_page(request, "413.html", 413, {"limit_mib": limit >> 20})
        return get_response(request)

    return answer


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 20


def explain_methods(get_response: Answer) -> Answer:
    """Answer a link to an address that only takes forms with a page that leads on."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != 405 or response.content:  # the API says so itself
            return response
        page = bare_page(request, "405.html", 405, {"above": _page_above(request.path_info)})
        page.headers["Allow"] = response.headers["Allow"]
        return page

    return answer


def _page_above(path: str) -> str:
    """Return the nearest address above a path that exists; its page has the form."""
    while path != "/":
        path = path.rstrip("/").rpartition("/")[0] + "/"
        if is_valid_path(path):
            return path
    return path


class LimitForms:
    """Refuse a form that claims to have more rows than a user fills in."""

    def __init__(self, get_response: Answer) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_args: Any) -> HttpResponse | None:
        """Check the numbers of rows before a view makes as many."""
        # The API has no forms: it reads its bodies itself, which it cannot once they are parsed.
        is_api = request.resolver_match is not None and "api" in request.resolver_match.namespaces
        if request.method != "POST" or is_api:
            return None
        for name, value in request.POST.items():
            if name.endswith("-TOTAL_FORMS") and not _is_small(str(value)):
                return bare_page(request, "400.html", 400, {"too_many": MAX_FORMS})
        return None


def _is_small(number: str) -> bool:
    # The form refuses a value that is not a number.
    return not number.strip().isdecimal() or (len(number) < 9 and int(number) <= MAX_FORMS)


class ReportFaults:
    """Answer with a sentence where a pause, a full queue or the database is the reason."""

    def __init__(self, get_response: Answer) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The page for an exception that is not a program error; None for other exceptions."""
        if isinstance(error, LoginPausedError):
            return _paused_login(request, math.ceil(error.wait_s))
        if isinstance(error, PasswordsBusyError):
            return bare_page(request, "503.html", 503, {"busy": True}, retry_s=BUSY_RETRY_S)
        if fault := fault_of(error):
            return _unavailable(request, fault, error)
        return None


def _paused_login(request: HttpRequest, wait_s: int) -> HttpResponse:
    context = {
        "form": AuthenticationForm(request),
        "next": request.POST.get("next", request.GET.get("next", "")),
        "wait_s": wait_s,
    }
    response = render(request, "registration/login.html", context, status=429)
    response.headers["Retry-After"] = str(wait_s)
    return response


def _unavailable(request: HttpRequest, fault: str, error: BaseException) -> HttpResponse:
    logger.error("%s cannot be answered: %s", request.method, error)
    last_fault.note(fault)
    return bare_page(request, "503.html", 503, {"fault": fault}, retry_s=FAULT_RETRY_S)


def mark_browsers(get_response: Answer) -> Answer:
    """Set cookies: a pass for users who may upload, a mark for browsers of signed-in users."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        name = request.resolver_match.url_name if request.resolver_match else ""
        if name in ("ontology_list", "topic_upload") and request.user.has_perm(
            "crawler.add_ontology"
        ):
            value = request_limits.upload_pass(str(request.user.pk))
            _give(response, settings.UPLOAD_PASS_NAME, value, request_limits.PASS_S)
        elif name == "logout" and request.method == "POST":
            response.delete_cookie(settings.UPLOAD_PASS_NAME, samesite="Strict")
        elif name == "login" and request.method == "POST" and request.user.is_authenticated:
            value = browser_mark(request.user.get_username())
            _give(response, settings.BROWSER_COOKIE_NAME, value, BROWSER_S)
        return response

    return answer


def _give(response: HttpResponse, name: str, value: str, max_age_s: int) -> None:
    response.set_cookie(
        name, value, max_age=max_age_s, secure=settings.HTTPS, httponly=True, samesite="Strict"
    )


def bare_page(
    request: HttpRequest,
    template: str,
    status: int,
    context: dict[str, Any],
    retry_s: int = 0,
) -> HttpResponse:
    """Return a page that needs no database and no session, in the reader's language.

    A program that calls the API gets problem details in its place.
    """
    if is_for_api(request):
        response = problem_in_place_of_page(status, context)
    else:
        with translation.override(translation.get_language_from_request(request)):
            response = HttpResponse(render_to_string(template, context), status=status)
    response.headers["Content-Length"] = str(len(response.content))
    if retry_s:
        response.headers["Retry-After"] = str(retry_s)
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the site's own page for status 400."""
    too_many = isinstance(exception, TooManyFieldsSent)
    limit = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS if too_many else 0
    return bare_page(request, "400.html", 400, {"too_many_fields": limit})


def server_fault(request: HttpRequest) -> HttpResponse:
    """The site's own page for status 500; 503 if a middleware met a fault of the database."""
    error = sys.exc_info()[1]
    if error is not None and (fault := fault_of(error)):
        return _unavailable(request, fault, error)
    return bare_page(request, "500.html", 500, {})


def fault_context(request: HttpRequest) -> dict[str, Any]:
    """Give templates of signed-in people a fault of the last minutes."""
    user = getattr(request, "user", None)
    is_known = user is not None and user.is_authenticated
    return {"database_fault": last_fault.recent() if is_known else ""}
