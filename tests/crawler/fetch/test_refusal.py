"""The reason for a response that is not a page."""

import pytest

from crawler.fetch.door import Fetched, refusal, status_refusal
from crawler.fetch.refusal import is_called_pdf
from crawler.reasons import Reason

HTML = {"content-type": "text/html; charset=utf-8"}
PAGE = b"<!doctype html><title>x</title><p>hello"


def answer(status: int = 200, body: bytes = PAGE, redirect_to: str = "", **fields: str) -> Fetched:
    headers = {name.replace("_", "-"): value for name, value in fields.items()}
    return Fetched("http://a.test/", status, headers or HTML, body, redirect_to=redirect_to)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (206, Reason.INCOMPLETE),
        (300, Reason.BAD_RESPONSE),
        (305, Reason.BAD_RESPONSE),
        (400, Reason.CLIENT_ERROR),
        (401, Reason.ACCESS_DENIED),
        (403, Reason.ACCESS_DENIED),
        (404, Reason.GONE),
        (410, Reason.GONE),
        (418, Reason.CLIENT_ERROR),
        (429, Reason.TOO_MANY_REQUESTS),
        (500, Reason.SERVER_ERROR),
        (503, Reason.SERVER_ERROR),
        (599, Reason.SERVER_ERROR),
    ],
)
def test_a_status_that_is_no_page_has_its_reason(status: int, reason: Reason) -> None:
    error = refusal(answer(status))

    assert error is not None
    assert (error.reason, error.retry_after_s) == (reason, None)
    assert str(status) in error.detail


@pytest.mark.parametrize("status", [200, 203, 304])
def test_a_page_and_an_unchanged_page_are_not_refused(status: int) -> None:
    assert refusal(answer(status)) is None


def test_a_redirect_is_not_refused() -> None:
    assert refusal(answer(301, b"", redirect_to="http://b.test/")) is None


@pytest.mark.parametrize(
    ("status", "seconds"), [(429, 120.0), (503, 120.0), (500, None), (403, None)]
)
def test_only_429_and_503_say_when_to_come_back(status: int, seconds: float | None) -> None:
    error = status_refusal(answer(status, retry_after="120"))

    assert error is not None
    assert error.retry_after_s == seconds


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html", PAGE),
        ("TEXT/HTML;charset=gbk", b"hello"),
        ("application/xhtml+xml", b"<?xml version='1.0'?><html/>"),
        ("", PAGE),
        ("application/octet-stream", b"\xef\xbb\xbf\n <!-- made by hand --><HTML lang=zh>"),
        ("image/png", PAGE),
        ("application/xml", b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x">'),
        ("x" * 9000, b"<body>"),
        ("text/html", b""),
        ("", b""),
        ("application/pdf", PAGE),
    ],
)
def test_h13_html_is_taken_whatever_it_is_called(content_type: str, body: bytes) -> None:
    assert refusal(answer(body=body, content_type=content_type)) is None


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html", b"PK\x03\x04<html>"),
        ("text/html", b"\x89PNG\r\n\x1a\n"),
        ("text/html", b"GIF89a<html>"),
        ("text/html", b"\x1f\x8b\x08"),
        ("application/pdf", b"no PDF file"),
        ("text/plain", b"We speak of %PDF-1.7 here"),
        ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'><a/>"),
        ("text/plain", PAGE),
        ("text/javascript", b"<html>"),
        ("application/json", b'{"a": "<html>"}'),
        ("", b"just some words"),
        ("", b"<htmlish>"),
        ("", b"<!--" * 50_000),
        ("", b"<!---->" * 50_000),
        ("video/mp4", b"\x00\x00\x00\x20ftypisom"),
    ],
)
def test_h13_what_is_no_html_is_refused(content_type: str, body: bytes) -> None:
    error = refusal(answer(body=body, content_type=content_type))

    assert error is not None
    assert error.reason is Reason.NOT_HTML


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/rss+xml", b"<?xml version='1.0'?><rss><channel>"),
        ("text/plain", b"<feed xmlns='http://www.w3.org/2005/Atom'>"),
        ("application/json", b'{"version": "https://jsonfeed.org/version/1.1"}'),
        ("application/xml", b"<urlset>"),
    ],
)
def test_h13_feeds_and_sitemaps_are_taken_whatever_they_are_called(
    content_type: str, body: bytes
) -> None:
    assert refusal(answer(body=body, content_type=content_type)) is None


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/pdf", b"%PDF-1.7\n"),
        ("text/html", b"%PDF-1.7 <html>"),
        ("text/plain", b"%PDF-2.0"),
        ("", b"\xef\xbb\xbf\n%PDF-1.4"),
        ("application/octet-stream", b"printer job\n" * 20 + b"%PDF-1.4"),
    ],
)
def test_h13_a_pdf_file_is_taken_whatever_it_is_called(content_type: str, body: bytes) -> None:
    assert refusal(answer(body=body, content_type=content_type)) is None


@pytest.mark.parametrize(
    ("url", "content_type", "called"),
    [
        ("http://a.test/x", "application/pdf", True),
        ("http://a.test/x", "Application/PDF; version=1", True),
        ("http://a.test/x.PDF", "application/octet-stream", True),
        ("http://a.test/x.pdf?v=1", "", True),
        ("http://a.test/x.pdf.html", "text/html", False),
        ("http://a.test/?file=x.pdf", "text/html", True),
        ("http://a.test/x", "text/html", False),
    ],
)
def test_a_type_or_an_ending_calls_an_answer_a_pdf_file(
    url: str, content_type: str, called: bool
) -> None:
    assert is_called_pdf(url, {"content-type": content_type}) is called


def test_h13_a_file_name_is_never_looked_at() -> None:
    named = answer(content_type="text/html", content_disposition='attachment; filename="../x"')

    assert refusal(named) is None
