"""Hundreds of ways to be led to an address of this machine or its network; none is connected to.

Witnesses are a canary that listens on loopback, and an audit hook that sees each connect of
this process. `pytest -s -k forbidden_connects` prints the counts.
"""

import ipaddress
from collections import Counter
from collections.abc import Callable

from crawler.errors import FetchError
from crawler.fetch.config import FetchConfig
from crawler.fetch.door import Door
from crawler.fetch.follow import fetch_following
from crawler.reasons import Reason
from tests.crawler.fetch.bad_server import BadServer, Canary
from tests.crawler.fetch.conftest import unknown_name
from tests.crawler.fetch.test_guard import FORBIDDEN
from tests.crawler.fetch.test_network_rows import PUBLIC, SPELLINGS

REFUSALS = {
    Reason.ADDRESS_FORBIDDEN,
    Reason.URL_INVALID,
    Reason.REDIRECT_FORBIDDEN,
    Reason.PORT_FORBIDDEN,
    Reason.NAME_UNKNOWN,
}
Way = Callable[[str], None]


def literal_addresses() -> list[str]:
    """The special addresses as they stand in a URL."""
    found = []
    for text, _ in FORBIDDEN:
        try:
            version = ipaddress.ip_address(text).version
        except ValueError:
            continue
        found.append(f"[{text.replace('%', '%25')}]" if version == 6 else text)
    return found


class Attempts:
    """Leads a door astray, in one way after another, and counts what comes of it."""

    def __init__(self, config: FetchConfig, server: BadServer, port: int) -> None:
        self._server, self._port = server, port
        self._answers: list[str] = []
        self._door = Door(config, resolver=self._resolve)
        self.reasons: Counter[Reason] = Counter()

    def _resolve(self, host: str) -> list[str]:
        return self._answers or unknown_name(host)

    def _refused(self, url: str, *, follow: bool = False) -> None:
        try:
            if follow:
                fetch_following(self._door, url)
            else:
                self._door.fetch(url)
        except FetchError as error:
            self.reasons[error.reason] += 1
            return
        raise AssertionError(f"{url} was fetched")

    def asked_for(self, host: str) -> None:
        self._refused(f"http://{host}:{self._port}/")

    def asked_for_with_tls(self, host: str) -> None:
        self._refused(f"https://{host}:{self._port}/")

    def redirected(self, host: str) -> None:
        location = f"http://{_on_the_wire(host)}:{self._port}/"
        self._server.page("/from", status="302 Found", location=location)
        self._refused("http://garden.test/from", follow=True)

    def redirected_twice(self, host: str) -> None:
        self._server.page("/first", status="301 Moved Permanently", location="/second")
        location = f"//{_on_the_wire(host)}/a"
        self._server.page("/second", status="307 Temporary Redirect", location=location)
        self._refused("http://garden.test/first", follow=True)

    def named(self, address: str) -> None:
        self._resolved(address, [address])

    def named_after_a_public_one(self, address: str) -> None:
        self._resolved(address, [PUBLIC, address])

    def _resolved(self, address: str, answers: list[str]) -> None:
        self._answers = answers
        try:
            self._refused(f"http://name.example:{self._port}/")
        finally:
            self._answers = []


def _on_the_wire(host: str) -> str:
    """A host in UTF-8, as the characters that give those bytes in a header."""
    return host.encode().decode("latin-1")


def test_no_forbidden_connects_in_hundreds_of_cases(
    config: FetchConfig, server: BadServer, canary: Canary, connects: list[str]
) -> None:
    attempts = Attempts(config, server, canary.port)
    ways: tuple[Way, ...] = (
        attempts.asked_for,
        attempts.asked_for_with_tls,
        attempts.redirected,
        attempts.redirected_twice,
    )
    hosts = [spelling for spelling in SPELLINGS if "\n" not in spelling] + literal_addresses()
    for host in hosts:
        for way in ways:
            way(host)
    for address, _ in FORBIDDEN:
        attempts.named(address)
        attempts.named_after_a_public_one(address)

    n_cases = attempts.reasons.total()
    figures = f"{n_cases} cases, {canary.hits()} hits of the canary: {dict(attempts.reasons)}"
    print(figures)  # noqa: T201
    assert n_cases == 4 * len(hosts) + 2 * len(FORBIDDEN)
    assert n_cases >= 400
    assert set(attempts.reasons) <= REFUSALS
    assert set(connects) <= {f"('127.0.0.1', {server.port})"}, "only the server that redirects"
    assert canary.hits() == 0
