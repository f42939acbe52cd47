"""Some of many reading requests are answered by a second process; everything else is not."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from focusweb.web.page_process import MAX_BYTES, SharedProgram, is_reading

FOLDER = Path(__file__).resolve().parents[3]
OTHER = """
import sys
sys.path.insert(0, sys.argv[1])
from focusweb.web.page_process import answer_lines
from tests.focusweb.web.test_page_process import program
answer_lines(program, [int(number) for number in sys.argv[2:]])
"""
#: Has a second process from the beginning, and says which processes answer.
FORKING = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from tests.focusweb.web.test_page_process import *
shared = SharedProgram(program, COMMAND, pause_s=0.1)
shared.fork()
print(HERE, shared.process_id, flush=True)
if sys.argv[2:] == ["killed"]:
    os.kill(os.getpid(), signal.SIGKILL)
print(*ask_at_once(shared, 16))
print(*ask_at_once(shared, 16, "/ends"))
print(other_process(shared))
shared.close()
"""
COMMAND = (sys.executable, "-c", OTHER, str(FOLDER))
HERE = str(os.getpid())
#: Long enough that requests are in hand together.
SLOW_S = 0.05


def program(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    """Answer with the number of the process, after a while."""
    path = environ["PATH_INFO"]
    time.sleep(SLOW_S)
    if path == "/ends" and environ["wsgi.multiprocess"]:
        os.kill(os.getpid(), signal.SIGKILL)
    body = b"x" * (MAX_BYTES + 1) if path == "/large" else str(os.getpid()).encode()
    start("200 OK", [("Content-Length", str(len(body))), ("X-Said", environ["HTTP_COOKIE"])])
    return [body]


def ask(shared: SharedProgram, path: str = "/", method: str = "GET", **more: Any) -> str:
    """Return the body of an answer, and check its head."""
    said: list[Any] = []
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "HTTP_COOKIE": "mark=1",
        "wsgi.multiprocess": False,
        "wsgi.input": object(),
        **more,
    }
    body = b"".join(shared(environ, lambda *answer: said.append(answer)))
    ((status, headers),) = said
    assert status == "200 OK"
    assert dict(headers) == {"Content-Length": str(len(body)), "X-Said": "mark=1"}
    return body.decode()


def ask_at_once(shared: SharedProgram, count: int, *about: Any) -> set[str]:
    """Return which processes answered some requests."""
    with ThreadPoolExecutor(8) as pool:
        return set(pool.map(lambda _: ask(shared, *about), range(count)))


@contextlib.contextmanager
def sharing(pause_s: float = 30.0) -> Iterator[SharedProgram]:
    shared = SharedProgram(program, COMMAND, pause_s=pause_s)
    try:
        yield shared
    finally:
        shared.close()


def other_process(shared: SharedProgram) -> str:
    """Let many read until a second process answers some of it. Return its number."""
    give_up = time.monotonic() + 30
    while not (others := ask_at_once(shared, 16) - {HERE}):
        assert time.monotonic() < give_up
    (other,) = others
    return other


READING = {"REQUEST_METHOD": "GET", "CONTENT_LENGTH": ""}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (READING, True),
        (READING | {"CONTENT_LENGTH": "0"}, True),
        (READING | {"REQUEST_METHOD": "POST"}, False),
        (READING | {"REQUEST_METHOD": "HEAD"}, False),
        (READING | {"REQUEST_METHOD": "get"}, False),
        (READING | {"CONTENT_LENGTH": "3"}, False),
        (READING | {"HTTP_TRANSFER_ENCODING": "chunked"}, False),
        (READING | {"HTTP_AUTHORIZATION": "Basic YW5uOmFubg=="}, False),
    ],
)
def test_only_what_reads_may_leave(environ: dict[str, Any], expected: bool) -> None:
    assert is_reading(environ) is expected


def test_one_reader_starts_no_second_process() -> None:
    with sharing() as shared:
        assert {ask(shared) for _ in range(5)} == {HERE}
        assert shared.process_id is None


def test_many_readers_are_answered_by_two_processes() -> None:
    with sharing() as shared:
        other = other_process(shared)

        assert ask_at_once(shared, 32) == {HERE, other}


def test_passwords_and_other_forms_stay_in_the_first_process() -> None:
    with sharing() as shared:
        other_process(shared)

        assert ask_at_once(shared, 32, "/login/", "POST") == {HERE}


def test_a_second_process_that_ends_costs_no_answer_and_is_replaced() -> None:
    with sharing(pause_s=0.1) as shared:
        first = other_process(shared)

        assert ask_at_once(shared, 16, "/ends") == {HERE}

        assert other_process(shared) != first


def test_a_large_answer_is_whole() -> None:
    with sharing() as shared:
        other_process(shared)

        assert {len(body) for body in ask_at_once(shared, 16, "/large")} == {MAX_BYTES + 1}


def test_the_second_process_ends_with_the_first() -> None:
    shared = SharedProgram(program, COMMAND)
    number = int(other_process(shared))

    shared.close()

    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_a_process_that_cannot_start_costs_no_answer() -> None:
    shared = SharedProgram(program, ("/nowhere/python",), pause_s=0.0)

    assert ask_at_once(shared, 32) == {HERE}

    shared.close()


def test_an_answer_in_hand_when_the_server_stops_is_given() -> None:
    shared = SharedProgram(program, COMMAND)
    other_process(shared)
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(ask, shared) for _ in range(8)]
        time.sleep(SLOW_S / 2)
        threading.Thread(target=shared.close).start()

        assert all(one.result().isdecimal() for one in asked)


def forking(*more: str) -> list[list[str]]:
    """Run `FORKING` in a process without threads. Return the words of its lines."""
    command = [sys.executable, "-c", FORKING, str(FOLDER), *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return [line.split() for line in done.stdout.splitlines()]


def test_a_copy_of_the_first_process_answers_from_the_beginning() -> None:
    (first, second), answered, _without, _later = forking()

    assert {*answered} == {first, second}


def test_a_copy_that_ends_costs_no_answer_and_is_replaced() -> None:
    (first, second), _answered, without, (later,) = forking()

    assert without == [first]
    assert later not in (first, second)


def test_a_copy_ends_when_the_first_process_is_killed() -> None:
    ((_first, second),) = forking("killed")
    give_up = time.monotonic() + 10
    while Path(f"/proc/{second}").exists() and time.monotonic() < give_up:
        time.sleep(0.05)

    assert not Path(f"/proc/{second}").exists()
