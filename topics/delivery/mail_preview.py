"""Preview a mail: the next one as it would be now, a test of it, or a stored one."""

from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import make_msgid

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from focusweb.mail_server import MailServer
from topics.delivery import mime, rendering, selection, smtp
from topics.delivery.confirmation import can_be_written, confirmed_address
from topics.delivery.coverage import waited_long
from topics.delivery.digest_extras import parts_of
from topics.delivery.handover import SendResult
from topics.delivery.mime import Envelope
from topics.delivery.rendering import WrittenMail
from topics.delivery.sections import Choice, ChosenPage, choose_pages
from topics.models import Digest
from topics.pages.news import in_order, known_in_order

#: Before the subject, in the language of the digest.
TEST, EXAMPLE = _("[Test] "), _("[Example] ")
EXAMPLE_PAGES = 5


@dataclass(frozen=True, slots=True)
class MailParts:
    """A written mail, taken apart."""

    subject: str
    text: str
    html: str


@dataclass(frozen=True, slots=True)
class DigestPreview:
    """A preview of the next issue.

    Attributes
    ----------
    n_news : int
        Pages, and changes of watched pages, that it would hold if it were sent now.
    is_example : bool
        The mail shows known pages instead, as there are no new ones.
    """

    mail: MailParts
    n_news: int
    is_example: bool
    #: There are fewer pages than the digest's minimum, and they would wait for more.
    is_held: bool = False


def preview_digest(digest: Digest, now: datetime) -> DigestPreview:
    """Return the next issue as it would be now; where nothing is new, what one looks like."""
    written = draft(digest, now)
    n_news = written.n_pages + written.n_changes
    if not n_news:
        known = in_order(list(known_in_order(digest.topic, now)[:EXAMPLE_PAGES]))
        if known:
            pages = [ChosenPage(page, digest.topic) for page in known[: digest.max_items]]
            example = _written(digest, Choice(pages), EXAMPLE, now)
            return DigestPreview(mail_parts(example.message), 0, is_example=True)
    waits = not waited_long(digest, digest.covered_until, now)
    is_held = 0 < n_news < digest.min_items and waits
    return DigestPreview(mail_parts(written.message), n_news, is_example=False, is_held=is_held)


def draft(digest: Digest, now: datetime, mark: Promise | str = "") -> WrittenMail:
    """Return the issue that would be made now, by the same templates and with the same pages."""
    return _written(digest, choose_pages(digest, digest.covered_until, now), mark, now)


def send_test(digest: Digest, server: MailServer, now: datetime) -> SendResult:
    """Send the issue that would be made now to the owner, and forget it: the next is the same."""
    address = confirmed_address(digest.topic.owner)
    if not address:
        return SendResult(False, problem=gettext("The address is not confirmed."))
    written = draft(digest, now, TEST)
    return smtp.send(server, written.message, settings.MAIL_FROM, address)


def mail_parts(message: bytes) -> MailParts:
    """What a mail program would show of a mail."""
    parsed = message_from_bytes(message, _class=EmailMessage, policy=SMTP)
    parts = {
        kind: str(part.get_content()) if (part := parsed.get_body((kind,))) else ""
        for kind in ("plain", "html")
    }
    return MailParts(str(parsed["Subject"] or ""), parts["plain"], parts["html"])


def _written(digest: Digest, choice: Choice, mark: Promise | str, now: datetime) -> WrittenMail:
    items = selection.issue_items(choice.pages, digest.language, now)
    # A draft has no items that could be rated from it: their links lead to their topic instead.
    topics = [reverse("topic_detail", args=[page.topic.slug]) for page in choice.pages]
    text = rendering.issue_text(
        digest,
        [
            rendering.with_act_url(item, mime.full_address(path))
            for item, path in zip(items, topics, strict=True)
        ],
        digest.covered_until,
        now,
        made=now,
        n_more=choice.n_more,
        n_of_full_sites=choice.n_of_full_sites,
        besides=parts_of(digest, choice.pages, digest.covered_until, now),
    )
    name = make_msgid("draft", mime.sender_domain())
    with translation.override(digest.language):
        prefix = str(mark)
    email = digest.topic.owner.email
    address = email if can_be_written(email) else ""
    return rendering.write(digest, text, Envelope(name, address, prefix))
