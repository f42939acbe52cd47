"""A second process that makes pages, so that many readers at once use two processor cores.

Python runs one thread of a process at a time. When several requests are in hand, some of those that
only read go to the second process. The first one keeps the connections with the browsers and
answers everything else itself: only there passwords are checked, and wrong ones counted.

The second process is a copy of the first, made before the first has threads: it is there from the
beginning, and shares the memory of the loaded program. One that ended is replaced by a new program.
"""

import contextlib
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from multiprocessing.connection import Connection, Pipe
from multiprocessing.context import ForkProcess
from typing import Any, Final

logger = logging.getLogger(__name__)

#: Requests that the second process answers at the same time: half of the web server's threads.
LINES: Final = 4
#: As many more requests must be in hand here than there. One reader uses no second process.
AHEAD: Final = 2
#: A larger answer is made here: it is sent piece by piece and held in no memory.
MAX_BYTES: Final = 4 << 20
#: A process that ended is started again after this time, in seconds.
PAUSE_S: Final = 30.0
#: Time that the process has to end when the web server does, in seconds.
GRACE_S: Final = 5.0

Program = Callable[..., Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the program said: status, headers and the whole body."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes


class SharedProgram:
    """A WSGI program that hands some of its reading requests to a second process.

    Parameters
    ----------
    program : callable
        The WSGI program, which the second process runs, too.
    command : sequence of str
        Starts the second process anew. The numbers of its open sockets are appended.
    pause_s : float
        Shortest time between two starts.
    """

    def __init__(
        self, program: Program, command: Sequence[str], *, pause_s: float = PAUSE_S
    ) -> None:
        self._program, self._command, self._pause_s = program, command, pause_s
        self._lock = threading.Lock()
        self._n_here = self._n_there = 0
        self._idle: list[Connection] = []
        self._n_open = 0
        self._process: ForkProcess | subprocess.Popen[bytes] | None = None
        self._next_start_s = 0.0

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request, here or in the second process."""
        answer = self._from_there(environ) if is_reading(environ) else None
        if answer is not None:
            start(answer.status, answer.headers)
            return [answer.body]
        with self._lock:
            self._n_here += 1
        try:
            return self._program(environ, start)
        finally:
            with self._lock:
                self._n_here -= 1

    @property
    def process_id(self) -> int | None:
        """Of the second process, once it was started."""
        return self._process.pid if self._process else None

    def fork(self) -> None:
        """Make the second process a copy of this one, which must have no second thread yet.

        Where it cannot be made, it is started when it is needed.
        """
        pairs = [Pipe() for _ in range(LINES)]
        ours, theirs = [our for our, _their in pairs], [their for _our, their in pairs]
        process = multiprocessing.get_context("fork").Process(
            target=_answer_forked, args=(self._program, ours, theirs), daemon=True
        )
        try:
            process.start()
        except OSError as error:  # too many processes, no memory: may pass
            logger.warning("the second web process cannot start: %s", error)
            for our in ours:
                our.close()
            return
        finally:
            for their in theirs:
                their.close()
        self._process, self._n_open = process, LINES
        self._next_start_s = time.monotonic() + self._pause_s
        self._idle = ours

    def close(self) -> None:
        """End the second process, after the answers in hand."""
        with self._lock:
            self._next_start_s = float("inf")
            for line in self._idle:
                line.close()
            self._idle.clear()
            process = self._process
        if process is not None and not _has_ended(process, GRACE_S):
            _kill(process)

    def _from_there(self, environ: dict[str, Any]) -> Answer | None:
        """The answer of the second process; None if it gives none."""
        line = self._take()
        if line is None:
            return None
        try:
            line.send({name: said for name, said in environ.items() if isinstance(said, str)})
            answer: Answer | None = line.recv()
        except (EOFError, OSError):
            # It has ended. The request only reads, so it can be answered once more.
            self._drop(line)
            return None
        self._give_back(line)
        return answer

    def _take(self) -> Connection | None:
        with self._lock:
            if self._n_here < self._n_there + AHEAD:
                return None
            if not self._n_open and time.monotonic() >= self._next_start_s:
                self._start()
            if not self._idle:
                return None
            self._n_there += 1
            return self._idle.pop()

    def _give_back(self, line: Connection) -> None:
        with self._lock:
            self._n_there -= 1
            if self._next_start_s == float("inf"):
                line.close()
            else:
                self._idle.append(line)

    def _drop(self, line: Connection) -> None:
        line.close()
        with self._lock:
            self._n_there -= 1
            self._n_open -= 1
            logger.warning("the second web process ended, %s lines are left", self._n_open)

    def _start(self) -> None:
        if self._process is not None:
            _kill(self._process)
        self._next_start_s = time.monotonic() + self._pause_s
        pairs = [Pipe() for _ in range(LINES)]
        theirs = [their.fileno() for _our, their in pairs]
        command = [*self._command, *map(str, theirs)]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=theirs)
        except OSError as error:  # too many processes, no memory: may pass
            logger.warning("the second web process cannot start: %s", error)
            for our, _their in pairs:
                our.close()
            return
        finally:
            for _our, their in pairs:
                their.close()
        self._n_open = LINES
        lines = [our for our, _their in pairs]
        threading.Thread(target=self._await_ready, args=(lines,), daemon=True).start()

    def _await_ready(self, lines: Sequence[Connection]) -> None:
        """Use each line once the process, which loads for some seconds, has said that it is up."""
        for line in lines:
            with self._lock:
                self._n_there += 1
            try:
                line.recv()
            except (EOFError, OSError):
                self._drop(line)
            else:
                self._give_back(line)


def _kill(process: ForkProcess | subprocess.Popen[bytes]) -> None:
    process.kill()
    _has_ended(process, None)


def _has_ended(process: ForkProcess | subprocess.Popen[bytes], wait_s: float | None) -> bool:
    """Wait for a process. Return whether it has ended."""
    if isinstance(process, ForkProcess):
        process.join(wait_s)
        return not process.is_alive()
    try:
        process.wait(wait_s)
    except subprocess.TimeoutExpired:
        return False
    return True


def is_reading(environ: dict[str, Any]) -> bool:
    """Return whether a request changes nothing, carries no body and proves no password."""
    return (
        environ["REQUEST_METHOD"] == "GET"
        and environ.get("CONTENT_LENGTH", "") in ("", "0")
        and "HTTP_TRANSFER_ENCODING" not in environ
        and "HTTP_AUTHORIZATION" not in environ
    )


def answer_lines(program: Program, numbers: Sequence[int]) -> None:
    """Answer what comes by some open sockets, until the web server closes them all."""
    lines = [Connection(number) for number in numbers]
    for line in lines:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            line.send(None)  # ready
    _answer_all(program, lines)


def _answer_forked(
    program: Program, ours: Sequence[Connection], theirs: Sequence[Connection]
) -> None:
    # Or no line would ever end: this process would hold the other end as well.
    for our in ours:
        our.close()
    _answer_all(program, theirs)


def _answer_all(program: Program, lines: Sequence[Connection]) -> None:
    # Ctrl-C reaches this process as well; the web server decides when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threads = [threading.Thread(target=_answer_line, args=(program, line)) for line in lines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _answer_line(program: Program, line: Connection) -> None:
    with line, contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            line.send(_answer(program, line.recv()))


def _answer(program: Program, said: dict[str, str]) -> Answer | None:
    """Run the program; None if its answer is too large to be sent as one."""
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start(status: str, headers: list[tuple[str, str]], _error: Any = None) -> None:
        started[:] = [(status, headers)]

    environ = {
        **said,
        "wsgi.version": (1, 0),
        "wsgi.input": BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    pieces, n_bytes = [], 0
    body = program(environ, start)
    try:
        for piece in body:
            pieces.append(piece)
            n_bytes += len(piece)
            if n_bytes > MAX_BYTES:
                return None
    finally:
        if (close := getattr(body, "close", None)) is not None:
            close()
    return Answer(*started[0], b"".join(pieces))


def has_second_core() -> bool:
    """Return whether a second process would not only take turns with the first."""
    return len(os.sched_getaffinity(0)) > 1 if hasattr(os, "sched_getaffinity") else False
