"""A mail server of its own process on loopback, that writes down every mail it takes.

What it does depends on whom a mail is for:

- ``unknown@``: mailbox does not exist (550), before the mail is sent
- ``later@``: not now (450), before the mail is sent
- ``gone@``: the server shuts down (421), before the mail is sent
- ``cut@``: the connection breaks at DATA, before the mail is sent
- ``full@``: refused after the mail was read (552)
- ``shut@``: the server shuts down (421) after the mail was read; it is not kept
- ``lost@``: the connection breaks after the mail was read; it is not kept
- ``taken@``: the mail is kept, then the connection breaks
- ``odd@``: the mail is kept, then the answer is none that SMTP knows
- ``slow@``: the mail is kept, then the answer takes for ever
- all others: the mail is kept

A mail from ``forged@`` is refused. User ``ann`` with password ``right`` may sign in. Further ports
fail before any mail: see `PORTS`.
"""

import asyncio
import json
import ssl
import sys
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from email import message_from_bytes, policy
from functools import partial
from pathlib import Path
from subprocess import PIPE, Popen
from types import TracebackType
from typing import Any, Final, Self

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

#: Ports besides the ordinary one, and what a client meets there.
PORTS: Final = {
    "busy": "421 instead of a greeting",
    "silent": "no greeting at all",
    "web": "a greeting that is not SMTP",
    "no_starttls": "STARTTLS is offered, and refused with 454",
    "cut_starttls": "STARTTLS is accepted, then the connection breaks",
    "starttls": "STARTTLS with the certificate that the post office was given",
    "tls": "TLS from the start with that certificate",
}
ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail as it came over the wire."""

    sender: str
    recipients: tuple[str, ...]
    content: bytes


class PostOffice:
    """The process, and what it wrote down; `inside` are words that come before its command."""

    def __init__(
        self, log: Path, certificate: Path | None = None, *, inside: Sequence[str] = ()
    ) -> None:
        self._log = log
        self._inside = inside
        self._certificate = certificate
        log.touch()

    def __enter__(self) -> Self:
        self._process = Popen(
            [
                *self._inside,
                *(sys.executable, "-m", "tests.topics.delivery.post_office", str(self._log)),
                str(self._certificate or ""),
            ],
            cwd=ROOT,
            stdout=PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.ports: dict[str, int] = json.loads(self._process.stdout.readline())
        self.port = self.ports["plain"]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate(timeout=60)

    def letters(self) -> list[Letter]:
        """The mails it took, in their order."""
        rows = [json.loads(line) for line in self._log.read_text("utf-8").splitlines()]
        return [Letter(row["from"], tuple(row["to"]), b64decode(row["content"])) for row in rows]

    def forget(self) -> None:
        """Throw the mails away; the faults are back."""
        self._log.write_text("")
        _healed(self._log).unlink(missing_ok=True)

    def heal(self) -> None:
        """Take every mail from now on."""
        _healed(self._log).touch()


def _healed(log: Path) -> Path:
    return log.with_suffix(".healed")


class _Desk:
    """What the server does with each mail."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def fault(self, address: str) -> str:
        """How the server treats a recipient: its name, "" once the post office is healed."""
        return "" if _healed(self._log).exists() else address.partition("@")[0]

    async def handle_MAIL(
        self, server: SMTP, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        if address.startswith("forged@"):
            return "553 5.7.1 that address is not yours"
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, server: SMTP, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        refusals = {
            "unknown": "550 5.1.1 no such mailbox here",
            "later": "450 4.2.1 come back later",
            "gone": "421 4.3.2 shutting down",
        }
        if (fault := self.fault(address)) in refusals:
            return refusals[fault]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Any) -> str:
        kind = self.fault(envelope.rcpt_tos[0])
        if kind == "full":
            return "552 5.2.2 the mailbox is full"
        if kind == "shut":
            return "421 4.3.2 shutting down"
        if kind != "lost":
            self._keep(envelope)
        if kind in ("lost", "taken") and server.transport is not None:
            server.transport.close()
        if kind == "slow":
            await asyncio.sleep(3600)
        return "this is no answer" if kind == "odd" else "250 OK"

    def _keep(self, envelope: Any) -> None:
        row = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "content": b64encode(envelope.original_content).decode(),
        }
        with self._log.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")


class _Cut(SMTP):
    """A server that breaks the connection at DATA for ``cut@``."""

    async def smtp_DATA(self, arg: str) -> None:
        recipients = self.envelope.rcpt_tos if self.envelope is not None else []
        desk = self.event_handler
        assert isinstance(desk, _Desk)
        if recipients and desk.fault(recipients[0]) == "cut" and self.transport is not None:
            self.transport.close()
            return
        await super().smtp_DATA(arg)


class _NoStarttls(SMTP):
    """A server that offers STARTTLS and refuses it."""

    async def smtp_STARTTLS(self, arg: str) -> None:
        await self.push("454 4.7.0 TLS not available now")


class _CutStarttls(SMTP):
    """A server that breaks the connection when TLS should begin."""

    async def smtp_STARTTLS(self, arg: str) -> None:
        await self.push("220 Ready to start TLS")
        if self.transport is not None:
            self.transport.close()


def _sign_in(server: SMTP, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
    known = isinstance(data, LoginPassword) and data == LoginPassword(b"ann", b"right")
    return AuthResult(success=known, handled=False)


async def _scripted(line: bytes, reader: Any, writer: asyncio.StreamWriter) -> None:
    """Say one line and close; say nothing and wait if there is none."""
    if not line:
        await reader.read()
    writer.write(line)
    writer.close()


async def _serve(log: Path, certificate: str) -> None:
    loop = asyncio.get_running_loop()
    offered = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if certificate:
        offered.load_cert_chain(certificate)

    def smtp(kind: type[SMTP], *, tls: bool = False) -> SMTP:
        return kind(
            _Desk(log),
            hostname="mail.test",
            loop=loop,
            authenticator=_sign_in,
            auth_require_tls=False,
            tls_context=offered if tls else None,
        )

    async def listen(kind: type[SMTP], *, starttls: bool = False, tls: bool = False) -> int:
        context = offered if tls else None
        server = await loop.create_server(
            lambda: smtp(kind, tls=starttls), "127.0.0.1", 0, ssl=context
        )
        servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    async def say(line: bytes) -> int:
        server = await asyncio.start_server(partial(_scripted, line), "127.0.0.1", 0)
        servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    servers: list[asyncio.Server] = []
    ports = {
        "plain": await listen(_Cut),
        "busy": await say(b"421 4.3.2 too many connections\r\n"),
        "silent": await say(b""),
        "web": await say(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        "no_starttls": await listen(_NoStarttls, starttls=True),
        "cut_starttls": await listen(_CutStarttls, starttls=True),
    }
    if certificate:
        ports |= {
            "starttls": await listen(SMTP, starttls=True),
            "tls": await listen(SMTP, tls=True),
        }
    sys.stdout.write(f"{json.dumps(ports)}\n")
    sys.stdout.flush()
    await asyncio.gather(*(server.serve_forever() for server in servers))


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), sys.argv[2]))


def texts(post: PostOffice) -> dict[str, str]:
    """The text part of each mail, by its recipient."""
    found = {}
    for letter in post.letters():
        part = message_from_bytes(letter.content, policy=policy.SMTP).get_body(("plain",))
        found[letter.recipients[0]] = part.get_content()  # type: ignore[union-attr]
    return found
