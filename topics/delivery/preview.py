"""Look at a mail: the next one as it would be now, a try of it, or one that was written."""

from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import make_msgid

from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from crawler.models import Harvest
from focusweb.mail_server import MailServer
from topics.delivery import rendering, selection, smtp
from topics.delivery.confirmation import proved_address
from topics.delivery.rendering import Envelope, Written
from topics.models import Digest
from topics.pages.news import in_order, known_in_order

#: Before the subject, in the language of the digest.
TEST, EXAMPLE = _("[Test] "), _("[Example] ")
EXAMPLE_PAGES = 5


@dataclass(frozen=True, slots=True)
class Mail:
    """A written mail, taken apart."""

    subject: str
    text: str
    html: str


@dataclass(frozen=True, slots=True)
class Look:
    """A look at the next issue.

    Attributes
    ----------
    mail : Mail
    n_news : int
        Pages it would tell if it were sent now.
    is_example : bool
        The mail shows known pages instead, as there is no news.
    """

    mail: Mail
    n_news: int
    is_example: bool


def look(digest: Digest, now: datetime) -> Look:
    """The next issue as it would be now; where nothing is new, what one looks like."""
    written = draft(digest, now)
    if not written.n_pages:
        known = in_order(list(known_in_order(digest.topic, now)[:EXAMPLE_PAGES]))
        if known:
            example = _written(digest, known[: digest.max_items], 0, EXAMPLE, now)
            return Look(taken_apart(example.message), 0, is_example=True)
    return Look(taken_apart(written.message), written.n_pages, is_example=False)


def draft(digest: Digest, now: datetime) -> Written:
    """The issue that would be made now, by the same templates and with the same pages."""
    return _draft(digest, now, "")


def send_test(digest: Digest, server: MailServer, now: datetime) -> smtp.Outcome:
    """Send the issue that would be made now to the owner, and forget it: the next is the same."""
    address = proved_address(digest.topic.owner)
    if not address:
        return smtp.Outcome(False, problem=gettext("The address is not confirmed."))
    written = _draft(digest, now, TEST)
    return smtp.send(server, written.message, settings.MAIL_FROM, address)


def taken_apart(message: bytes) -> Mail:
    """What a mail program would show of a mail."""
    parsed = message_from_bytes(message, _class=EmailMessage, policy=SMTP)
    parts = {
        kind: str(part.get_content()) if (part := parsed.get_body((kind,))) else ""
        for kind in ("plain", "html")
    }
    return Mail(str(parsed["Subject"] or ""), parts["plain"], parts["html"])


def _draft(digest: Digest, now: datetime, mark: Promise | str) -> Written:
    pages, n_more = selection.choose_pages(digest, digest.covered_until, now)
    return _written(digest, pages, n_more, mark, now)


def _written(
    digest: Digest, pages: list[Harvest], n_more: int, mark: Promise | str, now: datetime
) -> Written:
    told = selection.tell(digest.topic, pages, digest.language, now)
    text = rendering.issue_text(digest, told, digest.covered_until, now, made=now, n_more=n_more)
    name = make_msgid("draft", rendering.sender_domain())
    with translation.override(digest.language):
        prefix = str(mark)
    return rendering.write(digest, text, Envelope(name, digest.topic.owner.email, prefix))
