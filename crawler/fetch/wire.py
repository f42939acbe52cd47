"""Read one HTTP/1.1 answer with every part of it bounded.

Python's own reader skips interim answers without a limit, takes 6 MB of headers and
accepts lengths that contradict each other; this one refuses all of that.
"""

import http.client
import io
import re
import socket
from typing import Final

from crawler.errors import FetchError
from crawler.fetch.config import Limits
from crawler.fetch.deadline import Deadline, DeadlineReader
from crawler.reasons import Reason

_STATUS_LINE = re.compile(rb"HTTP/1\.([01])[ \t]+([1-5]\d\d)(?:[ \t].*)?")
_FIELD_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?\r?\n")
#: Fields in which a name at the beginning of a line holds for the whole line.
_BY_LINE: Final = frozenset({"x-robots-tag"})
_MAX_CHUNK_LINE: Final = 1024
_BUFFER_BYTES: Final = 16 * 1024


class BoundedResponse(http.client.HTTPResponse):
    """An answer on the wire: `begin` reads its head, `read_body` the rest.

    Attributes
    ----------
    fields : dict of str to str
        Header fields by lower-case name; repeated ones are joined with ", ", X-Robots-Tag
        with line breaks.
    whole : bool
        The body was read to its end, so the connection can serve again.
    """

    def __init__(
        self, sock: socket.socket, *, method: str | None, deadline: Deadline, limits: Limits
    ) -> None:
        super().__init__(sock, method=method)
        self.fp.close()
        self.reader = DeadlineReader(sock, deadline, limits.first_byte_s)
        self.fp = io.BufferedReader(self.reader, _BUFFER_BYTES)
        self.fields: dict[str, str] = {}
        self.whole = False
        self._limits = limits
        self._method_name = method
        self._head_bytes_left = limits.header_bytes

    def begin(self) -> None:
        """Read status and header fields; raise FetchError if they break a rule."""
        for _ in range(self._limits.interim_answers + 1):
            minor, status = self._read_status_line()
            fields = self._read_fields()
            if status >= 200:
                break
            if status == 101:
                raise _bad("answered 101 Switching Protocols, which was not requested")
        else:
            raise _bad(f"more than {self._limits.interim_answers} interim answers")
        self.fields = fields
        self.code = self.status = status
        self.reason = ""
        self.version = 10 + minor
        # Callers read `fields`; urllib3 only needs to find a message here.
        self.headers = self.msg = http.client.HTTPMessage()
        self._find_length()

    def read_body(self, max_bytes: int, *, cut: bool = False) -> bytes:
        """Read the body as it is on the wire.

        Raises TOO_LARGE beyond `max_bytes` (counting chunk lines), or with
        `cut` returns what was read until there; INCOMPLETE when it ends early.
        """
        if self.chunked:
            return self._read_chunks(max_bytes, cut)
        if self.length is not None and self.length <= max_bytes:
            body = self.fp.read(self.length)
            if len(body) < self.length:
                raise _incomplete(f"{len(body)} of {self.length} bytes came")
            self.whole = True
            return body
        body = b"" if self.length is not None and not cut else self.fp.read(max_bytes + 1)
        if self.length is None and len(body) <= max_bytes:
            self.whole = True
        elif not cut:
            raise _too_large(max_bytes)
        return body[:max_bytes]

    def _read_status_line(self) -> tuple[int, int]:
        line = self._read_line()
        match = _STATUS_LINE.fullmatch(line)
        if match is None:
            raise _bad(f"not an HTTP/1.1 status line: {line[:80]!r}")
        return int(match[1]), int(match[2])

    def _read_fields(self) -> dict[str, str]:
        lines: list[bytes] = []
        while line := self._read_line():
            if line[0] in b" \t" and lines:
                # RFC 9112, 5.2: a folded line continues the one above.
                lines[-1] += b" " + line.strip()
                continue
            if len(lines) >= self._limits.header_lines:
                raise _bad(f"more than {self._limits.header_lines} header lines")
            lines.append(line)
        fields: dict[str, str] = {}
        for line in lines:
            name, colon, value = line.partition(b":")
            if not colon or not _FIELD_NAME.fullmatch(name):
                continue
            key, text = name.decode("ascii").lower(), value.strip().decode("latin-1")
            separator = "\n" if key in _BY_LINE else ", "
            fields[key] = f"{fields[key]}{separator}{text}" if key in fields else text
        return fields

    def _read_line(self) -> bytes:
        """Return the next line of the head without its end; all lines share one budget."""
        line: bytes = self.fp.readline(self._head_bytes_left + 1)
        self._head_bytes_left -= len(line)
        if self._head_bytes_left < 0:
            raise _bad(f"headers are over {self._limits.header_bytes} bytes")
        if not line.endswith(b"\n"):
            raise _incomplete("connection closed before the end of the headers")
        line = line[:-2] if line.endswith(b"\r\n") else line[:-1]
        if b"\0" in line or b"\r" in line:
            raise _bad(f"control character in a header line: {line[:80]!r}")
        return line

    def _find_length(self) -> None:
        """Work out how the body ends (RFC 9112, 6.3), and whether the connection stays."""
        coding = self.fields.get("transfer-encoding", "").lower()
        lengths = {part.strip() for part in self.fields.get("content-length", "").split(",")}
        if coding and coding != "chunked":
            raise _bad(f"transfer encoding {coding[:80]!r}")
        if len(lengths) > 1:
            raise _bad(f"contradicting content lengths {sorted(lengths)[:3]}")
        (length,) = lengths
        if length and not (length.isascii() and length.isdigit() and len(length) <= 18):
            raise _bad(f"content length {length[:80]!r}")
        self.chunked = bool(coding)
        self.length = int(length) if length and not coding else None
        if self.status in (204, 304) or self._method_name == "HEAD":
            self.chunked, self.length = False, 0
        connection = self.fields.get("connection", "").lower()
        ends_itself = self.chunked or self.length is not None
        # Both ways of framing at once is how answers are smuggled: use it up.
        doubtful = bool(coding and length)
        stays = "close" not in connection if self.version == 11 else "keep-alive" in connection
        self.will_close = not (ends_itself and stays) or doubtful

    def _read_chunks(self, max_bytes: int, cut: bool) -> bytes:
        body: list[bytes] = []
        left = max_bytes
        while size := self._read_chunk_size():
            # The line and its ends count too, or tiny chunks would be free.
            left -= 5
            if size > left:
                if not cut:
                    raise _too_large(max_bytes)
                body.append(self.fp.read(max(left, 0)))
                return b"".join(body)
            data = self.fp.read(size)
            left -= size
            body.append(data)
            if len(data) < size or self.fp.readline(2) not in (b"\r\n", b"\n"):
                raise _incomplete(f"a chunk of {size} bytes was cut")
        while self._read_line():
            # Trailer fields are of no use; they spend what is left of the head's budget.
            continue
        self.whole = True
        return b"".join(body)

    def _read_chunk_size(self) -> int:
        line = self.fp.readline(_MAX_CHUNK_LINE)
        match = _CHUNK_LINE.fullmatch(line)
        if match is None and not line.endswith(b"\n") and len(line) < _MAX_CHUNK_LINE:
            raise _incomplete("connection closed between two chunks")
        if match is None:
            raise _bad(f"not a chunk size: {line[:80]!r}")
        return int(match[1], 16)


def _bad(detail: str) -> FetchError:
    return FetchError(Reason.BAD_RESPONSE, detail)


def _incomplete(detail: str) -> FetchError:
    return FetchError(Reason.INCOMPLETE, detail)


def _too_large(max_bytes: int) -> FetchError:
    return FetchError(Reason.TOO_LARGE, f"the answer is over {max_bytes} bytes")
