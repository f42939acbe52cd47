"""What parse pool and parse child say to each other, over two pipes."""

from dataclasses import dataclass
from struct import Struct

import msgspec

from crawler.page.parsed import ParsedPage
from crawler.reasons import Reason

#: Before each message: its length in bytes. The child's first message is empty: "ready".
HEADER = Struct("<I")


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """What one page may cost.

    Attributes
    ----------
    cpu_s : int
        CPU seconds a page may take, >= 1.
    wall_s : float
        Seconds a page may take by the clock.
    memory_bytes : int
        Address space of a child. About 190 MiB of it are code, dictionaries and
        reserved ranges (resident: 80 MiB); the worst pages known take 350 MiB.
    n_files : int
        Open files of a child.
    pages_per_child : int
        A child is replaced after so many pages, against slow growth.
    start_s : float
        Seconds a child may take to load.
    """

    cpu_s: int = 5
    wall_s: float = 10.0
    memory_bytes: int = 512 * 1024 * 1024
    n_files: int = 64
    pages_per_child: int = 5000
    start_s: float = 60.0


@dataclass(frozen=True, slots=True)
class ParseRequest:
    """A page to parse: the arguments of `parse_page`."""

    body: bytes
    url: str
    content_type: str = ""
    robots_header: str = ""


@dataclass(frozen=True, slots=True)
class ParseAnswer:
    """A parsed page, or the reason why there is none."""

    page: ParsedPage | None = None
    reason: Reason | None = None
    detail: str = ""


encode = msgspec.msgpack.Encoder().encode
decode_request = msgspec.msgpack.Decoder(ParseRequest).decode
decode_answer = msgspec.msgpack.Decoder(ParseAnswer).decode


def framed(message: bytes) -> bytes:
    """Put a message's length before it."""
    return HEADER.pack(len(message)) + message
