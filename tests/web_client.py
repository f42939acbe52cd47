"""A plain HTTP client for servers on loopback that answer by Host header."""

from collections.abc import Mapping
from http.client import HTTPConnection
from typing import NamedTuple


class Answer(NamedTuple):
    """What came back; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def fetch(
    port: int, host: str, target: str, method: str = "GET", headers: Mapping[str, str] | None = None
) -> Answer:
    """Request a page of a host from the server on a loopback port."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request(method, target, headers={"Host": host, **(headers or {})})
        response = connection.getresponse()
        names = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, names, response.read())
    finally:
        connection.close()
