"""robots.txt: RFC 9309, and H14."""

import random
import time
from pathlib import Path

import pytest
from protego import Protego

from crawler.fetch.config import KIB
from crawler.fetch.door import Door
from crawler.fetch.robots import (
    CACHE_S,
    MAX_STORED_BYTES,
    UNREACHABLE_S,
    RobotsRules,
    RulesCache,
    fetch_robots,
    pack_rules,
    parse_robots,
)
from crawler.page.url import canonical_url
from crawler.reasons import Reason
from tests.crawler.fetch.bad_server import BadServer
from tests.crawler.fetch.robots_verdicts import compare, lines, paths_of

SITE = "http://garden.test"


def allowed(file: str, path: str) -> bool:
    return parse_robots(file.encode()).allows(SITE + path)


@pytest.mark.parametrize(
    ("file", "path", "expected"),
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("User-agent: *\nDisallow: /", "/robots.txt.bak", False),
        ("user-AGENT: *\r\nDISALLOW:/a", "/a/b", False),
        ("User-agent: *\rDisallow: /a", "/a", False),
        ("User-agent: *\nDisallow: /a", "/A", True),
        ("User-agent: *\nDisallow: a", "/a", True),
        ("User-agent: FocusWeb\nDisallow: /a", "/a", False),
        ("User-agent: focusWEB/2.0 (x)\nDisallow: /a", "/a", False),
        ("User-agent: FocusWebBot\nDisallow: /a", "/a", True),
        ("User-agent: Focus\nDisallow: /a", "/a", True),
        ("User-agent: FocusWeb\nAllow: /a\nUser-agent: *\nDisallow: /", "/b", True),
        ("User-agent: *\nDisallow: /\nUser-agent: FocusWeb\nDisallow:", "/b", True),
        (
            "User-agent: FocusWeb\nDisallow: /a\nUser-agent: x\nUser-agent: FocusWeb\nDisallow: /b",
            "/b",
            False,
        ),
        ("User-agent: x\nUser-agent: *\nDisallow: /a", "/a", False),
        ("Disallow: /a\nUser-agent: *", "/a", True),
        ("User-agent: *\nCrawl-delay: 1\nUser-agent: x\nDisallow: /a", "/a", False),
        ("User-agent: x\nSitemap: /s\nUser-agent: *\nDisallow: /a", "/a", False),
        ("User-agent: *\nHost: x\n\n\nUnknown: y\nDisallow: /a", "/a", False),
        ("User-agent: *\nDisallow: /a # why\n#Allow: /a", "/a", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: *\nDisallow: /*.php$", "/x.php", False),
        ("User-agent: *\nDisallow: /*.php$", "/x.php?a", True),
        ("User-agent: *\nDisallow: /a*b*c", "/aXbXc", False),
        ("User-agent: *\nDisallow: /a*b*c", "/acb", True),
        ("User-agent: *\nDisallow: /?", "/?a=b", False),
        ("User-agent: *\nDisallow: /*?s=", "/a?s=1", False),
        ("User-agent: *\nDisallow: /中", "/%E4%B8%AD文", False),
        ("User-agent: *\nDisallow: /%e4%b8%ad", "/%E4%B8%AD", False),
        ("User-agent: *\nAllow: /index.html\nDisallow: /", "/", False),
        ("User-agent: *\nAllow: /index.html\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a$", "/a$", False),
        ("User-agent: *\nDisallow: /a$b", "/a$b", False),
        ("User-agent: *\nDisallow: /%7Ejoe/%61", "/~joe/a", False),
        ("User-agent: *\nDisallow: /~joe", "/%7ejoe", False),
        ("User-agent: *\nDisallow: /a%2fb", "/a%2Fb", False),
        ("User-agent: *\nDisallow: /a%2Fb", "/a/b", True),
        ("User-agent: *\nDisallow: /my files/", "/my%20files/x", False),
        ("User-agent: *\nDisallow: /**a**$", "/xa", False),
        ("User-agent: *\nDisallow: /a*a$", "/a", True),
        ("User-agent: *\nDisallow: $", "/a", True),
        ("User-agent: *\nDisallow: *", "/a", False),
        ("User-agent: *\nDisallow /a", "/a", False),
        ("\ufeffUser-agent: *\nDisallow: /a", "/a", False),
        ("User-agent: *\nDis\0allow: /a", "/a", False),
        ("<html><body>User-agent: *<br>Disallow: /", "/a", True),
        ("User-agent: *\nDisallow: /" + "x" * 5000, "/x", True),
    ],
)
def test_rules_are_read_as_the_rfc_says(file: str, path: str, expected: bool) -> None:
    assert allowed(file, path) is expected


def test_verdicts_agree_with_another_reader_on_ordinary_rules() -> None:
    rng = random.Random(9309)

    def path(alphabet: str) -> str:
        return "/" + "".join(rng.choice(alphabet) for _ in range(rng.randrange(6)))

    for _ in range(2000):
        rows = [f"{rng.choice(['Allow', 'Disallow'])}: {path('ab/*')}" for _ in range(4)]
        file = "\n".join(["User-agent: *", *rows])
        target = path("ab/")

        expected = Protego.parse(file).can_fetch(SITE + target, "FocusWeb")

        assert allowed(file, target) is expected, (file, target)


def odd_file(rng: random.Random) -> bytes:
    """A robots file as people write them: several groups, odd paths, lines that mean nothing."""
    agents = ("*", "* ", "FocusWeb", "focusweb/2.0", "FocusWebBot", "bingbot", "Googlebot x", "")
    parts = ("a", "b", "*", "$", "%61", "%2F", "%2f", "?", "=", "/", "/", "~", "é", ".html", " ")
    others = ("", "# no", "Crawl-delay: 5", "Sitemap: http://a.test/s.xml", "Host: x", "\0", "x:y")
    lines = []
    for _ in range(rng.randrange(1, 12)):
        path = "/" + "".join(rng.choices(parts, k=rng.randrange(6)))
        lines += [
            rng.choice(others),
            f"{rng.choice(('User-agent', 'USER-AGENT '))}: {rng.choice(agents)}",
            *(f"{rng.choice(('Allow', 'Disallow'))}:{path} # {rng.random()}" for _ in range(2)),
            rng.choice(others),
        ]
        rng.shuffle(lines[-5:])
    return rng.choice(("\n", "\r\n", "\r")).join(lines).encode(rng.choice(("utf-8", "latin-1")))


def test_verdicts_agree_with_a_second_reading_of_the_rfc() -> None:
    rng = random.Random(2309)
    n_all = n_forbidden = 0
    for _ in range(90):
        body = odd_file(rng)
        n_verdicts, differences = compare(body)
        n_all += n_verdicts
        n_forbidden += sum(not parse_robots(body).allows(SITE + path) for path in paths_of(body))
        assert differences == [], body

    assert n_all > 3_000
    assert n_forbidden > 100


def test_the_count_over_a_folder_names_each_difference(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("User-agent: *\nDisallow: /a")
    (tmp_path / "typo.txt").write_text("User agent: *\nDisallow: /a")

    printed = list(lines(tmp_path))

    assert "too strict: typo.txt FocusWeb /a" in printed
    assert printed[-1].startswith("2 files, ")
    assert " 0 too permissive, " in printed[-1]


def test_paths_in_another_encoding_are_compared_byte_by_byte() -> None:
    rules = parse_robots("User-agent: *\nDisallow: /中".encode("gbk"))

    assert "/%D6%D0" in rules.text
    assert rules.text.isascii()


def test_delay_and_sitemaps_are_read_beside_the_rules() -> None:
    rules = parse_robots(
        b"Sitemap: http://garden.test/a.xml\nUser-agent: *\nCrawl-delay: 9\nDisallow: /a\n"
        b"User-agent: FocusWeb\nCrawl-delay: 2.5\nSitemap: /b.xml\nsitemap: ftp://x/\n",
        base="http://garden.test/robots.txt",
    )

    assert rules.crawl_delay_s == 2.5
    assert rules.sitemaps == ("http://garden.test/a.xml", "http://garden.test/b.xml")


@pytest.mark.parametrize("delay", ["-1", "inf", "nan", "soon", "", "1e999", "9" * 5000])
def test_a_delay_that_is_no_number_is_none(delay: str) -> None:
    assert parse_robots(f"User-agent: *\nCrawl-delay: {delay}".encode()).crawl_delay_s is None


def test_rules_with_a_verdict_ask_no_text() -> None:
    assert RobotsRules(verdict="allow_all").allows(SITE + "/a")
    assert not RobotsRules(verdict="forbid_all").allows(SITE + "/a")
    assert RobotsRules(verdict="forbid_all").allows(SITE + "/robots.txt")


@pytest.mark.parametrize(
    ("status", "verdict", "expires_in_s"),
    [
        ("400 Bad Request", "allow_all", CACHE_S),
        ("401 Unauthorized", "allow_all", CACHE_S),
        ("403 Forbidden", "allow_all", CACHE_S),
        ("404 Not Found", "allow_all", CACHE_S),
        ("410 Gone", "allow_all", CACHE_S),
        ("429 Too Many Requests", "forbid_all", UNREACHABLE_S),
        ("500 Oops", "forbid_all", UNREACHABLE_S),
        ("503 Busy", "forbid_all", UNREACHABLE_S),
        ("204 No Content", "rules", CACHE_S),
        ("300 Multiple Choices", "forbid_all", UNREACHABLE_S),
    ],
)
def test_h14_the_status_decides_when_there_is_no_file(
    door: Door, server: BadServer, status: str, verdict: str, expires_in_s: float
) -> None:
    server.page("/robots.txt", status=status)

    rules = fetch_robots(door, SITE + "/deep/page?x=y")

    assert (rules.verdict, rules.expires_in_s) == (verdict, expires_in_s)
    assert rules.allows(SITE + "/a") is (verdict != "forbid_all")


def test_h14_a_busy_site_rests_as_long_as_it_asks(door: Door, server: BadServer) -> None:
    server.page("/robots.txt", status="503 Busy", retry_after="7200")

    assert fetch_robots(door, SITE).expires_in_s == 7200


def test_h14_no_answer_forbids_for_a_while(door: Door, server: BadServer) -> None:
    server.raw("/robots.txt")

    rules = fetch_robots(door, SITE)

    assert (rules.verdict, rules.expires_in_s) == ("forbid_all", UNREACHABLE_S)
    assert rules.cause is Reason.INCOMPLETE
    assert rules.detail


def test_h14_a_silent_server_forbids_for_a_while(door: Door, server: BadServer) -> None:
    server.repeat("/robots.txt", b"", b"", times=1, pause_s=3)

    assert fetch_robots(door, SITE).verdict == "forbid_all"


def test_h14_five_redirects_are_followed_and_six_mean_no_file(
    door: Door, server: BadServer
) -> None:
    for number in range(7):
        server.page(f"/{number}", status="301 Moved", location=f"/{number + 1}")
    server.page("/7", b"User-agent: *\nDisallow: /a")

    server.page("/robots.txt", status="302 Found", location="/3")
    assert not fetch_robots(door, SITE).allows(SITE + "/a")
    server.page("/robots.txt", status="302 Found", location="/2")
    assert fetch_robots(door, SITE).verdict == "allow_all"


def test_h14_a_redirect_to_this_machine_forbids(door: Door, server: BadServer) -> None:
    server.page("/robots.txt", status="302 Found", location="http://127.0.0.1/robots.txt")

    rules = fetch_robots(door, SITE)

    assert rules.verdict == "forbid_all"
    assert "loopback" in rules.detail


def test_h14_the_first_500_kib_of_a_huge_file_are_obeyed(door: Door, server: BadServer) -> None:
    early = b"User-agent: *\nDisallow: /early\n"
    filler = b"# " + b"x" * 78 + b"\n"
    body = early + filler * (499 * KIB // len(filler)) + b"Disallow: /late\n"
    server.page("/robots.txt", body + filler * 130_000 + b"Disallow: /beyond\n")

    rules = fetch_robots(door, SITE)

    paths = ("/early", "/late", "/beyond")
    assert [rules.allows(SITE + path) for path in paths] == [False, False, True]


@pytest.mark.parametrize(
    "make",
    [
        lambda n: b"".join(b"User-agent: a%d\n" % i for i in range(n)) + b"Disallow: /x\n" * n,
        lambda n: b"User-agent: *\n" * n + b"Disallow: /x\n" * n,
        lambda n: b"User-agent: *\n" + b"".join(b"Disallow: /*%d*x$\n" % i for i in range(n)),
        lambda n: b"User-agent: *\nDisallow: /" + b"*a" * n + b"b\n",
        lambda n: b"#" * 16 * n,
        lambda n: b":" * 16 * n,
        lambda n: b" " * 16 * n + b"\n",
    ],
)
def test_h14_time_grows_with_the_file_not_with_its_square(make: object) -> None:
    assert callable(make)

    def seconds(n: int) -> float:
        body = make(n)
        started = time.process_time()
        parse_robots(body).allows(SITE + "/" + "a" * 2000)
        return time.process_time() - started

    seconds(2000)
    small, large = min(seconds(7000) for _ in range(3)), min(seconds(14_000) for _ in range(3))

    assert large < 3.5 * small + 0.02


def test_h14_rules_of_many_sites_take_bounded_memory() -> None:
    cache = RulesCache(2 * 1024 * KIB)
    for site in range(20):
        text = "\n".join(f"Disallow: /{site}/{number}" for number in range(10_000))
        assert not cache.rules_of(pack_rules(text)).allow(f"/{site}/9999")
        assert cache.n_bytes <= 2 * 1024 * KIB

    assert cache.n_bytes > KIB, "the last ones are kept"


@pytest.mark.parametrize("character", ["a", "电", "é", "\U0001f600", "\u2028"])
def test_h14_what_is_stored_is_bounded_in_bytes(character: str) -> None:
    body = "User-agent: *\n" + "".join(f"Disallow:/{n}{character * 9}\n" for n in range(90_000))
    rules = parse_robots(body.encode())

    assert len(rules.text.encode()) <= MAX_STORED_BYTES
    assert not rules.allows(canonical_url(f"{SITE}/0{character * 9}"))


def test_h14_chinese_paths_are_stored_as_they_are_and_escaped_when_matched() -> None:
    rules = parse_robots("User-agent: *\nDisallow: /电网/*图$".encode())

    assert rules.text == "User-agent: *\nDisallow: /电网/*图" + "$"
    assert not rules.allows(canonical_url(f"{SITE}/电网/a图"))
    assert rules.allows(canonical_url(f"{SITE}/电网/a"))
