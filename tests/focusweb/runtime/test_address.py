"""Whether the address is free is said in a sentence before anything is started."""

import socket
from collections.abc import Iterator

import pytest

from focusweb.runtime.address import answers, require_free_port, shown_address
from focusweb.runtime.run_folder import StartError


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Somebody else's program that listens on a port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_a_port_in_use_is_named_with_the_setting_that_moves_it(listener: socket.socket) -> None:
    port = listener.getsockname()[1]

    with pytest.raises(StartError, match=rf"Port {port} .* FOCUSWEB_PORT"):
        require_free_port("127.0.0.1", port, "FOCUSWEB_PORT")


def test_a_free_port_is_accepted_even_just_after_use(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    # The side that closes first leaves the port in TIME_WAIT.
    with socket.create_connection(("127.0.0.1", port)):
        listener.accept()[0].close()
    listener.close()

    require_free_port("127.0.0.1", port, "FOCUSWEB_PORT")


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(StartError, match="FOCUSWEB_HOST"):
        require_free_port("192.0.2.1", 8000, "FOCUSWEB_PORT")


def test_answers_tells_a_listening_port_from_a_free_one(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    assert answers("127.0.0.1", port)
    assert answers("0.0.0.0", port)

    listener.close()

    assert not answers("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000/"),
        ("::1", "http://[::1]:8000/"),
        ("0.0.0.0", "http://localhost:8000/"),
        ("::", "http://localhost:8000/"),
    ],
)
def test_the_shown_address_can_be_opened(host: str, shown: str) -> None:
    assert shown_address(host, 8000) == shown
