"""Rows N of the threat list: no request ever reaches an address it must not."""

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import FetchError
from crawler.fetch.config import FetchConfig
from crawler.fetch.deadline import Deadline
from crawler.fetch.door import Door
from crawler.reasons import Reason
from tests.crawler.fetch.bad_server import BadServer, Canary
from tests.crawler.fetch.conftest import unknown_name

PUBLIC = "93.184.216.34"

SPELLINGS = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "0177.0.0.1",
    "0177.1",
    "00000177.1",
    "0x7f.0.0.1",
    "0x7f.1",
    "0x7f000001",
    "0X7F000001",
    "2130706433",
    "017700000001",
    "127.0.0.1.",
    "127.1.",
    "127。0。0。1",
    "127．0．0．1",
    "①②⑦.⓪.⓪.①",
    "１２７.０.０.１",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "0",
    "0.0.0.0",
    "0x0",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:7f00:0001]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "[::1%25lo]",
    "[::1%lo]",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "0251.0376.0251.0376",
    "[::ffff:a9fe:a9fe]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "ｌｏｃａｌｈｏｓｔ",
    "loc%61lhost",
    "lo\tcal\nhost",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_n1_no_spelling_of_this_machine_is_connected_to(
    door: Door, canary: Canary, connects: list[str], spelling: str
) -> None:
    with pytest.raises(FetchError) as caught:
        door.fetch(f"http://{spelling}:{canary.port}/")

    assert caught.value.reason in (Reason.ADDRESS_FORBIDDEN, Reason.URL_INVALID)
    assert connects == []
    assert canary.hits() == 0


def lead_to(port: int, opened: list[str]) -> Callable[[str, int, Deadline], socket.socket]:
    """An opener that notes each address and leads to a loopback port instead."""

    def open_socket(address: str, _: int, budget: Deadline) -> socket.socket:
        opened.append(address)
        return socket.create_connection(("127.0.0.1", port), timeout=budget.remaining(1))

    return open_socket


def test_n3_a_name_that_changes_its_mind_is_judged_by_the_answer_it_connects_to(
    config: FetchConfig, server: BadServer, canary: Canary
) -> None:
    server.page("/", b"<p>hello", connection="close")
    answers = [[PUBLIC], ["127.0.0.1"]]
    opened: list[str] = []
    requested: list[str] = []

    def rebind(host: str) -> list[str]:
        requested.append(host)
        return answers[len(requested) % 2]

    n_refused = 0
    opener = lead_to(server.port, opened)
    with Door(config, resolver=rebind, opener=opener) as door:
        for _ in range(1000):
            try:
                door.fetch(f"http://rebind.example:{canary.port}/")
            except FetchError as error:
                n_refused += error.reason is Reason.ADDRESS_FORBIDDEN

    assert (n_refused, len(requested)) == (500, 1000)
    assert opened == [PUBLIC] * 500
    assert canary.hits() == 0


@pytest.mark.parametrize(
    "addresses",
    [[PUBLIC, "127.0.0.1"], ["127.0.0.1", PUBLIC], [PUBLIC] * 999 + ["10.0.0.1"], ["fe80::1%2"]],
)
def test_n4_one_bad_address_refuses_the_name(
    config: FetchConfig, connects: list[str], addresses: list[str]
) -> None:
    with Door(config, resolver=lambda _: addresses) as door, pytest.raises(FetchError) as caught:
        door.fetch("http://mixed.example/")

    assert caught.value.reason is Reason.ADDRESS_FORBIDDEN
    assert "mixed.example" in caught.value.detail
    assert connects == []


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("http://127.0.0.1/", "loopback"),
        ("http://10.0.0.1/admin", "private network"),
        ("http://169.254.169.254/latest/meta-data/", "link-local"),
        ("http://[::1]/", "loopback"),
        ("//2130706433/", "loopback"),
        ("file:///etc/passwd", "not http or https"),
        ("data:text/html,hello", "not http or https"),
        ("ftp://garden.test/", "not http or https"),
        ("javascript:alert(1)", "not http or https"),
        ("http://[::1", "not a URL"),
        ("http://garden.test:22/", "port 22"),
        ("http://user:pass@garden.test/", "user name"),
        ("", "no target"),
        ("   ", "no target"),
    ],
)
def test_n5_a_redirect_off_the_web_stops_the_chain(
    door: Door, server: BadServer, connects: list[str], location: str, shown: str
) -> None:
    server.page("/from", status="302 Found", location=location)

    with pytest.raises(FetchError) as caught:
        door.fetch("http://garden.test/from")

    assert caught.value.reason is Reason.REDIRECT_FORBIDDEN
    assert shown in caught.value.detail
    assert "http://garden.test/from" in caught.value.detail
    assert connects == [f"('127.0.0.1', {server.port})"]


