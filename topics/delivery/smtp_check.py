"""Go through a conversation with the mail server. Return advice for each step."""

import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parseaddr
from enum import StrEnum
from typing import Any, Final

from django.core.mail.utils import DNS_NAME

from focusweb.mail_server import MailServer
from topics.delivery import mime
from topics.delivery.smtp import Backend, WatchedConnection, answer_text, problem_line

#: What to do when a step fails; a code of the server's answer narrows it.
ADVICE: Final = {
    "name": "Correct the host in FOCUSWEB_SMTP_URL, or the name server of this machine.",
    "connection": (
        "Check host and port in FOCUSWEB_SMTP_URL. Usual ports: 587 for smtp+starttls://, 465 for"
        " smtps://. A firewall or provider may block them."
    ),
    "greeting": (
        "The port does not speak SMTP as this scheme expects. Use smtps:// for port 465,"
        " smtp+starttls:// for port 587."
    ),
    "encryption": (
        "The server offers no STARTTLS here. Use smtps:// if it has TLS on port 465. FocusWeb never"
        " falls back to an unencrypted connection."
    ),
    "certificate": (
        "The certificate must be valid for the host in FOCUSWEB_SMTP_URL. Use the name in the"
        " certificate, renew it, or name your own authority by SSL_CERT_FILE."
    ),
    "login": (
        "Check user and password in FOCUSWEB_SMTP_URL; write @ as %40 and / as %2F. Many providers"
        " need an app password."
    ),
    "sender": "Set FOCUSWEB_MAIL_FROM to an address that this account may send from.",
    "recipient": (
        "Check the address. If it is right, the server may not forward mail for you: sign in, or"
        " use your provider's server."
    ),
    "message": "Read the server's answer. It names the reason, such as a size or content limit.",
}
LATER: Final = "The server refuses for now. Try again in some minutes."
UNKNOWN: Final = "The connection broke after the whole mail was sent. Look into the mailbox."
NEVER_SENT: Final = "The connection broke before the whole mail was sent. Try again."


class StepState(StrEnum):
    """How a step ended."""

    OK = "ok"
    HINT = "hint"
    ERROR = "error"
    NOT_DONE = "not done"


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One step: its name, how it ended, the server's answer, and what to do."""

    name: str
    state: StepState
    answer: str
    advice: str = ""


class _StepError(Exception):
    """A step failed; the conversation is over."""

    def __init__(self, name: str, answer: str, advice: str = "") -> None:
        super().__init__(answer)
        self.step = CheckStep(name, StepState.ERROR, answer, advice or ADVICE[name])


def check_mail(
    server: MailServer,
    sender: str,
    recipient: str,
    message: bytes,
    *,
    send: bool,
    timeout_s: float,
) -> Iterator[CheckStep]:
    """Yield each step of handing a message to a mail server, up to the first that fails.

    Without `send` the conversation ends before DATA: both addresses are checked, no mail is sent.
    """
    connection = None
    try:
        yield _resolve(server)
        connection = _connect(server, timeout_s)
        yield CheckStep("connection", StepState.OK, f"{server.host}, port {server.port}")
        yield _encrypt(connection, server, timeout_s)
        yield _sign_in(connection, server)
        yield _name_address(connection, "sender", "MAIL FROM", parseaddr(sender)[1])
        yield _name_address(connection, "recipient", "RCPT TO", recipient)
        yield _hand_over(connection, message) if send else _stop_before_data()
    except _StepError as failure:
        yield failure.step
    finally:
        if connection is not None:
            # The answer to QUIT changes nothing.
            with suppress(OSError):
                connection.quit()
            connection.close()


def _resolve(server: MailServer) -> CheckStep:
    try:
        found = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise _StepError("name", str(error)) from error
    return CheckStep("name", StepState.OK, ", ".join(sorted({str(row[4][0]) for row in found})))


