"""Reports of browsers about what the content policy stopped. Anybody can send one."""

import math
import threading
import time
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crawler.api.pages import clean_line
from topics.models import PolicyReport

MAX_REPORT_BYTES: Final = 8 << 10
MAX_PER_MINUTE: Final = 30
_TYPES: Final = ("application/csp-report", "application/json")


class _Body(msgspec.Struct, rename="kebab"):
    document_uri: str = ""
    effective_directive: str = ""
    violated_directive: str = ""
    blocked_uri: str = ""


class _Report(msgspec.Struct, rename="kebab"):
    csp_report: _Body


class PerMinute:
    """Counts to a limit within a minute, which begins with the first that is counted."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Count anew."""
        self._since_s, self._n = -math.inf, 0

    def is_over(self, now_s: float) -> bool:
        """Count one; whether that is more than the minute may have."""
        with self._lock:
            if now_s - self._since_s >= 60:
                self._since_s, self._n = now_s, 0
            self._n += 1
            return self._n > self._most


pace: Final = PerMinute(MAX_PER_MINUTE)


@csrf_exempt
@login_not_required
@require_POST
def csp_report(request: HttpRequest) -> HttpResponse:
    """Keep a small, well-formed report; say nothing about it."""
    if request.content_type not in _TYPES:
        return HttpResponse(status=415)
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_REPORT_BYTES:
        return HttpResponse(status=413)
    if pace.is_over(time.monotonic()):
        return HttpResponse(status=429)
    try:
        said = msgspec.json.decode(request.body, type=_Report).csp_report
    except (msgspec.MsgspecError, RecursionError):
        return HttpResponse(status=400)
    directive = (said.effective_directive or said.violated_directive).partition(" ")[0]
    PolicyReport.objects.count_one(
        _view(said.document_uri),
        clean_line(directive, 100),
        _blocked(said.blocked_uri),
        timezone.now(),
    )
    return HttpResponse(status=204)


def _view(address: str) -> str:
    try:
        match: Any = resolve(urlsplit(address).path)
    except (Resolver404, ValueError):
        return ""
    return clean_line(match.view_name, 100)


def _blocked(address: str) -> str:
    """A host, or a word such as "inline": the rest of an address can be private."""
    try:
        host = urlsplit(address).hostname
    except ValueError:
        host = ""
    return clean_line(host or address.partition(":")[0], 200)