def test_n5_a_redirect_to_a_name_of_this_machine_is_refused_at_the_next_hop(
    door: Door, server: BadServer
) -> None:
    server.page("/from", status="302 Found", location="http://localhost/")

    target = door.fetch("http://garden.test/from").redirect_to

    with pytest.raises(FetchError) as caught:
        door.fetch(target)
    assert caught.value.reason is Reason.ADDRESS_FORBIDDEN


def test_n5_a_redirect_from_https_to_http_is_refused(door: Door, server: BadServer) -> None:
    server.page("/from", status="301 Moved Permanently", location="http://garden.test/to")

    assert door.fetch("http://garden.test/from").redirect_to == "http://garden.test/to"
    with pytest.raises(FetchError) as caught:
        door.fetch("https://garden.test/from")
    assert caught.value.reason is Reason.REDIRECT_FORBIDDEN


@pytest.mark.parametrize(
    ("url", "host", "target"),
    [
        ("http:\\\\garden.test\\a", "garden.test", "/a"),
        ("http://garden.test\\@evil.test/", "garden.test", "/@evil.test/"),
        ("http://garden.test/@evil.test", "garden.test", "/@evil.test"),
        ("http://garden.test#@evil.test/", "garden.test", "/"),
        ("http://garden.test?@evil.test/", "garden.test", "/?@evil.test/"),
        ("http://gar\tden.te\nst/", "garden.test", "/"),
        ("http:garden.test/a", "garden.test", "/a"),
        ("http:///garden.test/a", "garden.test", "/a"),
        ("http://ｇarden.test/é?é", "garden.test", "/%C3%A9?%C3%A9"),
        ("http://garden.test/a/%2e%2e/b", "garden.test", "/b"),
        ('http://garden.test/|^[]`{}"<>', "garden.test", "/|%5E[]%60%7B%7D%22%3C%3E"),
        ("http://garden.test/%e4%zz%", "garden.test", "/%e4%zz%"),
    ],
)
def test_n6_what_is_sent_is_what_was_parsed(
    door: Door, server: BadServer, url: str, host: str, target: str
) -> None:
    fetched = door.fetch(url)

    sent = server.requests[0]
    assert sent.headers["host"] == host
    assert fetched.url == f"http://{host}{sent.target}"
    assert sent.target == target


@pytest.mark.parametrize(
    "url", ["http://garden.test%00.evil.test/", "http://a@garden.test/", "http://:b@garden.test/"]
)
def test_n6_n7_what_parsers_disagree_about_is_refused(
    door: Door, connects: list[str], url: str
) -> None:
    with pytest.raises(FetchError) as caught:
        door.fetch(url)

    assert caught.value.reason is Reason.URL_INVALID
    assert connects == []


