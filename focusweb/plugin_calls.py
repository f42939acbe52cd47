"""One call of a plugin: what it raises is caught, what hangs is ended.

Python cannot stop a thread from outside. It can raise an error in one, which ends every loop of
Python code. A call that waits in C code ends with its process: the cluster replaces a worker that
exceeds the time limit of a task, and the mark that the call left on disk names the plugin.
"""

import ctypes
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from traceback import format_exception
from typing import Final, TypeVar

from focusweb.runtime.process_id import is_dead, this_process

logger = logging.getLogger(__name__)

#: Most characters of a plugin's message that are kept.
MAX_MESSAGE_CHARS: Final = 2000
#: Of the calls that led to an error, so many are logged; the last ones.
MAX_FRAMES: Final = 10
#: How often the watch looks for calls that last too long.
POLL_EVERY_S: Final = 0.2

T = TypeVar("T")


class PluginTimeoutError(Exception):
    """A call lasted longer than it may."""

    def __str__(self) -> str:
        # Python itself creates the error in the other thread, without a text.
        return "the call lasted too long"


def call_plugin(
    name: str, function: Callable[[], T], *, let_through: tuple[type[Exception], ...] = ()
) -> tuple[T | None, str]:
    """Return what an object that a plugin offered answers, and ""; or None, and what went wrong.

    `let_through` are errors that are not the plugin's, such as those of the database.
    """
    try:
        return function(), ""
    except KeyboardInterrupt:
        raise
    except let_through:
        raise
    except BaseException as error:  # noqa: BLE001  # a plugin may even raise SystemExit
        logger.error("%s failed: %s", name, _traceback(error))
        return None, _described(error)


def require_fit(function: Callable[[], T], fits: Callable[[T], bool]) -> T:
    """Return what the function returns; raise TypeError if that does not fit."""
    answer = function()
    if not fits(answer):
        raise TypeError(f"{short_repr(answer)[:100]} is not a result of the right type")
    return answer


@dataclass(slots=True)
class _TimedCall:
    thread: int
    deadline: float


class TimeLimit:
    """Raises `PluginTimeoutError` in the thread of a call that lasts too long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: list[_TimedCall] = []
        self._watching = 0  # the process whose thread watches; a forked one has none

    def run(self, function: Callable[[], T], limit_s: float) -> T:
        """Return what the function returns within the limit."""
        call = _TimedCall(threading.get_ident(), time.monotonic() + limit_s)
        with self._lock:
            self._calls.append(call)
            self._watch()
        try:
            return function()
        finally:
            with self._lock:
                if call in self._calls:
                    self._calls.remove(call)
                else:  # The error may still be on its way: it must not meet our own code.
                    _raise_in(call.thread, None)

    def _watch(self) -> None:
        if self._watching != os.getpid():
            self._watching = os.getpid()
            threading.Thread(target=self._end_late_calls, name="plugins", daemon=True).start()

    def _end_late_calls(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(POLL_EVERY_S)
            with self._lock:
                now = time.monotonic()
                for call in [call for call in self._calls if call.deadline <= now]:
                    self._calls.remove(call)
                    _raise_in(call.thread, PluginTimeoutError)


def _raise_in(thread: int, error: type[Exception] | None) -> None:
    raised = ctypes.py_object(error) if error else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)


class _Handle:
    """An open file that is closed with its thread."""

    def __init__(self, file: Path) -> None:
        self.number = os.open(file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)

    def __del__(self) -> None:
        os.close(self.number)


class CallMarks:
    """Files that name the call each thread is in; they outlive their process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own = threading.local()

    @contextmanager
    def marked(self, plugin: str, hook: str) -> Iterator[None]:
        """Name the call on disk while it lasts."""
        handle = self._handle()
        outer: bytes = getattr(self._own, "text", b"")
        self._own.text = f"{plugin}\n{hook}\n".encode()
        os.pwrite(handle, self._own.text.ljust(len(outer)), 0)
        try:
            yield
        finally:
            os.pwrite(handle, outer.ljust(len(self._own.text)), 0)
            self._own.text = outer

    def _handle(self) -> int:
        if getattr(self._own, "pid", 0) != os.getpid():
            self._folder.mkdir(parents=True, exist_ok=True)
            name = f"{this_process().replace('/', '_')}_{threading.get_native_id()}"
            self._own.handle = _Handle(self._folder / name)
            self._own.pid, self._own.text = os.getpid(), b""
        number: int = self._own.handle.number
        return number

    def of_ended_processes(self) -> list[tuple[str, str]]:
        """Return plugin and hook of each call in which a process died; forget all its marks."""
        found = []
        for file in sorted(self._folder.glob("*")) if self._folder.is_dir() else ():
            owner, _, _thread = file.name.rpartition("_")
            if is_dead("/".join(owner.rsplit("_", 2))):
                plugin, _, hook = file.read_text("utf-8", "replace").strip().partition("\n")
                file.unlink(missing_ok=True)
                if plugin:
                    found.append((plugin, hook))
        return found


def _described(error: BaseException) -> str:
    """Return an error's name and message, cut, even if the message cannot be read."""
    message = _said(lambda: str(error), "its message raises")
    return _cut(f"{type(error).__name__}: {message}")


def short_repr(item: object) -> str:
    """Return an item's `repr`, cut, even if it raises."""
    if type(item) is str or type(item) is bytes:
        item = item[: MAX_MESSAGE_CHARS + 1]
    return _cut(_said(lambda: repr(item), f"a {type(item).__name__} whose repr raises"))


def _said(function: Callable[[], str], failing: str) -> str:
    """A text that a plugin's own code makes, or `failing` and the name of its error."""
    try:
        # A plain copy: the text may be of a class with a length or format of its own.
        return str.__str__(function())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # as in `call_plugin`
        return f"{failing} {type(error).__name__}"


def _traceback(error: BaseException) -> str:
    """Return an error's message and where it was raised, both cut."""
    # Python's own formatter survives an error whose message cannot be read.
    return f"{_described(error)}\n{_cut(''.join(format_exception(error, limit=-MAX_FRAMES)))}"


def writable(text: str) -> str:
    """Return a text with what no file or table takes, lone surrogates and NUL, written out."""
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode("utf-8")


def _cut(text: str) -> str:
    if len(text) <= MAX_MESSAGE_CHARS:
        return writable(text)
    return f"{writable(text[:MAX_MESSAGE_CHARS])}... ({len(text)} characters)"
