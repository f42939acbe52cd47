import gzip
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer
from time import monotonic, sleep

import pytest

from crawler.errors import ConfigurationError, ParseError
from crawler.reasons import Reason
from crawler.sandbox.parse_pool import InProcessParser, ParseLimits, ParsePool
from tests.limits.hostile_pdfs import FILES

URL = "http://solar.test/"
PDF = "http://solar.test/a.pdf"
PAGE = b"<title>Sun</title><p>solar cells <a href='/next'>next</a>"
# Some seconds of work within every limit of the parser itself: many end tags,
# each compared with every open element.
#: Takes the parser several seconds of CPU time.
SLOW_PAGE = b"<p>a" * 2_450_000


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsePool]:
    # The limit of CPU time stays; a busy machine may take its time.
    with ParsePool(1, ParseLimits(wall_s=60)) as shared:
        yield shared


def test_pool_parses_as_this_process_would(pool: ParsePool) -> None:
    body = "<title>太陽</title><p>光伏电池 <a href='/a' rel=nofollow>更多</a>".encode("gbk")

    arguments = (body, URL, "text/html; charset=gbk", "noindex")
    assert pool.parse(*arguments) == InProcessParser().parse(*arguments)


@pytest.mark.parametrize(("body", "reason"), [(b"", Reason.EMPTY), (b"<!-- -->", Reason.NO_TEXT)])
def test_pool_hands_on_why_there_is_no_page(pool: ParsePool, body: bytes, reason: Reason) -> None:
    with pytest.raises(ParseError) as caught:
        pool.parse(body, URL)

    assert caught.value.reason is reason


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<p>start<p>" + b"a b " * 5_000_000, id="20 MB of text"),
        pytest.param("汉".encode() * 1_000_000, id="one Han character"),
        pytest.param(b"".join(b"<a href=/%d>x</a>" % n for n in range(600_000)), id="links"),
        pytest.param(b"<div>" * 50_000 + b"</p>" * 100_000 + b"x", id="quadratic end tags"),
        pytest.param("\u0301\u0316".encode() * 300_000 + b"x", id="combining marks"),
        pytest.param(b"x" + b"<p a='<' " * 100_000, id="attributes"),
    ],
)
def test_pool_survives_crafted_pages_within_the_limits(pool: ParsePool, body: bytes) -> None:
    """[rows P1, P2, P3, P11]"""
    page = pool.parse(body, URL)

    assert page.text or page.links


def test_a_page_over_its_time_costs_the_child_not_the_pool() -> None:
    with ParsePool(1, ParseLimits(wall_s=0.05)) as pool:
        pids = started(pool)
        with pytest.raises(ParseError) as caught:
            pool.parse(SLOW_PAGE, URL)

        assert caught.value.reason is Reason.PARSER_LIMIT
        assert not set(pids) & set(pool.child_pids())


def test_a_page_over_its_cpu_time_is_ended_by_the_kernel() -> None:
    with ParsePool(1, ParseLimits(cpu_s=1, wall_s=60)) as pool:
        with pytest.raises(ParseError, match="CPU") as caught:
            pool.parse(SLOW_PAGE, URL)

        assert caught.value.reason is Reason.PARSER_LIMIT
        assert pool.parse(PAGE, URL).title == "Sun"


def test_a_page_over_its_memory_is_refused() -> None:
    with ParsePool(1, ParseLimits(memory_bytes=300 * 1024 * 1024)) as pool:
        with pytest.raises(ParseError) as caught:
            pool.parse(b"<p>" + b"a b " * 12_000_000, URL)

        assert caught.value.reason in (Reason.PARSER_LIMIT, Reason.PARSER_CRASHED)
        assert pool.parse(PAGE, URL).title == "Sun"


def test_p12_a_child_that_dies_of_a_page_is_replaced() -> None:
    """[row P12]"""
    with ParsePool(1) as pool:
        started(pool)
        killer = Timer(0.2, os.kill, (pool.child_pids()[0], signal.SIGSEGV))
        killer.start()
        with pytest.raises(ParseError, match="SIGSEGV") as caught:
            pool.parse(SLOW_PAGE, URL)
        killer.join()

        assert caught.value.reason is Reason.PARSER_CRASHED
        assert pool.parse(PAGE, URL).title == "Sun"


def test_a_child_that_died_idle_costs_no_page() -> None:
    with ParsePool(1) as pool:
        started(pool)
        os.kill(pool.child_pids()[0], signal.SIGKILL)
        sleep(0.1)

        assert pool.parse(PAGE, URL).title == "Sun"


def test_threads_share_the_children() -> None:
    bodies = [b"<title>%d</title><p>text %d" % (n, n) for n in range(60)]

    with ParsePool(2) as pool, ThreadPoolExecutor(4) as threads:
        pages = list(threads.map(pool.parse, bodies, [URL] * 60))
        assert len(pool.child_pids()) == 2

    assert [page.title for page in pages] == [str(n) for n in range(60)]


