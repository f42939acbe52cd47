"""Pages need a person who is signed in; a part of a page says so in its place."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from topics.views.back import page_of_form


class RequireSignIn(LoginRequiredMiddleware):
    """Lead to the sign-in page; where a script requests a part of a page, answer with a link."""

    def handle_no_permission(  # type: ignore[override]  # not always a redirect
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponse:
        """Answer a request of a person who is not signed in."""
        htmx = HtmxDetails(request)
        if not htmx and request.method != "POST":
            return super().handle_no_permission(request, view_func)
        if not htmx:
            # What was typed is lost, and the address may take forms only.
            messages.error(
                request, _("You are signed out, so nothing was saved. Sign in and try again.")
            )
            return self._to_sign_in(page_of_form(request), view_func)
        # The script follows a redirect, and would show the sign-in page within the part.
        try:
            back = htmx.current_url_abs_path or ""
        except ValueError:  # not a URL
            back = ""
        sign_in = self._to_sign_in(back, view_func)
        response = render(request, "topics/_signed_out.html", {"sign_in": sign_in.url})
        if request.method == "POST":
            # The form stays as it is: a person may have typed into it.
            response.headers["HX-Retarget"] = "this"
            response.headers["HX-Reswap"] = "beforeend"
        return response

    def _to_sign_in(self, back: str, view_func: Callable[..., Any]) -> HttpResponseRedirect:
        return redirect_to_login(
            back, self.get_login_url(view_func), self.get_redirect_field_name(view_func)
        )
