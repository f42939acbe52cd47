"""A forgotten password: the request for a link, and the page behind the link."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods

from focusweb.web.login_limits import place_of_address
from topics.accounts.password_reset import request_reset
from topics.accounts.sign_ins import end_others
from topics.forms.accounts import ResetForm


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def password_reset(request: HttpRequest) -> HttpResponse:
    """Note a request; the answer is the same for every address."""
    form = ResetForm(request.POST or None)
    done = request.method == "POST" and form.is_valid()
    if done:
        place = place_of_address(str(request.META.get("REMOTE_ADDR", "")))
        request_reset(form.cleaned_data["email"], place, timezone.now())
    context = {"form": form, "done": done, "has_mail": settings.MAIL_SERVER is not None}
    return render(
        request, "accounts/password_reset.html", context, status=422 if form.errors else 200
    )


@method_decorator(login_not_required, name="dispatch")
class SetPassword(PasswordResetConfirmView):
    """The page behind the link: a new password, once; all sign-ins end."""

    template_name = "accounts/password_set.html"
    success_url = reverse_lazy("login")

    def form_valid(self, form):  # type: ignore[no-untyped-def]  # as in Django
        response = super().form_valid(form)
        end_others(self.user, None)
        return response
