"""Undoing content encodings, with caps."""

import gzip
import os
import time
import zlib
from dataclasses import replace

import brotli
import pytest

from crawler.errors import FetchError
from crawler.fetch.body import decode_body
from crawler.fetch.config import Limits
from crawler.reasons import Reason

TEXT = b"hello, world " * 10_000
NOISE = os.urandom(200_000)
LIMITS = Limits()


@pytest.mark.parametrize(
    ("encoding", "wire"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("GZip", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        (" gzip , identity", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:])),
        ("gzip", gzip.compress(TEXT) + b"\0" * 100),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)[2:-4]),
        ("br", brotli.compress(TEXT)),
    ],
)
def test_each_encoding_we_ask_for_is_undone(encoding: str, wire: bytes) -> None:
    assert decode_body(wire, encoding, LIMITS) == TEXT


@pytest.mark.parametrize(
    ("encoding", "wire"),
    [
        ("gzip", gzip.compress(NOISE)),
        ("deflate", zlib.compress(NOISE)),
        ("br", brotli.compress(NOISE)),
    ],
)
def test_bytes_that_do_not_compress_come_back_whole(encoding: str, wire: bytes) -> None:
    assert decode_body(wire, encoding, LIMITS) == NOISE


@pytest.mark.parametrize("encoding", ["", "gzip", "deflate", "br"])
def test_an_empty_body_needs_no_decoding(encoding: str) -> None:
    assert decode_body(b"", encoding, LIMITS) == b""


@pytest.mark.parametrize(
    ("encoding", "wire"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("br", brotli.compress(NOISE)),
    ],
)
def test_every_cut_of_compressed_data_is_noticed(encoding: str, wire: bytes) -> None:
    step = max(len(wire) // 37, 1)
    for end in [*range(1, len(wire), step), len(wire) - 1]:
        with pytest.raises(FetchError) as caught:
            decode_body(wire[:end], encoding, LIMITS)
        assert caught.value.reason is Reason.INCOMPLETE, end


def test_a_flipped_bit_in_gzip_data_is_noticed() -> None:
    wire = bytearray(gzip.compress(TEXT))
    wire[len(wire) // 2] ^= 1

    with pytest.raises(FetchError) as caught:
        decode_body(bytes(wire), "gzip", LIMITS)

    assert caught.value.reason in (Reason.BAD_ENCODING, Reason.INCOMPLETE)


def test_the_ratio_counts_only_after_the_first_mebibyte() -> None:
    wire = gzip.compress(b"\0" * 1_000_000)
    assert len(decode_body(wire, "gzip", LIMITS)) == 1_000_000

    with pytest.raises(FetchError) as caught:
        decode_body(gzip.compress(b"\0" * 2_000_000), "gzip", LIMITS)

    assert caught.value.reason is Reason.TOO_LARGE
    assert "100 times" in caught.value.detail


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_the_decoded_size_has_a_cap_of_its_own(encoding: str) -> None:
    small = replace(LIMITS, decoded_bytes=100_000)
    wire = gzip.compress(NOISE) if encoding else NOISE

    with pytest.raises(FetchError) as caught:
        decode_body(wire, encoding, small)

    assert caught.value.reason is Reason.TOO_LARGE
    assert decode_body(wire, encoding, small, cut_at=50_000) == NOISE[:50_000]


def test_thousands_of_gzip_members_are_refused_quickly() -> None:
    wire = gzip.compress(b"") * 200_000
    started = time.process_time()

    with pytest.raises(FetchError) as caught:
        decode_body(wire, "gzip", LIMITS)

    assert caught.value.reason is Reason.BAD_ENCODING
    assert time.process_time() - started < 3
