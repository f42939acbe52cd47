"""Look at a mail: the next one as it would be now, a try of it, or one that was written."""

from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import make_msgid

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from focusweb.mail_server import MailServer
from topics.delivery import freezing, rendering, smtp
from topics.delivery.rendering import Envelope, Written
from topics.models import Digest


@dataclass(frozen=True, slots=True)
class Mail:
    """A written mail, taken apart."""

    subject: str
    text: str
    html: str


def draft(digest: Digest, now: datetime) -> Written:
    """The issue that would be made now, by the same templates and with the same pages."""
    return _draft(digest, now, is_test=False)


def send_test(digest: Digest, server: MailServer, now: datetime) -> smtp.Outcome:
    """Send the issue that would be made now to the owner, and forget it: the next is the same."""
    written = _draft(digest, now, is_test=True)
    return smtp.send(server, written.message, settings.MAIL_FROM, digest.topic.owner.email)


def taken_apart(message: bytes) -> Mail:
    """What a mail program would show of a mail."""
    parsed = message_from_bytes(message, _class=EmailMessage, policy=SMTP)
    parts = {
        kind: str(part.get_content()) if (part := parsed.get_body((kind,))) else ""
        for kind in ("plain", "html")
    }
    return Mail(str(parsed["Subject"] or ""), parts["plain"], parts["html"])


def _draft(digest: Digest, now: datetime, *, is_test: bool) -> Written:
    pages, n_more = freezing.choose_pages(digest, digest.covered_until, now)
    told = freezing.tell(digest.topic, pages, digest.language, now)
    text = rendering.issue_text(digest, told, digest.covered_until, now, made=now, n_more=n_more)
    with translation.override(digest.language):
        mark = _("[Test] ") if is_test else ""
    name = make_msgid("draft", rendering.sender_domain())
    return rendering.write(digest, text, Envelope(name, digest.topic.owner.email, mark))
