"""Rows H9 to H11 of the threat list: redirects, cookies and secrets."""

import pytest

from crawler.errors import FetchError
from crawler.fetch.door import Door
from crawler.fetch.follow import fetch_following
from crawler.reasons import Reason
from tests.crawler.fetch.bad_server import BadServer
from tests.crawler.fetch.conftest import reason_of

URL = "http://garden.test/bad"


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/to", "http://garden.test/to"),
        ("to?a=b#c", "http://garden.test/to?a=b"),
        ("//kitchen.test:8080", "http://kitchen.test:8080/"),
        ("HTTPS://Kitchen.TEST/%7Ea", "https://kitchen.test/%7Ea"),
        ("/caf\u00e9", "http://garden.test/caf%C3%A9"),
        ("/caf\u00c3\u00a9", "http://garden.test/caf%C3%A9"),
        (" /to ", "http://garden.test/to"),
        ("?", "http://garden.test/bad?"),
    ],
)
def test_h9_a_location_is_read_in_every_spelling(
    door: Door, server: BadServer, location: str, target: str
) -> None:
    server.page("/bad", status="301 Moved Permanently", location=location)

    assert door.fetch(URL).redirect_to == target


def test_h9_a_redirect_that_grows_ends_at_the_length_limit(door: Door, server: BadServer) -> None:
    server.page("/bad", status="302 Found", location="/bad?" + "x" * 2048)

    assert reason_of(door, URL) is Reason.REDIRECT_FORBIDDEN


@pytest.mark.parametrize("status", ["300 Multiple Choices", "305 Use Proxy", "306 Switch"])
def test_h9_other_3xx_answers_lead_nowhere(door: Door, server: BadServer, status: str) -> None:
    server.page("/bad", b"x", status=status, location="/to")

    assert door.fetch(URL).redirect_to == ""


def test_h9_a_loop_is_named(door: Door, server: BadServer) -> None:
    server.page("/bad", status="302 Found", location="/back")
    server.page("/back", status="302 Found", location="/bad")

    with pytest.raises(FetchError) as caught:
        fetch_following(door, URL)

    assert caught.value.reason is Reason.TOO_MANY_REDIRECTS
    assert "leads back to http://garden.test/bad" in caught.value.detail
    assert len(server.requests) == 2


def test_h9_thirty_hops_end_after_five(door: Door, server: BadServer) -> None:
    for number in range(30):
        server.page(f"/{number}", status="302 Found", location=f"/{number + 1}")
    server.page("/30", b"<p>there")

    with pytest.raises(FetchError) as caught:
        fetch_following(door, "http://garden.test/0")

    assert caught.value.reason is Reason.TOO_MANY_REDIRECTS
    assert len(server.requests) == 6
    assert fetch_following(door, "http://garden.test/25").body == b"<p>there"


def test_h10_cookies_are_dropped_between_fetches(door: Door, server: BadServer) -> None:
    server.page("/bad", b"<p>hello", set_cookie="a=b; Domain=kitchen.test; Path=/")

    door.fetch(URL)
    door.fetch(URL)
    door.fetch("http://kitchen.test/bad")

    assert ["cookie" in request.headers for request in server.requests] == [False] * 3


def test_h11_secrets_stay_with_the_request_they_were_given_to(
    door: Door, server: BadServer
) -> None:
    server.page("/bad", status="302 Found", location="http://kitchen.test/to")
    server.page("/to", b"<p>hello")

    fetch_following(door, URL, headers={"Authorization": "Bearer x", "X-Api-Key": "y"})

    first, second = server.requests
    assert {"authorization", "x-api-key"} <= first.headers.keys()
    assert not {"authorization", "x-api-key"} & second.headers.keys()
