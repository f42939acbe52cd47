"""How large a PDF file may be, and what only calls itself one."""

from collections.abc import Iterator
from dataclasses import replace
from gzip import compress
from random import Random

import pytest

from crawler.errors import FetchError
from crawler.fetch.config import KIB, FetchConfig
from crawler.fetch.door import Door
from crawler.reasons import Reason
from tests.crawler.fetch.bad_server import BadServer
from tests.crawler.fetch.conftest import QUICK, unknown_name

FILE = b"%PDF-1.7\n" + Random(7).randbytes(1024 * KIB).hex().encode()  # 2 MiB; packed half
TYPE = "application/pdf"


@pytest.fixture
def small_door(config: FetchConfig) -> Iterator[Door]:
    """A page may have 1 MiB on the wire and 1.5 unpacked, a PDF file 3."""
    limits = replace(
        QUICK,
        exchange_s=5.0,
        wire_bytes=1024 * KIB,
        decoded_bytes=1536 * KIB,
        pdf_bytes=3072 * KIB,
    )
    with Door(replace(config, limits=limits), resolver=unknown_name) as door:
        yield door


def test_a_pdf_file_may_be_larger_than_a_page(server: BadServer, small_door: Door) -> None:
    server.page("/a", FILE, content_type=TYPE)
    server.page("/b.pdf", FILE, content_type="application/octet-stream")
    server.page("/c", compress(FILE), content_type=TYPE, content_encoding="gzip")

    for path in ("a", "b.pdf", "c"):
        assert small_door.fetch(f"http://garden.test/{path}").body == FILE


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (FILE, {"content_type": "text/html"}),
        (FILE * 2, {"content_type": TYPE}),
        (compress(FILE * 2), {"content_type": TYPE, "content_encoding": "gzip"}),
        (b"<p>" + FILE, {"content_type": TYPE}),
        (compress(b"<p>" + FILE), {"content_type": TYPE, "content_encoding": "gzip"}),
    ],
    ids=["called a page", "too large", "too large unpacked", "a page", "a page, packed"],
)
def test_what_is_too_large_or_only_called_a_pdf_file_is_refused(
    server: BadServer, small_door: Door, body: bytes, fields: dict[str, str]
) -> None:
    server.page("/x", body, **fields)

    with pytest.raises(FetchError) as caught:
        small_door.fetch("http://garden.test/x")

    assert caught.value.reason is Reason.TOO_LARGE
