"""One spelling for every URL."""

import pytest

from crawler.errors import FetchError
from crawler.page.url import (
    canonical_url,
    domain_of,
    host_of,
    normalise_link,
    port_of,
    shown_url,
    site_of,
)
from crawler.reasons import Reason


@pytest.mark.parametrize(
    ("text", "base", "expected"),
    [
        ("HTTP://Example.ORG", None, "http://example.org/"),
        ("http://example.org:80/", None, "http://example.org/"),
        ("https://example.org:443/a", None, "https://example.org/a"),
        ("http://example.org:443/", None, "http://example.org:443/"),
        ("http://example.org/#part", None, "http://example.org/"),
        ("http://example.org/a?b#c?d", None, "http://example.org/a?b"),
        ("http://example.org?", None, "http://example.org/?"),
        (" \n http://example.org/a b \t", None, "http://example.org/a%20b"),
        ("http://exa\nmple.org/", None, "http://example.org/"),
        (
            "http://例子.中国/路?问=答",
            None,
            "http://xn--fsqu00a.xn--fiqs8s/%E8%B7%AF?%E9%97%AE=%E7%AD%94",
        ),
        ("http://BÜCHER.example/", None, "http://xn--bcher-kva.example/"),
        ("http://2130706433/", None, "http://127.0.0.1/"),
        ("http://[0:0::1]:8080/", None, "http://[::1]:8080/"),
        ("http://example.org/a/./b/../c//d", None, "http://example.org/a/c//d"),
        ("http://example.org/%7e%E4", None, "http://example.org/%7e%E4"),
        ("../c?d", "http://example.org/a/b/", "http://example.org/a/c?d"),
        ("", "http://example.org/a?b#c", "http://example.org/a?b"),
        ("#top", "http://example.org/a?b", "http://example.org/a?b"),
        ("?x", "http://example.org/a?b", "http://example.org/a?x"),
        ("//other.example", "https://example.org/", "https://other.example/"),
        ("\\\\other.example\\a", "https://example.org/", "https://other.example/a"),
        ("http:a", "http://example.org/b/", "http://example.org/b/a"),
    ],
)
def test_every_spelling_has_one_canonical_form(text: str, base: str | None, expected: str) -> None:
    assert canonical_url(text, base) == expected
    assert canonical_url(expected) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Reason.URL_INVALID),
        ("/a", Reason.URL_INVALID),
        ("example.org", Reason.URL_INVALID),
        ("http://", Reason.URL_INVALID),
        ("http://[::1", Reason.URL_INVALID),
        ("http://a b/", Reason.URL_INVALID),
        ("http://a%00b/", Reason.URL_INVALID),
        ("http://1.2.3.256/", Reason.URL_INVALID),
        ("http://a\ud800b.example/", Reason.URL_INVALID),
        ("http://example.org:99999/", Reason.URL_INVALID),
        ("http://me@example.org/", Reason.URL_INVALID),
        ("http://:secret@example.org/", Reason.URL_INVALID),
        ("ftp://example.org/", Reason.URL_INVALID),
        ("file:///etc/passwd", Reason.URL_INVALID),
        ("javascript:alert(1)", Reason.URL_INVALID),
        ("data:text/html,x", Reason.URL_INVALID),
        ("blob:http://example.org/x", Reason.URL_INVALID),
        ("ws://example.org/", Reason.URL_INVALID),
        ("http://./", Reason.URL_INVALID),
        ("http://...:8000/", Reason.URL_INVALID),
        ("http://" + "a." * 125 + "co.uk/", Reason.NAME_UNKNOWN),
        ("http://" + "a" * 2000 + "/", Reason.NAME_UNKNOWN),
        ("http://example.org/" + "x" * 2030, Reason.URL_TOO_LONG),
        ("http://example.org/" + "中" * 300, Reason.URL_TOO_LONG),
        ("data:," + "x" * 10_000_000, Reason.URL_TOO_LONG),
        ("http://example.org:22/", Reason.PORT_FORBIDDEN),
        ("http://example.org:0/", Reason.PORT_FORBIDDEN),
        ("http://example.org:7999/", Reason.PORT_FORBIDDEN),
        ("http://example.org:9000/", Reason.PORT_FORBIDDEN),
    ],
)
def test_what_cannot_be_fetched_is_refused_with_its_reason(text: str, reason: Reason) -> None:
    with pytest.raises(FetchError) as caught:
        canonical_url(text)

    assert caught.value.reason is reason
    assert "secret" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_longest_url_has_2048_characters() -> None:
    url = "http://example.org/".ljust(2048, "x")

    assert canonical_url(url) == url


def test_the_longest_host_has_253_characters() -> None:
    url = f"http://{'a.' * 124}co.uk/"

    assert canonical_url(url) == url
    assert len(host_of(url)) == 253


