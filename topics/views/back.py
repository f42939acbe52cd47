"""Back to the page that a form was sent from."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme


def back_to_form(request: HttpRequest, otherwise: str) -> HttpResponse:
    """Return to the path that the field `next` names, or else to another one."""
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    # Django would take a word without a slash for the name of a page.
    return redirect(back if is_ours and back.startswith("/") else otherwise)


def page_of_form(request: HttpRequest) -> str:
    """Return the path and query of the page that a form was sent from, or of the request itself.

    Many addresses only take forms, so a reader cannot be led back to them.
    """
    sender = request.headers.get("Referer", "") if request.method == "POST" else ""
    if url_has_allowed_host_and_scheme(sender, allowed_hosts={request.get_host()}):
        parts = urlsplit(sender)
        if parts.netloc:
            return parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
    return request.get_full_path()
