"""The operator's mail server, as one setting names it."""

from dataclasses import dataclass, field
from email.headerregistry import Address
from email.utils import parseaddr
from typing import Final
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

from focusweb.runtime.address import shown_address

#: Port of each scheme where none is given.
_PORTS: Final = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
_HERE: Final = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mail is handed over, and how it is encrypted on the way there."""

    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)
    starttls: bool = False
    tls: bool = False


def read_mail_server(name: str, url: str) -> MailServer | None:
    """Read `smtp+starttls://user:password@host:port` and its like; None if there is none.

    Raises
    ------
    ImproperlyConfigured
        If it makes no sense, or would show a password to the network. The message names
        the setting `name` and never the password.
    """
    if not url:
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name} is not the address of a mail server: {error}"
        ) from error
    if parts.scheme not in _PORTS or not host or parts.path.strip("/") or parts.query:
        raise ImproperlyConfigured(
            f"{name} must be smtps://USER:PASSWORD@HOST:PORT, or the same with smtp+starttls://"
            " or smtp://; characters such as @ and / in the password are written as %40 and %2F"
        )
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password):
        raise ImproperlyConfigured(f"{name} needs both a user and a password, or neither")
    if password and parts.scheme == "smtp" and host not in _HERE:
        raise ImproperlyConfigured(
            f"{name} would send the password to {host} unencrypted: use smtps:// or smtp+starttls://"
        )
    return MailServer(
        host=host,
        port=port or _PORTS[parts.scheme],
        user=user,
        password=password,
        starttls=parts.scheme == "smtp+starttls",
        tls=parts.scheme == "smtps",
    )


def mail_sender(name: str, text: str, needed: bool) -> str:
    """Whom mails are from, such as `FocusWeb <watch@example.org>`.

    Raises
    ------
    ImproperlyConfigured
        If it is not an address, or it is missing although it is needed.
    """
    if not text and not needed:
        return "FocusWeb <focusweb@localhost>"
    shown, address = parseaddr(text)
    try:
        validate_email(address)
    except ValidationError as error:
        raise ImproperlyConfigured(
            f"{name} must say whom mails are from, such as FocusWeb <you@your.site>, got {text!r}"
        ) from error
    return str(Address(shown or "FocusWeb", addr_spec=address))


def base_url(name: str, text: str, host: str, port: int) -> str:
    """Where people find the site, with a slash at its end.

    Raises
    ------
    ImproperlyConfigured
        If it is not an http or https address.
    """
    if not text:
        return shown_address(host, port)
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query:
        raise ImproperlyConfigured(f"{name} must be an http or https address, got {text!r}")
    return text.rstrip("/") + "/"