def test_an_operator_may_name_any_port() -> None:
    assert canonical_url("http://a.example:9999/", any_port=True) == "http://a.example:9999/"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.example/", "http://a.example/"),
        ("http://a.example/?", "http://a.example/?"),
        ("http://a.example/?b=c&d", "http://a.example/?b=c&d"),
        ("http://a.example/?utm_source=x&b=c&UTM_Medium=y", "http://a.example/?b=c"),
        ("http://a.example/?utm_source=x", "http://a.example/"),
        ("http://a.example/?b&fbclid=1&gclid=2&spm=a.b&scm=3", "http://a.example/?b"),
        ("http://a.example/?b=utm_source", "http://a.example/?b=utm_source"),
        ("http://a.example/?spmx=1", "http://a.example/?spmx=1"),
        ("http://a.example/;jsessionid=AB12?b=c", "http://a.example/?b=c"),
        ("http://a.example/x;v=1/y;jsessionid=AB", "http://a.example/x;v=1/y"),
        ("http://a.example/?x=1;sid=2&b=c", "http://a.example/?x=1&b=c"),
        ("http://;sid=x/a.example/b", "http://;sid=x/a.example/b"),
        ("http://a;sid=x.example/", "http://a;sid=x.example/"),
        ("http://a.example/?PHPSESSID=abc&b=c", "http://a.example/?b=c"),
        ("http://a.example/?sid=" + "0f" * 16, "http://a.example/"),
        ("http://a.example/?sid=12", "http://a.example/?sid=12"),
        ("http://a.example/?b=c&&d", "http://a.example/?b=c&&d"),
    ],
)
def test_click_tracking_and_sessions_are_dropped_and_nothing_else(url: str, expected: str) -> None:
    assert normalise_link(url) == expected


@pytest.mark.parametrize(
    ("url", "host", "port", "site", "domain"),
    [
        ("http://www.a.co.uk/x", "www.a.co.uk", 80, "www.a.co.uk", "a.co.uk"),
        ("https://www.a.com.cn:8443/", "www.a.com.cn", 8443, "www.a.com.cn:8443", "a.com.cn"),
        ("https://a.example.:8000/", "a.example", 8000, "a.example:8000", "a.example"),
        ("http://b.a.github.io/", "b.a.github.io", 80, "b.a.github.io", "a.github.io"),
        ("http://co.uk/", "co.uk", 80, "co.uk", "co.uk"),
        ("http://deep.garden.test/", "deep.garden.test", 80, "deep.garden.test", "garden.test"),
        ("http://a.demo.test/", "a.demo.test", 80, "a.demo.test", "a.demo.test"),
        ("http://localhost:8000/", "localhost", 8000, "localhost:8000", "localhost"),
        ("http://127.0.0.1:8000/", "127.0.0.1", 8000, "127.0.0.1:8000", "127.0.0.1"),
        ("https://[2001:db8::1]/a:b@c", "[2001:db8::1]", 443, "[2001:db8::1]", "[2001:db8::1]"),
        ("http://[::1]:8000/", "[::1]", 8000, "[::1]:8000", "[::1]"),
        (
            "http://www.xn--fsqu00a.xn--fiqs8s/",
            "www.xn--fsqu00a.xn--fiqs8s",
            80,
            "www.xn--fsqu00a.xn--fiqs8s",
            "xn--fsqu00a.xn--fiqs8s",
        ),
    ],
)
def test_a_url_names_its_host_port_site_and_domain(
    url: str, host: str, port: int, site: str, domain: str
) -> None:
    assert (host_of(url), port_of(url)) == (host, port)
    assert (site_of(url), domain_of(url)) == (site, domain)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://a.example/b?c=d", "http://a.example/b?c=d"),
        ("http://me:pw@a.example/?c=d", "http://a.example/?c=d"),
        ("http://a.example/?c=d&access_token=e&f=g", "http://a.example/?c=d&access_token=***&f=g"),
        ("http://a.example/?API-Key=e#f", "http://a.example/?API-Key=***#f"),
        ("http://[::1?password=e", "http://[::1?password=***"),
        ("http://me:p@w@a.example/", "http://a.example/"),
        ("http:\\\\me:pw@a.example/", "http:\\\\a.example/"),
        (f"http://{'me' * 1000}:pw@a.example/", "http://a.example/"),
        ("http://a.example/?c=d;key=e;f?g&h=i", "http://a.example/?c=d;key=***&h=i"),
        ("http://a.example/#access_token=e", "http://a.example/#access_token=***"),
        ("http://a.example/?key&c=d", "http://a.example/?key&c=d"),
        ("http://a.example/" + "x" * 300, ("http://a.example/" + "x" * 300)[:200]),
    ],
)
def test_n7_secrets_are_not_shown(text: str, shown: str) -> None:
    assert shown_url(text) == shown
