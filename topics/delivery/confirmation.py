"""Prove that a user reads an address before digests and tests go there.

A mail with a link of one purpose goes to the address; a form behind the link confirms it.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from focusweb.database import write_transaction
from focusweb.mail_server import MailServer
from topics.delivery import mime, smtp
from topics.delivery.handover import SendResult
from topics.delivery.signed_links import SignedLink
from topics.errors import TopicError
from topics.models import AddressProof

#: How long a link can be used.
MAX_AGE: Final = timedelta(days=3)
#: Most links that one user can request in an hour, and most that go to one address in a day by all
#: users: the owner of the address may not want them.
PER_HOUR: Final = 5
PER_DAY: Final = 5
#: Leads to a form that confirms the address, without signing in.
CONFIRM: Final = SignedLink("confirm_address", "topics.delivery.proving")


class TooManyLinksError(TopicError):
    """A user requested links too often."""


def confirmed_address(user: Any) -> str:
    """Return the address for a user's digests and tests; "" until it is confirmed."""
    if not AddressProof.objects.of(user).confirmed().exists():
        return ""
    # Forms refuse another one; another way into the tables must not stop the digest.
    return str(user.email) if can_be_written(user.email) else ""


def is_waiting(user: Any, now: datetime) -> bool:
    """True if a link that can still be used went to the present, unconfirmed address."""
    asked = AddressProof.objects.of(user)
    return not asked.confirmed().exists() and asked.filter(asked__gt=now - MAX_AGE).exists()


def send_link(user: Any, server: MailServer, now: datetime) -> SendResult:
    """Mail a link to the address of a user's account.

    Raises
    ------
    TooManyLinksError
        If the user, or the address, got too many of them lately.
    """
    if not can_be_written(user.email):
        return SendResult(False, problem=_("This is not an e-mail address."))
    with write_transaction():
        proof = note_link(user, user.email, now)
    outcome = smtp.send(server, _message(proof, now), settings.MAIL_FROM, proof.email)
    if not outcome.sent and outcome.certain:
        proof.delete()
    return outcome


def find_address_proof(token: str) -> AddressProof | None:
    """Return the address that a link confirms; None if the link is forged."""
    return CONFIRM.find(token, AddressProof.objects.all())


def has_expired(proof: AddressProof, now: datetime) -> bool:
    """True if a link was not used in time."""
    return proof.confirmed is None and proof.asked + MAX_AGE <= now


def confirm_address(proof: AddressProof, now: datetime) -> None:
    """Mark the address as confirmed; the second time changes nothing."""
    AddressProof.objects.filter(pk=proof.pk, confirmed=None).update(confirmed=now)


def may_send_link(user: Any, email: str, now: datetime) -> bool:
    """True if a user may request another link to an address; called in a transaction."""
    # Of two requests at once the second waits here, and counts the first one's link.
    get_user_model()._default_manager.select_for_update().get(pk=user.pk)
    own = AddressProof.objects.filter(user=user, asked__gt=now - timedelta(hours=1))
    same = AddressProof.objects.filter(email=email, asked__gt=now - timedelta(days=1))
    return own.count() < PER_HOUR and same.count() < PER_DAY


def note_link(user: Any, email: str, now: datetime) -> AddressProof:
    """Count a link that goes to an address; called in a transaction.

    Raises
    ------
    TooManyLinksError
        If the user, or the address, got too many of them lately.
    """
    if not may_send_link(user, email, now):
        raise TooManyLinksError(_("Too many links were sent recently. Try again later."))
    return AddressProof.objects.create(user=user, email=email, asked=now)


def can_be_written(email: str) -> bool:
    """True if mail can be written to an address."""
    try:
        mime.validate_address(email)
    except ValidationError:
        return False
    return True


def _message(proof: AddressProof, now: datetime) -> bytes:
    context = {
        "address": proof.email,
        "days": MAX_AGE.days,
        "link": mime.full_address(CONFIRM.path(proof)),
    }
    subject = _("Confirm your address for FocusWeb")
    return mime.text_mail("confirm", subject, proof.email, "mail/confirm.txt", context, now)
