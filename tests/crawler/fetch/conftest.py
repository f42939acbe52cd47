"""A bad server behind `*.test`, a door with short limits, and witnesses of every connect."""

import socket
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from crawler.errors import FetchError
from crawler.fetch.config import FetchConfig, Limits, build_user_agent, parse_connect_to
from crawler.fetch.door import Door
from crawler.reasons import Reason
from tests.crawler.fetch.bad_server import BadServer, Canary

#: The limit sheet's numbers, with times a test can wait for.
QUICK = replace(Limits(), resolve_s=0.3, connect_s=0.5, first_byte_s=0.5, exchange_s=1.0)


@pytest.fixture
def server() -> Iterator[BadServer]:
    with BadServer() as server:
        yield server


@pytest.fixture
def canary() -> Iterator[Canary]:
    canary = Canary()
    yield canary
    canary.close()


@pytest.fixture
def config(server: BadServer) -> FetchConfig:
    return FetchConfig(
        user_agent=build_user_agent("https://contact.example/about"),
        connect_to=parse_connect_to(f"*.test=127.0.0.1:{server.port}"),
        limits=QUICK,
    )


def unknown_name(host: str) -> list[str]:
    """A resolver for tests that need none: it knows this machine only."""
    if host in ("localhost", "localhost."):
        return ["127.0.0.1", "::1"]
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@pytest.fixture
def door(config: FetchConfig) -> Iterator[Door]:
    with Door(config, resolver=unknown_name) as door:
        yield door


_connects: list[str] = []


def _watch(event: str, args: tuple[object, ...]) -> None:
    if event == "socket.connect":
        _connects.append(str(args[1]))


@pytest.fixture(scope="session")
def _audit_hook() -> None:
    # A hook can never be taken off again, so there is one for the whole session.
    sys.addaudithook(_watch)


@pytest.fixture
def connects(_audit_hook: None) -> list[str]:
    """Every address this process connects to from now on."""
    _connects.clear()
    return _connects


def reason_of(door: Door, url: str) -> Reason:
    """Fetch a URL, which must fail, and return the reason."""
    with pytest.raises(FetchError) as caught:
        door.fetch(url)
    assert caught.value.detail
    return caught.value.reason
