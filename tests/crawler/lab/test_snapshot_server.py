"""Snapshots are served by host, one JSON line per request in the log."""

import json
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from crawler.lab.snapshot_server import snapshot_application
from crawler.replay.snapshot import read_snapshot
from focusweb.demo.loopback_server import LoopbackServer, RequestLog, Response
from tests.web_client import fetch

ROOT = Path(__file__).parents[3]


@pytest.fixture
def log() -> StringIO:
    return StringIO()


@pytest.fixture
def server(snapshot_folder: Path, log: StringIO) -> Iterator[LoopbackServer]:
    application = snapshot_application(read_snapshot(snapshot_folder))
    with LoopbackServer(application, log=RequestLog(log), delay_s=0.02) as server:
        yield server


def test_a_page_is_served_under_its_host(server: LoopbackServer) -> None:
    answer = fetch(server.port, "b.test", "/x%20y?q=1")

    assert answer.status == 200
    assert answer.body.decode("utf-8") == "<p>第二</p>"
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("host", "target"),
    [
        ("a.test", "/x%20y?q=1"),
        ("c.test", "/"),
        ("a.test", "/robots.txt"),
        ("", "/"),
        ("a b", "/"),
        ("a.test", "http://b.test/"),
    ],
)
def test_what_is_not_held_is_a_404(server: LoopbackServer, host: str, target: str) -> None:
    assert fetch(server.port, host, target).status == 404


@pytest.mark.parametrize("host", ["A.TEST", "a.test:80", "a.test."])
def test_the_host_header_may_be_spelled_differently(server: LoopbackServer, host: str) -> None:
    assert fetch(server.port, host, "/").status == 200


def test_a_connection_is_kept_alive(server: LoopbackServer) -> None:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=5)
    sockets = set()
    for _ in range(3):
        connection.request("GET", "/", headers={"Host": "a.test"})
        assert connection.getresponse().read() == b"<p>first</p>"
        sockets.add(connection.sock)
    connection.close()

    assert len(sockets) == 1


def test_head_sends_the_length_without_the_body(server: LoopbackServer) -> None:
    answer = fetch(server.port, "a.test", "/", method="HEAD")

    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["content-length"] == "12"


def test_post_is_refused(server: LoopbackServer) -> None:
    assert fetch(server.port, "a.test", "/", method="POST").status == 405


@pytest.mark.parametrize(
    "sent",
    [
        b"hello\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: 1\r\n" % i for i in range(101)) + b"\r\n",
    ],
)
def test_what_is_no_request_is_a_400(server: LoopbackServer, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
        client.sendall(sent)
        assert client.recv(100).startswith(b"HTTP/1.1 400 ")


def test_it_serves_on_after_a_client_went_away(server: LoopbackServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
        client.sendall(b"GET / HT")

    assert fetch(server.port, "a.test", "/").status == 200


def test_clients_that_leave_without_a_word_make_no_noise(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with LoopbackServer(lambda request: Response(200, b"x")) as server:
        for number in range(200):
            with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
                # Closing with this option resets the connection instead of ending it.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.sendall(b"GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
                if number % 2:
                    client.recv(10)
        assert fetch(server.port, "a.test", "/").status == 200

    assert "Traceback" not in capsys.readouterr().err


def test_the_log_brackets_the_time_in_which_a_request_was_served(
    server: LoopbackServer, log: StringIO
) -> None:
    start = time.monotonic()
    fetch(server.port, "a.test", "/?x=1")
    answered = time.monotonic()

    entry = json.loads(log.getvalue())
    assert (entry["host"], entry["path"], entry["status"]) == ("a.test", "/?x=1", 404)
    assert start <= entry["start"] <= entry["end"] <= answered
    assert entry["end"] - entry["start"] >= 0.02
    assert abs(entry["end_time"] - time.time()) < 60


def test_a_client_that_asks_again_is_never_logged_as_overlapping(
    server: LoopbackServer, log: StringIO
) -> None:
    for _ in range(5):
        fetch(server.port, "a.test", "/")

    entries = [json.loads(line) for line in log.getvalue().splitlines()]
    assert len(entries) == 5
    assert all(before["end"] <= after["start"] for before, after in pairwise(entries))


def test_the_command_says_its_port_in_one_line_and_logs_to_a_file(
    snapshot_folder: Path, tmp_path: Path
) -> None:
    log = tmp_path / "requests.jsonl"
    command = [sys.executable, "manage.py", "serve_snapshot", str(snapshot_folder)]
    with subprocess.Popen(
        [*command, "--log", str(log)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        status = fetch(int(line.rpartition(":")[2]), "a.test", "/").status
        process.send_signal(signal.SIGINT)
        exit_code = process.wait(timeout=10)

    assert line.startswith("Serving 2 pages of 2 hosts on http://127.0.0.1:")
    assert (status, exit_code) == (200, 0)
    assert json.loads(log.read_text(encoding="utf-8"))["path"] == "/"


@pytest.mark.parametrize("wrong", ["folder", "port"])
def test_the_command_refuses_in_one_sentence(
    snapshot_folder: Path, server: LoopbackServer, wrong: str
) -> None:
    folder = snapshot_folder / "nothing" if wrong == "folder" else snapshot_folder
    command = [sys.executable, "manage.py", "serve_snapshot", str(folder)]

    done = subprocess.run(
        [*command, "--port", str(server.port)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith("CommandError: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "70000"], "--port must be from 0 to 65535, got 70000"),
        (["--port", "-1"], "--port must be from 0 to 65535, got -1"),
        (["--log", "/nowhere/log"], r"/nowhere/log: cannot be written \(No such file"),
    ],
)
@pytest.mark.parametrize("command", ["serve_snapshot", "serve_demo"])
def test_an_option_that_cannot_be_used_is_named(
    snapshot_folder: Path, command: str, arguments: list[str], said: str
) -> None:
    place = [str(snapshot_folder)] if command == "serve_snapshot" else []

    with pytest.raises(CommandError, match=said):
        call_command(command, *place, *arguments)


@pytest.mark.parametrize("delay", ["-1", "nan", "1e300"])
def test_a_delay_that_cannot_be_waited_for_is_refused(snapshot_folder: Path, delay: str) -> None:
    with pytest.raises(CommandError, match="--delay-ms must be from 0 to 3600000"):
        call_command("serve_snapshot", str(snapshot_folder), "--delay-ms", delay)
