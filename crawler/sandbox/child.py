"""A confined child process: reads hostile bytes and can reach nothing.

Fetched pages and uploaded ontologies are parsed nowhere else, because a crafted file can hold
C code for longer than any Python timeout can interrupt. `ChildProcess` starts it as
``python -m crawler.sandbox.child HANDLER CPU_S MEMORY_BYTES N_FILES``. HANDLER is a module of
this package with

- ``FORBIDDEN``, beginnings of the audit events it may not cause,
- ``warm_up(setup, announce)``, which loads everything that is loaded late, as confinement may
  forbid it, and answers the first message; ``announce(name)`` sends the parent the name of the
  plugin that is called,
- ``handle(message)``, which turns the bytes of a request into those of an answer.
"""

import gc
import math
import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from traceback import format_exc
from typing import BinaryIO

from crawler.sandbox.wire import ANSWERED, CALLING, FAILED, HEADER, OUT_OF_MEMORY, framed

_MAX_TRACEBACK = 4000


def confine(memory_bytes: int, n_files: int, forbidden: Sequence[str]) -> None:
    """Drop all rights that a handler does not need. This cannot be undone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (n_files, n_files))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    beginnings = tuple(forbidden)

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith(beginnings):
            raise PermissionError(f"a confined child may not do this: {event} {arguments!r:.200}")

    sys.addaudithook(refuse)


def _allow_cpu(seconds: int) -> None:
    """Let the process use so many more CPU seconds before the kernel stops it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = math.ceil(usage.ru_utime + usage.ru_stime)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, hard))


def serve(
    handle: Callable[[bytes], bytes], requests: BinaryIO, answers: BinaryIO, cpu_s: int
) -> None:
    """Answer requests until input ends: then the parent is gone."""
    while (message := _received(requests)) is not None:
        _allow_cpu(cpu_s)
        try:
            answer = ANSWERED + handle(message)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001  # the parent logs it and ends this process
            answer = FAILED + format_exc()[-_MAX_TRACEBACK:].encode(errors="backslashreplace")
        _send(answers, answer)


def _received(requests: BinaryIO) -> bytes | None:
    header = requests.read(HEADER.size)
    return requests.read(*HEADER.unpack(header)) if len(header) == HEADER.size else None


def _send(answers: BinaryIO, message: bytes) -> None:
    answers.write(framed(message))
    answers.flush()


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent; what a plugin prints is dropped."""
    requests = os.fdopen(os.dup(0), "rb")
    # It is closed by the end of the process, so that the parent then knows the exit status.
    answers = os.fdopen(os.dup(1), "wb", closefd=False)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    return requests, answers


def main(handler_name: str, cpu_s: int, memory_bytes: int, n_files: int) -> None:
    """Confine this process and serve standard input."""
    requests, answers = _own_pipes()
    handler = import_module(f"crawler.sandbox.{handler_name}")
    setup = _received(requests)
    if setup is None:
        return
    ready = handler.warm_up(setup, lambda name: _send(answers, CALLING + name))
    _send(answers, ANSWERED + ready)
    confine(memory_bytes, n_files, handler.FORBIDDEN)
    # Dictionaries and modules stay; looking through them again and again for
    # garbage takes a tenth of the time of parsing.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    try:
        serve(handler.handle, requests, answers, cpu_s)
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
