"""A person's own account: preferences, password, and where they are signed in."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST
from django.views.i18n import set_language

from focusweb.mail_server import MailServer
from topics.accounts.removal import remove_account
from topics.accounts.sign_ins import (
    end_others,
    end_sign_in,
    note_visit,
    open_sign_ins,
    remember,
)
from topics.delivery.confirmation import TooManyLinksError, confirmed_address, send_link
from topics.delivery.handover import SendResult
from topics.errors import TopicError
from topics.forms.accounts import AccountForm, DeleteAccountForm, NewPasswordForm
from topics.models import Preferences, Topic


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show and change who a person is and how they read."""
    now = timezone.now()
    form = AccountForm(request, request.POST or None)
    if request.method == "POST" and form.is_valid():
        form.save()
        remember(request, form.cleaned_data["language"], form.cleaned_data["zone"])
        messages.success(request, _("Saved."))
        if "email" in form.changed_data and not confirmed_address(request.user):
            send_link_to(request, request.user, now)
        return redirect("account")
    context = {
        "form": form,
        "now": now,
        "sign_ins": open_sign_ins(request.user, now),
        "this_key": request.session.session_key,
        "is_confirmed": bool(confirmed_address(request.user)),
    }
    return render(request, "accounts/account.html", context, status=422 if form.errors else 200)


def send_link_to(request: HttpRequest, user: Any, now: datetime) -> None:
    """Mail a link that confirms a person's address, and say so; without a server nothing."""
    server: MailServer | None = settings.MAIL_SERVER
    if server is None or not user.email:
        return  # the page says so
    sent = _("A link was sent to %(address)s. Open it to confirm the address.")
    send_and_say(request, lambda: send_link(user, server, now), sent % {"address": user.email})


def send_and_say(request: HttpRequest, send: Callable[[], SendResult], sent: str) -> None:
    """Send a link; show the sentence `sent`, or why it could not be sent."""
    try:
        outcome = send()
    except TooManyLinksError as error:
        messages.error(request, str(error))
        return
    if outcome.sent:
        messages.success(request, sent)
    else:
        message = _("The link could not be sent: %(problem)s")
        messages.error(request, message % {"problem": outcome.problem})


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def account_password(request: HttpRequest) -> HttpResponse:
    """Change the password; all other sign-ins end."""
    form = NewPasswordForm(request, request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = form.save()
        # The session gets a new key, so that only this browser stays signed in.
        update_session_auth_hash(request, user)
        note_visit(request, timezone.now())
        end_others(user, request.session.session_key)
        messages.success(request, _("The password is changed. All other sign-ins have ended."))
        return redirect("account")
    return render(
        request, "accounts/password.html", {"form": form}, status=422 if form.errors else 200
    )


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def account_delete(request: HttpRequest) -> HttpResponse:
    """Say what goes with the account, and delete it for whoever knows the password."""
    form = DeleteAccountForm(request, request.POST or None)
    if request.method == "POST" and form.is_valid():
        assert isinstance(request.user, User)
        try:
            remove_account(request.user, timezone.now())
        except TopicError as error:
            form.add_error(None, str(error))
        else:
            request.session.flush()
            return redirect("login")
    context = {"form": form, "topics": Topic.objects.visible_to(request.user)}
    return render(request, "accounts/delete.html", context, status=422 if form.errors else 200)


@require_POST
def sign_in_end(request: HttpRequest, pk: int) -> HttpResponse:
    """End one sign-in of the person."""
    if not end_sign_in(request.user, pk):
        raise Http404
    messages.success(request, _("The sign-in has ended."))
    return redirect("account")


@require_POST
def sign_ins_end(request: HttpRequest) -> HttpResponse:
    """End all other sign-ins of the person."""
    count = end_others(request.user, request.session.session_key)
    message = ngettext("%(count)d sign-in has ended.", "%(count)d sign-ins have ended.", count)
    messages.success(request, message % {"count": count})
    return redirect("account")


def choose_language(request: HttpRequest) -> HttpResponse:
    """Change the language of the pages, also for the next sign-in."""
    response = set_language(request)
    code = request.POST.get("language", "")
    known = dict(Preferences._meta.get_field("language").flatchoices)
    if request.method == "POST" and code in known and request.user.is_authenticated:
        Preferences.objects.update_or_create(user=request.user, defaults={"language": code})
        request.session["language"] = code
    return response
