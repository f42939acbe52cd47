"""Staff invite people; who has the link makes an account."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from topics.accounts.invitations import (
    InvitationUsedError,
    NameTakenError,
    accept,
    find_invitation,
    invite,
    is_usable,
    link_of,
    mail_invitation,
)
from topics.forms.accounts import InvitationForm, JoinForm
from topics.models import Invitation

MAX_SHOWN = 100


@require_http_methods(["GET", "HEAD", "POST"])
def invitation_list(request: HttpRequest) -> HttpResponse:
    """Make invitations, and list those that were made; for staff."""
    if not request.user.is_staff:
        raise Http404
    now, form = timezone.now(), InvitationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        _invite(request, form.cleaned_data["email"])
        return redirect("invitation_list")
    made = Invitation.objects.select_related("made_by", "used_by")[:MAX_SHOWN]
    context = {
        "form": form,
        "now": now,
        "has_mail": settings.MAIL_SERVER is not None,
        "lines": [(one, link_of(one) if is_usable(one, now) else "") for one in made],
    }
    return render(request, "accounts/invitations.html", context, status=422 if form.errors else 200)


def _invite(request: HttpRequest, email: str) -> None:
    now = timezone.now()
    invitation = invite(request.user, email, now)
    if not email or settings.MAIL_SERVER is None:
        messages.success(request, _("The invitation is ready. Copy its link from the list."))
        return
    outcome = mail_invitation(invitation, settings.MAIL_SERVER, now)
    if outcome.sent:
        messages.success(request, _("The invitation was mailed to %(to)s.") % {"to": email})
    else:
        message = _("The e-mail could not be sent: %(problem)s. Copy the link from the list.")
        messages.error(request, message % {"problem": outcome.problem})


@require_POST
def invitation_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Withdraw an invitation: its link leads nowhere then."""
    if not request.user.is_staff:
        raise Http404
    get_object_or_404(Invitation, pk=pk, used=None).delete()
    messages.success(request, _("The invitation is withdrawn."))
    return redirect("invitation_list")


@login_not_required
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Create an account with an invitation."""
    invitation, now = find_invitation(token), timezone.now()
    if invitation is None:
        raise Http404
    form = JoinForm(request.POST or None)
    usable = is_usable(invitation, now)
    if request.method == "POST" and usable and form.is_valid():
        try:
            user = accept(invitation, form, now)
        except InvitationUsedError:
            usable = False
        except NameTakenError:
            form = JoinForm(request.POST)  # Checked again, it says so itself.
        else:
            login(request, user, settings.AUTHENTICATION_BACKENDS[0])
            messages.success(request, _("Welcome. Begin with a topic of your own."))
            return redirect("topic_list")
    status = 410 if not usable else 422 if form.errors else 200
    return render(request, "accounts/join.html", {"form": form, "usable": usable}, status=status)
