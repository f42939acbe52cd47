"""A mail server of its own process on loopback, that writes down every mail it takes.

What it does depends on whom a mail is for:

- ``nobody@``: mailbox does not exist (550), before the mail is sent
- ``later@``: not now (451), before the mail is sent
- ``full@``: refused after the mail was read (552)
- ``lost@``: the connection breaks after the mail was read; it is not kept
- ``taken@``: the mail is kept, then the connection breaks
- ``odd@``: the mail is kept, then the answer is none that SMTP knows
- ``slow@``: the mail is kept, then the answer takes for ever
- all others: the mail is kept
"""

import asyncio
import json
import sys
from base64 import b64decode, b64encode
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen
from types import TracebackType
from typing import Any, Self

from aiosmtpd.smtp import SMTP

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail as it came over the wire."""

    sender: str
    recipients: tuple[str, ...]
    content: bytes


class PostOffice:
    """The process, and what it wrote down."""

    def __init__(self, log: Path) -> None:
        self._log = log
        log.touch()

    def __enter__(self) -> Self:
        self._process = Popen(
            [sys.executable, "-m", "tests.topics.delivery.post_office", str(self._log)],
            cwd=ROOT,
            stdout=PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
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
        """Throw the mails away."""
        self._log.write_text("")


class _Desk:
    """What the server does with each mail."""

    def __init__(self, log: Path) -> None:
        self._log = log

    async def handle_RCPT(
        self, server: SMTP, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        if address.startswith("nobody@"):
            return "550 5.1.1 no such mailbox here"
        if address.startswith("later@"):
            return "451 4.7.1 come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Any) -> str:
        kind = envelope.rcpt_tos[0].partition("@")[0]
        if kind == "full":
            return "552 5.2.2 the mailbox is full"
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


async def _serve(log: Path) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(_Desk(log), hostname="mail.test", loop=loop), "127.0.0.1", 0
    )
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
