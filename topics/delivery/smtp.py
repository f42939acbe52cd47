"""Send stored bytes to the operator's mail server. Return the outcome."""

import smtplib
from contextlib import suppress
from typing import Any, Final

from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend

from focusweb.mail_server import MailServer
from topics.delivery.handover import SendResult

#: Seconds the server may take for each of its answers.
TIMEOUT_S: Final = 10
MAX_PROBLEM = 300


class _Bytes:
    """What a backend takes for a message: it gives the stored bytes, unchanged."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def as_bytes(self, unixfrom: bool = False, linesep: str = "\r\n") -> bytes:
        return self._data


class StoredMessage(EmailMessage):
    """A mail that was written before."""

    def __init__(self, data: bytes, sender: str, recipient: str) -> None:
        super().__init__(from_email=sender, to=[recipient])
        self._data = data

    def message(self, **options: Any) -> Any:
        return _Bytes(self._data)


class WatchedConnection(smtplib.SMTP):
    """A connection that remembers whether the server may have the whole mail."""

    in_data = False
    mail_sent = False

    def data(self, msg: Any) -> tuple[int, bytes]:
        self.in_data = True
        return super().data(msg)

    def send(self, s: Any) -> None:
        super().send(s)
        # Commands are text. The mail is bytes, sent at once with the dot at its end: if that fails,
        # the dot did not arrive, and a server must not take a mail without it (RFC 5321 4.1.1.4).
        self.mail_sent = self.mail_sent or (self.in_data and isinstance(s, bytes))


class _WatchedTls(WatchedConnection, smtplib.SMTP_SSL):
    pass


class Backend(EmailBackend):
    """Django's way to a mail server, with connections that are watched."""

    connection: WatchedConnection | None

    def __init__(self, server: MailServer, timeout_s: float) -> None:
        super().__init__(
            host=server.host,
            port=server.port,
            username=server.user,
            password=server.password,
            use_tls=server.starttls,
            use_ssl=server.tls,
            timeout=timeout_s,
        )

    @property
    def connection_class(self) -> type[WatchedConnection]:
        return _WatchedTls if self.use_ssl else WatchedConnection

    @property
    def mail_sent(self) -> bool:
        """True once the server may have the whole mail."""
        return self.connection is not None and self.connection.mail_sent


def send(
    server: MailServer, data: bytes, sender: str, recipient: str, *, timeout_s: float = TIMEOUT_S
) -> SendResult:
    """Hand a mail over, once.

    If the connection fails or the server refuses the mail, it was certainly not sent. If the
    connection breaks after the whole mail was on its way, the outcome is unknown.
    """
    backend = Backend(server, timeout_s)
    try:
        backend.open()
        backend.send_messages([StoredMessage(data, sender, recipient)])
    except smtplib.SMTPResponseException as error:
        certain = 400 <= error.smtp_code < 600 or not backend.mail_sent
        return SendResult(False, certain, answer_text(error.smtp_code, error.smtp_error))
    except smtplib.SMTPRecipientsRefused as error:
        code, answer = next(iter(error.recipients.values()))
        return SendResult(False, problem=answer_text(code, answer))
    except OSError as error:  # smtplib's own errors are among these
        return SendResult(False, not backend.mail_sent, problem_line(str(error) or repr(error)))
    finally:
        # The answer to QUIT changes nothing.
        with suppress(OSError):
            backend.close()
    return SendResult(True)


def answer_text(code: int, answer: bytes | str) -> str:
    """Return a server's answer in one line; or a note that it is not an SMTP reply."""
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return problem_line(f"{code} {text}" if code > 0 else f"not an answer of SMTP: {text}")


def problem_line(problem: str) -> str:
    """Return a problem in one line of limited length."""
    return " ".join(problem.split())[:MAX_PROBLEM]
