"""A confined child as seen from its parent: start, send a request, wait, kill."""

import logging
import os
import resource
import select
import signal
import subprocess
import sys
import time
from enum import Enum
from pathlib import Path

from crawler.errors import ConfigurationError
from crawler.sandbox.wire import (
    ANSWERED,
    CALLING,
    FAILED,
    HEADER,
    OUT_OF_MEMORY,
    ChildLimits,
    framed,
)
from focusweb.runtime.processes import PROC

logger = logging.getLogger(__name__)

_ROOT = Path(__file__).parents[2]
#: As much as a pipe holds; each read makes room for so much.
_CHUNK = 1 << 16
_MAX_ANSWER_BYTES = 1 << 26


class Cause(Enum):
    """Why a child gave no answer."""

    WALL_TIME = "wall time"
    CPU_TIME = "CPU time"
    MEMORY = "memory"
    CRASH = "crash"


class ChildError(Exception):
    """A request ended its child."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause
        self.detail = detail


class ChildStartError(ConfigurationError):
    """A child did not start; `calling` is the plugin that it was loading, and the hook."""

    def __init__(self, message: str, calling: str) -> None:
        super().__init__(message)
        self.calling = calling


class ChildProcess:
    """A running child with one handler. Not thread-safe: one request at a time.

    Attributes
    ----------
    ready : bytes
        What its handler answered to the set-up.
    calling : str
        The plugin that it calls now, and its hook; "" for none.
    """

    def __init__(self, handler: str, limits: ChildLimits, setup: bytes = b"") -> None:
        command = [sys.executable, "-m", "crawler.sandbox.child", handler]
        arguments = [limits.cpu_s, limits.memory_bytes, limits.n_files]
        self._limits = limits
        self._is_idle = True
        self.calling = ""
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
        assert stdin is not None and stdout is not None  # Both are pipes, as requested above.
        self._stdin, self._stdout = stdin, stdout
        os.set_blocking(stdin.fileno(), False)
        os.set_blocking(stdout.fileno(), False)
        self.ready = self._set_up(setup)

    def _set_up(self, setup: bytes) -> bytes:
        try:
            return self._exchange(framed(setup), self._limits.start_s).removeprefix(ANSWERED)
        except ChildError as error:
            raise ChildStartError(
                f"a confined child did not start: {error.detail} with"
                f" {self._limits.memory_bytes} bytes of memory; if it left a message,"
                " that is in the log just above",
                self.calling,
            ) from error

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def address_space_bytes(self) -> int:
        """Return the address space that the process uses now, in bytes; 0 if it has ended."""
        try:
            n_pages = (PROC / str(self.pid) / "statm").read_text("ascii").split()[0]
        except OSError:
            return 0
        return int(n_pages) * resource.getpagesize()

    def is_usable(self) -> bool:
        """True while the process runs and owes no answer."""
        # An exchange cut off by a signal of ours leaves an answer in the pipe,
        # which would be taken for the next page's.
        return self._is_idle and self._process.poll() is None

    def request(self, message: bytes) -> bytes:
        """Send a request and return the handler's answer.

        Raises
        ------
        ChildError
            If a limit or an error ended the child; it is dead then.
        """
        answer = self._exchange(framed(message), self._limits.wall_s)
        if answer[:1] == FAILED:
            self.kill()
            traceback = answer[1:].decode(errors="replace")
            logger.error("a confined child failed: %s", traceback)
            error = traceback.strip().rpartition("\n")[2].partition(":")[0]
            raise ChildError(Cause.CRASH, f"the reader raised {error[:100]}")
        return answer[1:]

    def _exchange(self, message: bytes, within_s: float) -> bytes:
        """Write a message while reading the answer; both within a time."""
        self._is_idle = False
        deadline = time.monotonic() + within_s
        unsent = memoryview(message)
        received = bytearray()
        poll = select.poll()
        poll.register(self._stdout, select.POLLIN)
        poll.register(self._stdin, select.POLLOUT)
        while True:
            left_s = deadline - time.monotonic()
            ready = poll.poll(max(0.0, 1000 * left_s))
            if not ready:
                self.kill()
                raise ChildError(Cause.WALL_TIME, f"no answer in {within_s:g} s")
            for number, _ in ready:
                if number == self._stdout.fileno():
                    self._receive(received)
                elif not (unsent := self._send(unsent)):
                    poll.unregister(self._stdin)
            while (answer := self._cut_message(received)) is not None:
                if not answer.startswith(CALLING):
                    self._is_idle = True
                    return answer
                self.calling = answer.removeprefix(CALLING).decode(errors="replace")

    def _cut_message(self, received: bytearray) -> bytes | None:
        """Take the first message off what was received; None if it is not complete."""
        if len(received) < HEADER.size:
            return None
        size = HEADER.size + HEADER.unpack_from(received)[0]
        if size > _MAX_ANSWER_BYTES:
            self.kill()
            raise ChildError(Cause.CRASH, f"answer of {size} bytes")
        if len(received) < size:
            return None
        message = bytes(received[HEADER.size : size])
        del received[:size]
        return message

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

    def _death(self) -> ChildError:
        """Say why the child is gone."""
        self.kill()
        code = self._process.returncode
        if code == -signal.SIGXCPU:
            return ChildError(Cause.CPU_TIME, f"more than {self._limits.cpu_s} s of CPU")
        if code == OUT_OF_MEMORY:
            return ChildError(Cause.MEMORY, "out of memory")
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return ChildError(Cause.CRASH, f"child ended by {name}")

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