def _connect(server: MailServer, timeout_s: float) -> WatchedConnection:
    """Connect, with TLS if the scheme wants it from the start, and read the greeting."""
    backend = Backend(server, timeout_s)
    options: dict[str, Any] = {"timeout": timeout_s, "local_hostname": DNS_NAME.get_fqdn()}
    if server.tls:
        options["context"] = backend.ssl_context
    try:
        connection = backend.connection_class(server.host, server.port, **options)
        connection.ehlo_or_helo_if_needed()
    except smtplib.SMTPResponseException as error:
        raise _refused("greeting", error) from error
    except ssl.SSLCertVerificationError as error:
        raise _StepError("certificate", error.verify_message) from error
    except (smtplib.SMTPServerDisconnected, ssl.SSLError) as error:
        raise _StepError("greeting", problem_line(str(error))) from error
    except OSError as error:
        raise _StepError("connection", str(error)) from error
    return connection


def _encrypt(connection: WatchedConnection, server: MailServer, timeout_s: float) -> CheckStep:
    """Begin TLS if the scheme wants that now; describe the certificate."""
    if not server.starttls and not server.tls:
        advice = "Use smtp+starttls:// or smtps:// if the server is not on this machine."
        return CheckStep("encryption", StepState.HINT, "none: the scheme is smtp://", advice)
    if server.starttls:
        try:
            connection.starttls(context=Backend(server, timeout_s).ssl_context)
            connection.ehlo_or_helo_if_needed()
        except smtplib.SMTPNotSupportedError as error:
            raise _StepError("encryption", str(error)) from error
        except smtplib.SMTPResponseException as error:
            raise _refused("encryption", error) from error
        except ssl.SSLCertVerificationError as error:
            raise _StepError("certificate", error.verify_message) from error
        except OSError as error:
            raise _StepError("encryption", problem_line(str(error)), LATER) from error
    assert isinstance(connection.sock, ssl.SSLSocket)
    certificate = connection.sock.getpeercert() or {}
    answer = f"{connection.sock.version()}, certificate valid until {certificate.get('notAfter')}"
    return CheckStep("encryption", StepState.OK, answer)


def _sign_in(connection: WatchedConnection, server: MailServer) -> CheckStep:
    if not server.user:
        return CheckStep("login", StepState.NOT_DONE, "FOCUSWEB_SMTP_URL names no user")
    try:
        code, answer = connection.login(server.user, server.password)
    except smtplib.SMTPResponseException as error:
        raise _refused("login", error) from error
    except OSError as error:  # smtplib's own errors are among these
        raise _StepError("login", problem_line(str(error))) from error
    return CheckStep("login", StepState.OK, answer_text(code, answer))


def _name_address(connection: WatchedConnection, name: str, verb: str, address: str) -> CheckStep:
    """Send MAIL FROM or RCPT TO."""
    try:
        code, answer = connection.docmd(f"{verb}:<{mime.ascii_address(address)}>")
    except (OSError, ValueError) as error:
        raise _StepError(name, problem_line(str(error))) from error
    if not 200 <= code < 300:
        raise _refused(name, smtplib.SMTPResponseException(code, answer))
    return CheckStep(name, StepState.OK, answer_text(code, answer))


def _stop_before_data() -> CheckStep:
    answer = "not sent: the conversation ends before DATA"
    return CheckStep("message", StepState.NOT_DONE, answer)


def _hand_over(connection: WatchedConnection, message: bytes) -> CheckStep:
    try:
        code, answer = connection.data(message)
    except smtplib.SMTPResponseException as error:
        raise _refused("message", error) from error
    except OSError as error:
        advice = UNKNOWN if connection.mail_sent else NEVER_SENT
        raise _StepError("message", problem_line(str(error)), advice) from error
    if not 200 <= code < 300:
        raise _refused("message", smtplib.SMTPResponseException(code, answer))
    return CheckStep("message", StepState.OK, answer_text(code, answer))


def _refused(name: str, error: smtplib.SMTPResponseException) -> _StepError:
    later = LATER if 400 <= error.smtp_code < 500 else ""
    return _StepError(name, answer_text(error.smtp_code, error.smtp_error), later)
