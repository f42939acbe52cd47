"""Parses pages in a confined child."""

from collections.abc import Callable

import msgspec

from crawler.errors import ParseError
from crawler.page.parse import parse_page
from crawler.sandbox.page_plugins import PagePlugins
from crawler.sandbox.wire import PageSetup, ParseAnswer, ParseRequest, without_blocks

FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system")

_decode = msgspec.msgpack.Decoder(ParseRequest).decode
_encode = msgspec.msgpack.Encoder().encode
_plugins: PagePlugins


def warm_up(setup: bytes, announce: Callable[[bytes], None]) -> bytes:
    """Load plugins, and what is loaded lazily, while files can still be opened freely.

    Return the errors of plugins.
    """
    global _plugins
    _plugins = PagePlugins(msgspec.msgpack.decode(setup, type=PageSetup), announce)
    parse_page("<title>warm</title><p>暖 up".encode(), "http://warm.test/")
    return _encode(_plugins.new_failures())


def handle(message: bytes) -> bytes:
    """Parse the page of a `ParseRequest`; return a `ParseAnswer`."""
    request = _decode(message)
    page = reason = None
    detail = ""
    try:
        page = parse_page(
            request.body,
            request.url,
            request.content_type,
            request.robots_header,
            request.site_frame,
            _plugins.readers,
        )
    except ParseError as error:
        reason, detail = error.reason, error.detail
    _plugins.end_page()
    sent = None if page is None else without_blocks(page)
    return _encode(ParseAnswer(sent, reason, detail, _plugins.new_failures()))
