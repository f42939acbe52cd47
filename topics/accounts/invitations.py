"""Invitations: a signed link that expires, and with which one person makes an account."""

from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import IntegrityError
from django.utils.translation import gettext as _

from focusweb.database import write_transaction
from focusweb.mail_server import MailServer
from topics.delivery import mime, smtp
from topics.delivery.handover import SendResult
from topics.delivery.signed_links import SignedLink
from topics.errors import TopicError
from topics.models import AddressProof, Invitation

#: How long an invitation can be used.
MAX_AGE: Final = timedelta(days=7)
LINK: Final = SignedLink("join", "topics.accounts.invitations")


class InvitationUsedError(TopicError):
    """Someone has used the invitation, or it has expired."""


def invite(made_by: Any, email: str, now: datetime) -> Invitation:
    """Make an invitation. The caller mails it, or shows its link."""
    return Invitation.objects.create(
        made_by=made_by, email=email, created=now, expires=now + MAX_AGE
    )


def link_of(invitation: Invitation) -> str:
    """Return the whole address of an invitation."""
    return mime.full_address(LINK.path(invitation))


def find_invitation(token: str) -> Invitation | None:
    """Return the invitation of a link; None if the link is forged or was withdrawn."""
    return LINK.find(token, Invitation.objects.all())


def is_usable(invitation: Invitation, now: datetime) -> bool:
    """Return whether an account can still be made with it."""
    return invitation.used is None and now < invitation.expires


class NameTakenError(TopicError):
    """Another account with the same name was made since the form was checked."""


@write_transaction()
def accept(invitation: Invitation, form: Any, now: datetime) -> Any:
    """Create the account of a valid form, once for each invitation.

    Raises
    ------
    InvitationUsedError
        If it was used before, or has expired.
    NameTakenError
        The invitation can still be used then.
    """
    taken = Invitation.objects.usable(now).filter(pk=invitation.pk).update(used=now)
    if not taken:
        raise InvitationUsedError(_("This invitation was used or has expired."))
    try:
        user = form.save()
    except IntegrityError as error:
        raise NameTakenError(f"an account has this name already: {error}") from error
    Invitation.objects.filter(pk=invitation.pk).update(used_by=user)
    if invitation.email:
        # A user with the link has read the mail.
        user.email = invitation.email
        user.save(update_fields=["email"])
        AddressProof.objects.create(
            user=user, email=invitation.email, asked=invitation.created, confirmed=now
        )
    return user


def mail_invitation(invitation: Invitation, server: MailServer, now: datetime) -> SendResult:
    """Mail the link of an invitation, in the language of the user who makes it."""
    context = {
        "person": invitation.made_by.get_username(),
        "days": MAX_AGE.days,
        "link": link_of(invitation),
    }
    subject, template = _("An invitation to FocusWeb"), "mail/invitation.txt"
    data = mime.text_mail("invite", subject, invitation.email, template, context, now)
    return smtp.send(server, data, settings.MAIL_FROM, invitation.email)