def test_n7_no_log_line_or_error_shows_a_secret(
    door: Door, server: BadServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.page("/a?api_key=hush", status="302 Found", location="ftp://b.test/?token=hush")

    with caplog.at_level("DEBUG"), pytest.raises(FetchError) as caught:
        door.fetch("http://garden.test/a?api_key=hush")

    assert len(server.requests) == 1
    assert "hush" not in caplog.text
    assert "hush" not in str(caught.value)


def test_n8_proxies_and_netrc_of_the_environment_are_ignored(
    door: Door,
    server: BadServer,
    canary: Canary,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{canary.port}")
    netrc = tmp_path / "netrc"
    netrc.write_text("machine garden.test login me password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    server.page("/")

    assert door.fetch("http://garden.test/").status == 200

    assert "authorization" not in server.requests[0].headers
    assert canary.hits() == 0


@contextmanager
def silent_resolver() -> Iterator[Callable[[str], Sequence[str]]]:
    """A resolver that says nothing until the test is over."""
    over = threading.Event()

    def wait(_: str) -> Sequence[str]:
        over.wait(10)
        return [PUBLIC]

    yield wait
    over.set()


def test_n9_a_silent_resolver_is_given_up(config: FetchConfig) -> None:
    started = time.monotonic()

    with (
        silent_resolver() as resolver,
        Door(config, resolver=resolver) as door,
        pytest.raises(FetchError) as caught,
    ):
        door.fetch("http://slow.example/")

    assert caught.value.reason is Reason.NAME_UNANSWERED
    assert time.monotonic() - started < 1.0


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (socket.EAI_NONAME, Reason.NAME_UNKNOWN),
        (socket.EAI_NODATA, Reason.NAME_UNKNOWN),
        (socket.EAI_AGAIN, Reason.NAME_UNANSWERED),
        (socket.EAI_FAIL, Reason.NAME_UNANSWERED),
        (socket.EAI_SYSTEM, Reason.NAME_UNANSWERED),
    ],
)
def test_n9_no_such_name_and_no_answer_are_distinguished(
    config: FetchConfig, code: int, reason: Reason
) -> None:
    def fail(_: str) -> list[str]:
        raise socket.gaierror(code, "as told")

    with Door(config, resolver=fail) as door, pytest.raises(FetchError) as caught:
        door.fetch("http://name.example/")

    assert caught.value.reason is reason


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "a." * 126 + "example", "nothing.example"])
def test_n9_a_name_that_cannot_be_or_has_no_address_is_unknown(
    config: FetchConfig, host: str
) -> None:
    with Door(config, resolver=lambda _: []) as door, pytest.raises(FetchError) as caught:
        door.fetch(f"http://{host}/")

    assert caught.value.reason is Reason.NAME_UNKNOWN


def test_n9_only_a_few_of_a_thousand_addresses_are_tried(config: FetchConfig) -> None:
    tried: list[str] = []

    def refuse(address: str, _: int, __: Deadline) -> socket.socket:
        tried.append(address)
        raise ConnectionRefusedError("refused")

    addresses = [f"93.184.{n // 250}.{n % 250}" for n in range(1000)]
    with (
        Door(config, resolver=lambda _: addresses, opener=refuse) as door,
        pytest.raises(FetchError) as caught,
    ):
        door.fetch("http://many.example/")

    assert caught.value.reason is Reason.CONNECT_FAILED
    assert tried == addresses[:4]


def test_n12_a_saved_target_is_checked_again_at_every_use(
    config: FetchConfig, server: BadServer
) -> None:
    server.page("/", b"<p>hello", connection="close")
    addresses = [PUBLIC]

    opener = lead_to(server.port, [])
    with Door(config, resolver=lambda _: addresses, opener=opener) as door:
        assert door.fetch("http://moved.example/").status == 200
        addresses[0] = "192.168.1.1"
        with pytest.raises(FetchError) as caught:
            door.fetch("http://moved.example/")

    assert caught.value.reason is Reason.ADDRESS_FORBIDDEN


def test_the_map_does_not_open_the_guard_for_anyone_else(
    config: FetchConfig, server: BadServer, connects: list[str]
) -> None:
    exempt = replace(config, allowed_hosts=frozenset({"127.0.0.1:8001"}))

    with Door(exempt, resolver=unknown_name) as door:
        for url in ("http://127.0.0.1:8002/", "http://localhost:8001/", "http://10.0.0.1:8001/"):
            with pytest.raises(FetchError) as caught:
                door.fetch(url)
            assert caught.value.reason is Reason.ADDRESS_FORBIDDEN
    assert connects == []
