"""The parts of a mail: headers, parts and lines that no text from the web can break."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.header import Header
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid, parseaddr
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.template.loader import render_to_string
from django.utils.translation import get_language

from topics.rules.spacing import close_up

#: Characters that turn the direction of writing: in a title they would turn the whole mail.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
#: Chinese has no space after its punctuation, not even where lines were joined.
_AFTER_FULL_WIDTH = re.compile("(?<=[。！？；，：）》」』]) ")
MAX_TITLE = 200
MAX_WHY = 600
MAX_EXTRACT = 400
#: A longer header is written in several lines (RFC 5322, 2.1.1).
_MAX_LINE: Final = 78


@dataclass(frozen=True, slots=True)
class Envelope:
    """Message-ID and recipient of a mail; `recipient` is empty if there is none."""

    message_id: str
    recipient: str
    subject_prefix: str = ""


def new_message(subject: str, envelope: Envelope, made: datetime) -> EmailMessage:
    """Return a mail without its content."""
    message = EmailMessage(policy=SMTP)
    name, address = parseaddr(settings.MAIL_FROM)
    # Not by its key: the library decodes what looks encoded ("=?utf-8?q?=0D=0A?="), so that the
    # title of a page could end the header.
    message.set_raw("Subject", _subject_field(envelope.subject_prefix + subject))
    message["From"] = Address(name, addr_spec=ascii_address(address))
    if envelope.recipient:
        message["To"] = Address(addr_spec=ascii_address(envelope.recipient))
    message["Date"] = format_datetime(made)
    message["Message-ID"] = envelope.message_id
    message["Auto-Submitted"] = "auto-generated"
    return message


def _subject_field(subject: str) -> str:
    """Return the field of a subject: as it stands if it is short and plain, else encoded."""
    is_short = len(f"Subject: {subject}") <= _MAX_LINE
    if is_short and subject.isascii() and "=?" not in subject:
        return subject
    return Header(subject, "utf-8", header_name="Subject").encode(linesep="\r\n")


def text_mail(
    purpose: str,
    subject: str,
    recipient: str,
    template: str,
    context: Mapping[str, Any],
    made: datetime,
) -> bytes:
    """Return a mail of plain text in the active language.

    `purpose` begins its Message-ID. The template gets `context` and the address of the site.
    """
    envelope = Envelope(make_msgid(purpose, sender_domain()), recipient)
    message = new_message(subject, envelope, made)
    content = render_to_string(template, {"site": settings.BASE_URL, **context})
    message.set_content(content, cte="quoted-printable")
    message["Content-Language"] = html_lang(get_language() or "en")
    return message.as_bytes(policy=SMTP)


def new_part(content: str, subtype: str, lang: str) -> EmailMessage:
    """Return a text part of a mail, in the shorter encoding.

    HTML in Chinese has no blanks beside Chinese punctuation.
    """
    if subtype == "html" and lang.startswith("zh"):
        content = close_up(content)
    part = EmailMessage(policy=SMTP)
    n_bytes = len(content.encode())
    # Quoted-printable makes three bytes of each that is not ASCII, base64 four of any three.
    n_others = n_bytes - sum(character.isascii() for character in content)
    encoding = "base64" if 6 * n_others > n_bytes else "quoted-printable"
    part.set_content(content, subtype=subtype, cte=encoding)
    del part["MIME-Version"]  # the whole has one
    part["Content-Language"] = lang
    return part


def html_bytes(message: EmailMessage) -> int:
    """Bytes of the HTML part as it travels."""
    part = message.get_body(("html",))
    return len(part.as_bytes(policy=SMTP)) if part is not None else 0


def raw_headers(fields: Mapping[str, str]) -> bytes:
    """Headers written by hand: the library takes a name longer than a line for words to encode."""
    return "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode("ascii")


def html_lang(language: str) -> str:
    """Return a language of ours as the `lang` attribute spells it."""
    return {"zh-hans": "zh-Hans", "zh-hant": "zh-Hant"}.get(language, language)


def sender_domain() -> str:
    """Return the domain that mails are from."""
    return ascii_address(parseaddr(settings.MAIL_FROM)[1]).rpartition("@")[2]


def ascii_address(address: str) -> str:
    """Return an address whose domain is spelt as the name service knows it."""
    name, _at, domain = address.rpartition("@")
    return f"{name}@{domain.encode('idna').decode()}"


def validate_address(address: str) -> None:
    """Refuse an address to which no mail can be written.

    Raises
    ------
    ValidationError
        Also for a domain that the name service cannot know, such as one of 60 Chinese characters.
    """
    validate_email(address)
    try:
        ascii_address(address)
    except UnicodeError as error:
        raise ValidationError(validate_email.message, code=validate_email.code) from error


def full_address(path: str) -> str:
    """Return the full URL of one of our paths, for a mail."""
    return f"{settings.BASE_URL.rstrip('/')}{path}"


def one_line(text: str, limit: int = MAX_TITLE) -> str:
    """Text from the web as one quiet line: no breaks, control or turning characters."""
    printable = "".join(c if c.isprintable() or c.isspace() else "" for c in text)
    line = _AFTER_FULL_WIDTH.sub("", _TURNING.sub("", " ".join(printable.split())))
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
