"""One confined child for every handler."""

from contextlib import closing

import msgspec
import pytest

from crawler.errors import ConfigurationError
from crawler.sandbox.process import Cause, ChildError, ChildProcess
from crawler.sandbox.wire import ChildLimits, PageSetup

SETUP = msgspec.msgpack.encode(PageSetup())


def test_an_error_of_the_handler_is_logged_and_ends_the_child(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with (
        closing(ChildProcess("page_handler", ChildLimits(), SETUP)) as child,
        pytest.raises(ChildError, match="the reader raised msgspec") as caught,
    ):
        child.request(b"not a request")

    assert caught.value.cause is Cause.CRASH
    assert "Traceback" in caplog.text
    assert not child.is_usable()


def test_too_little_memory_to_read_a_request_is_named() -> None:
    limits = ChildLimits(memory_bytes=300 * 1024 * 1024)
    with (
        closing(ChildProcess("page_handler", limits, SETUP)) as child,
        pytest.raises(ChildError, match="out of memory") as caught,
    ):
        child.request(bytes(400 * 1024 * 1024))

    assert caught.value.cause is Cause.MEMORY


def test_a_handler_that_does_not_exist_is_a_fault_of_ours() -> None:
    with pytest.raises(ConfigurationError, match="did not start: child ended by exit code 1"):
        ChildProcess("no_handler", ChildLimits())
