"""New passwords by mail: requests are noted by the page, and mailed by the timer.

The page answers the same, and does the same work, whether the address has an account or not.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.tokens import default_token_generator
from django.urls import reverse
from django.utils import translation
from django.utils.crypto import salted_hmac
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from focusweb.mail_server import MailServer
from topics.delivery import mime, smtp
from topics.models import AddressProof, ResetRequest

#: Most requests in an hour for one address, and from one place; more are not sent, silently.
PER_ADDRESS: Final = 3
PER_PLACE: Final = 10
WINDOW: Final = timedelta(hours=1)
#: Time after which requests are deleted.
KEPT: Final = timedelta(days=1)
#: Time after which a request that could not be mailed is given up.
PATIENCE: Final = timedelta(minutes=30)


def request_reset(address: str, place: str, now: datetime) -> None:
    """Store a request for a new password for the accounts of an address."""
    ResetRequest.objects.filter(asked__lt=now - KEPT).delete()
    address = address.strip().lower()
    address_hash = salted_hmac("topics.accounts.password_reset", address).hexdigest()
    lately = ResetRequest.objects.filter(asked__gt=now - WINDOW)
    is_allowed = (
        lately.filter(address_hash=address_hash).count() < PER_ADDRESS
        and lately.filter(place=place).count() < PER_PLACE
    )
    users = _accounts_of(address) if is_allowed else []
    ResetRequest.objects.bulk_create(
        ResetRequest(
            user=user,
            address_hash=address_hash,
            place=place,
            asked=now,
            language=get_language() or "en",
            sent=None if user else now,
        )
        for user in users or [None]
    )


def _accounts_of(address: str) -> list[Any]:
    """Active accounts with a usable password whose confirmed address this is."""
    users = get_user_model()._default_manager.filter(email__iexact=address, is_active=True)
    proofs = AddressProof.objects.confirmed().filter(email__iexact=address)
    found = users.filter(pk__in=proofs.values("user"))[:PER_ADDRESS]
    return [user for user in found if user.has_usable_password()]


def send_waiting(server: MailServer | None, now: datetime) -> int:
    """Mail the links that were requested. Return how many were sent."""
    waiting = ResetRequest.objects.filter(sent=None).select_related("user").order_by("pk")
    sent = 0
    for request in waiting[:20]:
        # Noted before the mail: after a crash no user gets a link twice.
        if not ResetRequest.objects.filter(pk=request.pk, sent=None).update(sent=now):
            continue
        problem = "no mail server"
        if server is not None:
            outcome = smtp.send(
                server, _message(request, now), settings.MAIL_FROM, _address(request)
            )
            problem = outcome.problem
            sent += outcome.sent
            if not outcome.sent and outcome.certain and now - request.asked < PATIENCE:
                ResetRequest.objects.filter(pk=request.pk).update(sent=None)
        ResetRequest.objects.filter(pk=request.pk).update(problem=problem)
    return sent


def _address(request: ResetRequest) -> str:
    assert request.user is not None
    return str(request.user.email)


def _message(request: ResetRequest, now: datetime) -> bytes:
    user = request.user
    assert user is not None
    link = reverse(
        "password_reset_confirm",
        args=[
            urlsafe_base64_encode(force_bytes(user.pk)),
            default_token_generator.make_token(user),
        ],
    )
    context = {
        "name": user.get_username(),
        "hours": settings.PASSWORD_RESET_TIMEOUT // 3600,
        "link": mime.full_address(link),
    }
    with translation.override(request.language):
        subject, template = _("A new password for FocusWeb"), "mail/password_reset.txt"
        return mime.text_mail("password", subject, user.email, template, context, now)