def test_the_usual_children_leave_one_core_to_the_collector() -> None:
    n_cores = len(os.sched_getaffinity(0))

    with ParsePool() as pool, ThreadPoolExecutor(4 * n_cores) as threads:
        list(threads.map(pool.parse, [PAGE] * 60, [URL] * 60))
        n_children = len(pool.child_pids())

    assert 1 <= n_children <= max(1, n_cores - 1)


def test_children_are_replaced_after_their_share_of_pages() -> None:
    with ParsePool(1, ParseLimits(pages_per_child=2)) as pool:
        pids = {tuple(started(pool)) for _ in range(4)}

    assert len(pids) == 3  # After the second and the fourth page there is none.


def test_a_sitemap_of_30_mb_that_names_each_page_in_20_languages_is_read(pool: ParsePool) -> None:
    link = b"<x:link rel='alternate' hreflang='l%d' href='http://solar.test/l%d/page'/>"
    others = b"".join(link % (n, n) for n in range(20))
    entry = b"<url><loc>http://solar.test/%d</loc>" + others + b"</url>"
    start = b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:x='x'>"
    sitemap = start + b"".join(entry % n for n in range(20_000)) + b"</urlset>"

    page = pool.parse(gzip.compress(sitemap, 1), "http://solar.test/sitemap.xml.gz")

    assert len(page.links) == 2000


def test_a_page_of_many_links_is_read_after_files_that_left_little_memory() -> None:
    with ParsePool(1) as pool:
        for body, url in (
            (gzip.compress(bytes(200 << 20)), "http://solar.test/sitemap.xml.gz"),
            (FILES["a million arrays in each other"](), PDF),
        ):
            with pytest.raises(ParseError):
                pool.parse(body, url)

        page = pool.parse(FILES["200,000 links"](), PDF)

    assert [link.url for link in page.links] == ["http://a.test/x"]


def test_a_child_is_replaced_when_pages_have_left_a_quarter_of_its_memory_in_use() -> None:
    with ParsePool(1) as pool:
        first = started(pool)
        usual = started(pool)
        pool.parse(FILES["200,000 links"](), PDF)

        assert usual == first
        assert pool.child_pids() == []
        assert pool.parse(PAGE, URL).title == "Sun"


def test_idle_children_end_on_request_and_others_parse_the_next_page(pool: ParsePool) -> None:
    pool.parse(b"<p>heron", "http://a.test/")
    [first] = pool.child_pids()

    pool.end_idle_children()

    assert pool.child_pids() == []
    assert pool.parse(b"<p>heron", "http://a.test/").text == "heron"
    assert first not in pool.child_pids()


def test_close_ends_all_children() -> None:
    pool = ParsePool(1)
    pid = started(pool)[0]

    pool.close()

    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(RuntimeError, match="closed"):
        pool.parse(PAGE, URL)


def test_children_end_with_their_parent() -> None:
    program = (
        "import os, django\ndjango.setup()\n"
        "from crawler.sandbox.parse_pool import ParsePool\npool = ParsePool(1)\n"
        f"pool.parse({PAGE!r}, {URL!r})\nprint(*pool.child_pids(), flush=True)\nos._exit(0)"
    )
    parent = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    child = Path(f"/proc/{int(parent.stdout)}/cmdline")
    give_up_at = monotonic() + 5
    while is_running(child) and monotonic() < give_up_at:
        sleep(0.02)
    assert not is_running(child)


def test_a_child_opens_no_socket_and_starts_no_process() -> None:
    program = (
        "import sys, resource\nfrom crawler.sandbox.child import confine\n"
        "from crawler.sandbox.page_handler import FORBIDDEN\n"
        "confine(1 << 30, 64, FORBIDDEN)\nimport socket, subprocess\n"
        "for act in (socket.socket, lambda: socket.getaddrinfo('localhost', 80),"
        " lambda: subprocess.run(['true'])):\n"
        "    try:\n        act()\n    except PermissionError as error:\n        print(error)\n"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    lines = done.stdout.splitlines()
    assert [line.split(": ")[1].split()[0] for line in lines[:3]] == [
        "socket.__new__",
        "socket.getaddrinfo",
        "subprocess.Popen",
    ]
    assert lines[3] == "64"


def test_a_child_that_cannot_start_says_so() -> None:
    with (
        ParsePool(1, ParseLimits(start_s=0.01)) as pool,
        pytest.raises(ConfigurationError, match="did not start: no answer"),
    ):
        pool.parse(PAGE, URL)


def test_a_pool_without_children_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        ParsePool(0)


def started(pool: ParsePool) -> list[int]:
    """Parse a page, so that a child runs; return the pids."""
    pool.parse(PAGE, URL)
    return pool.child_pids()


def is_running(child: Path) -> bool:
    """False once the process is gone, or is a zombie."""
    return child.exists() and child.read_bytes() != b""
