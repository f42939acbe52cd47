"""The command line: Django's commands, as `manage.py` or `focusweb`, and the API client."""

import errno
import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from focusweb import client

#: As a shell names the end of a program that writes to a pipe without a reader.
_NO_READER: Final = 128 + signal.SIGPIPE
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_NOT_WRITABLE: Final = frozenset({errno.EROFS, errno.EFBIG})
_FORBIDDEN: Final = frozenset({errno.EACCES, errno.EPERM, errno.ENOTDIR})


def console() -> None:
    """`focusweb`: the client's commands go to the API, all others to Django."""
    if sys.argv[1:2] and sys.argv[1] in client.COMMANDS:
        with _quiet_without_reader():
            sys.exit(client.main(sys.argv[1:]))
    main()


def main() -> None:
    """Hand the command line to Django; problems that users can fix are printed as one sentence."""
    with _quiet_without_reader():
        _run()


@contextmanager
def _quiet_without_reader() -> Iterator[None]:
    """Exit without a message if the reader of the output has ended, as `head` does."""
    try:
        try:
            yield
        finally:
            _flush()
    except BrokenPipeError:
        if not _has_lost_reader():
            raise
        _discard_output()
        sys.exit(_NO_READER)


def _flush() -> None:
    """Write what waits to be written, while the exit code can still say that it failed."""
    if sys.stdout is None:
        return  # The shell closed it.
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _discard_output()
        sys.exit(f"The output cannot be written ({error.strerror}).")


def _discard_output() -> None:
    """Lose what waits to be written: Python tries it once more when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _has_lost_reader() -> bool:
    """True if the output has lost its reader, not another pipe or a connection."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _run() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
        from django.db import Error

        from focusweb.database import fault_sentence
    except ImportError as error:
        sys.exit(f"Django is not installed for {sys.executable} ({error}). Run: make run")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"FocusWeb cannot start: {error}")
    except Error as error:
        # Not for what is a fault of the program: that needs its traceback.
        if not (sentence := fault_sentence(error)):
            raise
        sys.exit(sentence)
    except OSError as error:
        if not (sentence := disk_sentence(error)):
            raise
        sys.exit(sentence)
    except KeyboardInterrupt:
        sys.exit(130)


def disk_sentence(error: OSError) -> str:
    """Return why a file cannot be used, and what to do; empty for an error of another kind."""
    if error.errno in _FULL:
        return "The disk is full. Free some space and try again."
    # Without a name it may be a port.
    is_file = error.errno in _NOT_WRITABLE or (error.errno in _FORBIDDEN and error.filename)
    if is_file:
        return f"{error.filename or 'A file'} cannot be used ({error.strerror})."
    return ""
