"""Answers that try to leave something behind, or to unsay a page: rows N11, H10 and H12."""

from datetime import timedelta

import pytest

from crawler.errors import FetchError
from crawler.models import FrontierEntry, Page, Url
from crawler.page.url import canonical_url
from crawler.reasons import Reason
from focusweb.clock import utc_now
from focusweb.demo.loopback_server import Request, Response
from tests.crawler.hostile_web import (
    MISSING,
    TEXT,
    HostileWeb,
    crawl,
    ends,
    links,
    page,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("http://раураl.test/", "http://xn--l-7sba6dbr.test/"),
        ("http://аpple.test/", "http://xn--pple-43d.test/"),
        ("http://电网.test/", "http://xn--wnyq9s.test/"),
        ("http://ＡＢＣ.test/", "http://abc.test/"),
        ("http://faß.test/", "http://xn--fa-hia.test/"),
        ("http://a\u00adb.test/", "http://ab.test/"),
        ("http://XN--wnYQ9S.test/", "http://xn--wnyq9s.test/"),
    ],
)
def test_n11_a_host_of_any_script_is_stored_and_shown_in_ascii(written: str, stored: str) -> None:
    url = canonical_url(written)

    assert url == stored
    assert url.isascii()


@pytest.mark.parametrize(
    "written",
    [
        "http://a\u202eb.test/",
        "http://\u2067a.test/",
        "http://a\u0000b.test/",
        "http://a b.test/",
        "http://" + "a" * 64 + "\u00e9" * 60 + ".test:99999/",
    ],
)
def test_n11_garbage_and_reversed_hosts_are_refused(written: str) -> None:
    with pytest.raises(FetchError) as caught:
        canonical_url(written)

    assert caught.value.reason is Reason.URL_INVALID


@pytest.mark.parametrize("label", ["xn--", "xn--a", "xn--zz-9999", "xn--\u00e9", "-xn--a-"])
def test_n11_broken_punycode_is_refused_or_left_as_it_stands(label: str) -> None:
    try:
        url = canonical_url(f"http://{label}.test/")
    except FetchError as error:
        assert error.reason is Reason.URL_INVALID
    else:
        assert url == f"http://{label}.test/"


def test_n11_a_link_to_a_mixed_script_host_shows_itself(web: HostileWeb) -> None:
    web.serve("a.test", {"/": page("Solar", TEXT + links("http://аpple.test/"))})

    crawl("http://a.test/")

    assert Url.objects.filter(url="http://xn--pple-43d.test/").exists()
    assert all(url.isascii() for url in Url.objects.values_list("url", flat=True))


@pytest.mark.parametrize(
    "cookie",
    [
        "id=1",
        "id=1; Domain=.test; Path=/",
        "id=" + "x" * 60_000,
        "id=1; Domain=b.test",
        "\x01=;;;=",
    ],
    ids=["plain", "for all hosts", "60 KB", "for another host", "garbage"],
)
def test_h10_no_cookie_ever_comes_back(web: HostileWeb, cookie: str) -> None:
    pages = {"/": page("Solar", TEXT + links("/b", "http://b.test/"), Set_Cookie=cookie)}
    web.serve("a.test", pages | {"/b": page("Solar b", TEXT * 2)})
    web.serve("b.test", {"/": page("Solar c", TEXT * 3)})

    crawl("http://a.test/")

    assert web.requested("a.test")[:1] == ["/"]
    assert len(web.headers) >= 4
    assert not [headers for headers in web.headers if "cookie" in headers]


def test_h10_a_session_in_links_does_not_multiply_pages(web: HostileWeb) -> None:
    """A site that puts a new session id into every link, as it got no cookie back."""
    counter = iter(range(10_000))

    def answer(request: Request) -> Response:
        if request.target == "/robots.txt":
            return MISSING
        number = next(counter)
        targets = [f"/{name}?PHPSESSID={number:032x}" for name in "abc"]
        path = request.target.partition("?")[0]
        return page(f"Solar {path}", f"{TEXT}{path * 40}{links(*targets)}")

    web.sites["a.test"] = answer

    run = crawl("http://a.test/")

    assert run.fetched == 4
    assert sorted(ends()) == [f"http://a.test/{name}" for name in ("", "a", "b", "c")]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"ETag": '"1"'},
        {"ETag": 'W/"\x80broken'},
        {"Last-Modified": "Fri, 31 Dec 9999 23:59:59 GMT"},
    ],
    ids=["plain", "with a tag", "with a broken tag", "from the future"],
)
def test_h12_a_304_nobody_asked_for_loses_no_page(web: HostileWeb, headers: dict[str, str]) -> None:
    web.serve("a.test", {"/": page("Solar", TEXT * 2)})
    crawl("http://a.test/")
    FrontierEntry.objects.update(ended=utc_now() - timedelta(days=1))
    web.serve("a.test", {"/": Response(304, headers=headers)})

    run = crawl("http://a.test/")

    assert run.reasons == {Reason.BAD_RESPONSE: 1}
    assert "304" in FrontierEntry.objects.get().detail
    assert TEXT.strip() in Page.objects.get().text


def test_h12_a_304_for_a_page_we_never_had_is_an_end_with_a_reason(web: HostileWeb) -> None:
    web.serve("a.test", {"/": Response(304)})

    crawl("http://a.test/")

    assert ends() == {"http://a.test/": Reason.BAD_RESPONSE}
    assert not Page.objects.exists()


@pytest.mark.parametrize(
    "headers",
    [
        {"ETag": '"' + "x" * 5000 + '"'},
        {"ETag": "no quotes"},
        {"ETag": ""},
        {"Last-Modified": "yesterday"},
        {"Last-Modified": "Fri, 31 Dec 9999 23:59:59 GMT"},
    ],
    ids=["long", "no quotes", "empty", "no date", "far future"],
)
def test_h12_strange_validators_do_no_harm(web: HostileWeb, headers: dict[str, str]) -> None:
    body = f"<title>Solar</title><p>{TEXT * 2}</p>".encode()
    web.serve("a.test", {"/": Response(200, body, headers=headers)})

    crawl("http://a.test/")

    stored = Page.objects.get()
    assert len(stored.etag) <= 200
    assert len(stored.last_modified) <= 60
