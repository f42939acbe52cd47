"""Mail to a reader who agreed to it: alerts, and copies of digests."""

from collections.abc import Sequence
from datetime import timedelta
from email.policy import SMTP
from typing import Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from focusweb.mail_server import MailServer
from topics.delivery import mime, smtp
from topics.delivery.channels.base import Message, Target, TargetError
from topics.delivery.handover import SendResult
from topics.delivery.unsubscription import one_click_headers

#: Pauses over a day: what is refused for now is often taken an hour later.
RETRY_DELAYS: Final = (
    *(timedelta(minutes=2), timedelta(minutes=10), timedelta(minutes=30), timedelta(hours=1)),
    *(timedelta(hours=3), timedelta(hours=6), timedelta(hours=12)),
)


class Mail:
    """A mail of its own for each address: no reader sees the other recipients."""

    name = "mail"
    label = gettext_lazy("e-mail")
    hint = gettext_lazy("an e-mail address; its reader must confirm it first")
    signs = False
    needs_consent = True
    repeatable = False
    retry_delays: Sequence[timedelta] = RETRY_DELAYS

    def check(self, address: str) -> str:
        try:
            mime.validate_address(address)
        except ValidationError as error:
            raise TargetError(_("This is not an e-mail address.")) from error
        return address

    def write(self, message: Message, target: Target) -> bytes:
        with translation.override(message.lang):
            envelope = mime.Envelope(f"<{message.uid}@{mime.sender_domain()}>", target.address)
            mail = mime.new_message(message.subject, envelope, message.made)
            mail.make_alternative()
            lang = mime.html_lang(message.lang)
            for subtype, template in (("plain", "mail/alerts.txt"), ("html", "mail/alerts.html")):
                content = render_to_string(template, {"message": message, "lang": lang})
                mail.attach(mime.new_part(content, subtype, lang))
        headers = mime.raw_headers(one_click_headers(message.stop_url))
        return headers + mail.as_bytes(policy=SMTP)

    def send(self, body: bytes, target: Target) -> SendResult:
        server: MailServer | None = settings.MAIL_SERVER
        if server is None:
            return SendResult(False, problem=_("No mail server is set. Set FOCUSWEB_SMTP_URL."))
        return smtp.send(server, body, settings.MAIL_FROM, target.address)
