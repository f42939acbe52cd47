"""One parse child as seen from its parent: start, ask within a time, kill."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from crawler.agents.parse_wire import (
    HEADER,
    ParseAnswer,
    ParseLimits,
    ParseRequest,
    decode_answer,
    encode,
    framed,
)
from crawler.errors import ConfigurationError, ParseError
from crawler.reasons import Reason

_ROOT = Path(__file__).parents[2]
_CHUNK = 1 << 20
_MAX_ANSWER_BYTES = 1 << 26


class ParseChild:
    """A running parse child. Not thread-safe: whoever holds it asks alone."""

    def __init__(self, limits: ParseLimits) -> None:
        command = [sys.executable, "-m", "crawler.agents.parser_child"]
        arguments = [limits.cpu_s, limits.memory_bytes, limits.n_files]
        self._limits = limits
        self._is_idle = True
        self.n_pages = 0
        self._process = subprocess.Popen(
            [*command, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=_ROOT,
            # Nothing of ours, above all no secret; and one thread for numpy's
            # library, as each would reserve 40 MiB of the address space.
            env={"OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"},
            bufsize=0,
        )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None  # Both are pipes, as asked for above.
        self._stdin, self._stdout = stdin, stdout
        os.set_blocking(stdin.fileno(), False)
        os.set_blocking(stdout.fileno(), False)
        self._await_ready()

    def _await_ready(self) -> None:
        try:
            self._exchange(b"", self._limits.start_s)
        except ParseError as error:
            raise ConfigurationError(
                f"a parse child did not start: {error.detail} with"
                f" {self._limits.memory_bytes} bytes of memory; if it left a message,"
                " that is in the log just above"
            ) from error

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def is_usable(self) -> bool:
        """True while the process runs and owes no answer."""
        # An exchange cut off by a signal of ours leaves an answer in the pipe,
        # which would be taken for the next page's.
        return self._is_idle and self._process.poll() is None

    def ask(self, request: ParseRequest) -> ParseAnswer:
        """Send a page and wait for the answer.

        Raises
        ------
        ParseError
            PARSER_LIMIT or PARSER_CRASHED; the child is dead then.
        """
        self.n_pages += 1
        message = self._exchange(framed(encode(request)), self._limits.wall_s)
        try:
            answer = decode_answer(message)
        except msgspec.MsgspecError as error:
            self.kill()
            raise ParseError(Reason.PARSER_CRASHED, f"unreadable answer: {error}") from error
        if answer.reason is Reason.PARSER_LIMIT:
            self.kill()  # After running out of memory nothing in it can be trusted.
        return answer

    def _exchange(self, message: bytes, within_s: float) -> bytes:
        """Write a message while reading the answer; both within a time."""
        self._is_idle = False
        deadline = time.monotonic() + within_s
        unsent = memoryview(message)
        received = bytearray()
        poll = select.poll()
        poll.register(self._stdout, select.POLLIN)
        if message:
            poll.register(self._stdin, select.POLLOUT)
        while True:
            left_s = deadline - time.monotonic()
            ready = poll.poll(max(0.0, 1000 * left_s))
            if not ready:
                self.kill()
                raise ParseError(Reason.PARSER_LIMIT, f"no answer in {within_s:g} s")
            for number, _ in ready:
                if number == self._stdout.fileno():
                    self._receive(received)
                elif not (unsent := self._send(unsent)):
                    poll.unregister(self._stdin)
            size = HEADER.size + HEADER.unpack_from(received)[0] if len(received) >= 4 else 4
            if len(received) >= 4 and len(received) >= size:
                self._is_idle = True
                return bytes(received[4:size])
            if size > _MAX_ANSWER_BYTES:
                self.kill()
                raise ParseError(Reason.PARSER_CRASHED, f"answer of {size} bytes")

    def _send(self, unsent: memoryview) -> memoryview:
        try:
            return unsent[os.write(self._stdin.fileno(), unsent[:_CHUNK]) :]
        except BrokenPipeError:
            raise self._death() from None

    def _receive(self, received: bytearray) -> None:
        chunk = os.read(self._stdout.fileno(), _CHUNK)
        if not chunk:
            raise self._death()
        received += chunk

    def _death(self) -> ParseError:
        """Say why the child is gone."""
        self.kill()
        code = self._process.returncode
        if code == -signal.SIGXCPU:
            return ParseError(Reason.PARSER_LIMIT, f"more than {self._limits.cpu_s} s of CPU")
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return ParseError(Reason.PARSER_CRASHED, f"parse child ended by {name}")

    def kill(self) -> None:
        """End the process at once and take its pipes down."""
        if self._process.poll() is None:
            try:
                # Gone already if its pipes are closed: then its own end is what counts.
                self._process.wait(timeout=0.05)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()
        self._stdin.close()
        self._stdout.close()

    def close(self) -> None:
        """End the process: an idle child ends by itself at the end of its input."""
        self._stdin.close()
        if not self._is_idle:
            self._process.kill()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()
