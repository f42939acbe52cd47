"""`manage.py serve`: the real web server with slow clients, and with a locked database."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests import databases

ROOT = Path(__file__).resolve().parents[4]
PASSWORD = "correct horse"


class Site:
    """A started server, and a browser."""

    def __init__(self, folder: Path, **more: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.folder = folder
        self.environment = {
            "PATH": os.environ["PATH"],
            "FOCUSWEB_DATA": str(folder),
            "FOCUSWEB_PORT": str(self.port),
            "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
        }
        self.environment |= databases.environment(folder) | more
        self.browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def manage(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def start(self) -> subprocess.Popen[str]:
        """Start the server and wait until it answers."""
        process = self.manage("serve")
        give_up = time.monotonic() + 30
        while time.monotonic() < give_up and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return process
        raise AssertionError(process.communicate()[0])

    def fetch(self, path: str, fields: dict[str, str] | None = None) -> tuple[int, str, float]:
        """Status, text and seconds of an answer."""
        data = urlencode(fields).encode() if fields is not None else None
        start = time.monotonic()
        try:
            with self.browser.open(f"http://127.0.0.1:{self.port}{path}", data, 30) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                status, text = error.code, error.read().decode()
        return status, text, time.monotonic() - start

    def sign_in(self) -> tuple[int, str, float]:
        """Fill in and send the form."""
        _, text, _ = self.fetch("/login/")
        [token] = set(re.findall(r'csrfmiddlewaretoken" value="(\w+)"', text))
        return self.fetch(
            "/login/", {"csrfmiddlewaretoken": token, "username": "ann", "password": PASSWORD}
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with tables and a person."""
    folder = tmp_path_factory.mktemp("serve") / "data"
    databases.make_tables(folder)
    process = Site(folder).manage("createsuperuser", "--noinput", "--username=ann", "--email=")
    said = process.communicate(timeout=120)[0]
    assert process.returncode == 0, said
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Site]:
    site = Site(folder)
    process = site.start()
    yield site
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=20)[0]
    assert process.returncode == 0, said
    assert "Traceback" not in said


@pytest.fixture
def site(server: Site) -> Site:
    """The server with a fresh browser."""
    server.browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    return server


def test_pages_come_while_80_clients_are_slow(site: Site) -> None:
    assert site.sign_in()[0] == 200
    head = b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n"
    slow = []
    for said in [head] * 40 + [head + b"\r\nx"] * 40:
        made = socket.create_connection(("127.0.0.1", site.port), timeout=10)
        made.sendall(said)
        slow.append(made)
    for path in ("/health", "/", "/health", "/search/"):
        for made in slow[40:]:
            made.sendall(b"x")
        status, _, seconds = site.fetch(path)
        assert status == 200
        assert seconds < 5  # 1 s on a quiet machine; bench/front.py measures it
    for made in slow:
        made.close()


def test_f5_a_locked_database_is_reported_within_seconds_and_is_over_when_it_is_free(
    site: Site,
) -> None:
    with databases.locked(site.folder):
        status, text, seconds = site.sign_in()

    assert status == 503
    assert "Another program has locked the database" in text
    assert 4 < seconds < 12
    assert site.sign_in()[0] == 200
    assert "Another program has locked the database" in site.fetch("/")[1]  # the banner


def test_behind_a_proxy_with_https_cookies_are_for_this_host_only(folder: Path) -> None:
    site = Site(folder, FOCUSWEB_HTTPS="1")
    process = site.start()
    request = urllib.request.Request(
        f"http://127.0.0.1:{site.port}/login/", headers={"X-Forwarded-Proto": "https"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        cookie = answer.headers["Set-Cookie"]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)

    assert cookie.startswith("__Host-csrftoken=")
    assert "; Secure" in cookie
    assert "; Path=/;" in cookie
    assert "Domain" not in cookie


def test_a_port_that_is_taken_is_said_in_a_sentence(folder: Path) -> None:
    site = Site(folder)
    with socket.create_server(("127.0.0.1", site.port)):
        process = site.manage("serve")
        said = process.communicate(timeout=30)[0]

    assert process.returncode == 1
    assert f"Cannot listen on 127.0.0.1:{site.port}: Address already in use." in said
    assert "Traceback" not in said
