"""Hand stored bytes to the operator's mail server, and know what became of them."""

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
    """Stands where a backend expects a message: gives what was stored, unchanged."""

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


class _Watched(smtplib.SMTP):
    """A connection that remembers whether the mail itself was on its way."""

    data_begun = False

    def data(self, msg: Any) -> tuple[int, bytes]:
        self.data_begun = True
        return super().data(msg)


class _WatchedTls(_Watched, smtplib.SMTP_SSL):
    pass


class Backend(EmailBackend):
    """Django's way to a mail server, with connections that are watched."""

    connection: _Watched | None

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
    def connection_class(self) -> type[smtplib.SMTP]:
        return _WatchedTls if self.use_ssl else _Watched

    @property
    def data_begun(self) -> bool:
        """True once the server may have the mail."""
        return self.connection is not None and self.connection.data_begun


def send(
    server: MailServer, data: bytes, sender: str, recipient: str, *, timeout_s: float = TIMEOUT_S
) -> SendResult:
    """Hand a mail over, once.

    If the connection fails or the server refuses the mail, it was certainly not sent. If the
    connection breaks after the mail was on its way, the outcome is unknown.
    """
    backend = Backend(server, timeout_s)
    try:
        backend.open()
        backend.send_messages([StoredMessage(data, sender, recipient)])
    except smtplib.SMTPResponseException as error:
        certain = 400 <= error.smtp_code < 600 or not backend.data_begun
        return SendResult(False, certain, _one_line(f"{error.smtp_code} {_text(error.smtp_error)}"))
    except smtplib.SMTPRecipientsRefused as error:
        code, answer = next(iter(error.recipients.values()))
        return SendResult(False, problem=_one_line(f"{code} {_text(answer)}"))
    except OSError as error:  # smtplib's own errors are among these
        return SendResult(
            False, not backend.data_begun, _one_line(str(error) or type(error).__name__)
        )
    finally:
        # What the server says to a good-bye changes nothing any more.
        with suppress(OSError):
            backend.close()
    return SendResult(True)


def _text(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer


def _one_line(problem: str) -> str:
    return " ".join(problem.split())[:MAX_PROBLEM]
