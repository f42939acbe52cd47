"""Parses pages in a confined child."""

import msgspec

from crawler.errors import ParseError
from crawler.page.parse import parse_page
from crawler.sandbox.wire import ParseAnswer, ParseRequest, without_blocks

FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system")

_decode = msgspec.msgpack.Decoder(ParseRequest).decode
_encode = msgspec.msgpack.Encoder().encode


def warm_up() -> None:
    """Load what is loaded lazily while files can still be opened freely."""
    parse_page("<title>warm</title><p>暖 up".encode(), "http://warm.test/")


def handle(message: bytes) -> bytes:
    """Parse the page of a `ParseRequest`; return a `ParseAnswer`."""
    request = _decode(message)
    try:
        page = parse_page(
            request.body,
            request.url,
            request.content_type,
            request.robots_header,
            request.site_frame,
        )
    except ParseError as error:
        return _encode(ParseAnswer(reason=error.reason, detail=error.detail))
    return _encode(ParseAnswer(without_blocks(page)))
