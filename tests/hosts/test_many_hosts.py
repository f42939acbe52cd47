"""FocusWeb on several hosts: what is lost, doubled or impolite when one of them fails."""

import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.crashes.site import breaches
from tests.hosts import sites
from tests.hosts.conftest import DELAY_S, N_PAGES, N_SITES
from tests.hosts.installation import Host, Hosts, wait_for

pytestmark = pytest.mark.hosts
#: Leases last 100 s, and what is to be fetched again waits for its turn.
LEASE_S = 100


@dataclass(frozen=True)
class WrongClock:
    """Lets the clock of a machine be wrong by the seconds that stand in a file."""

    library: Path
    file: Path

    def set(self, seconds: int) -> dict[str, str]:
        """Set the error. Return the environment of a machine that has this clock."""
        self.file.write_text(str(seconds))
        return {"LD_PRELOAD": str(self.library), "WRONG_CLOCK": str(self.file)}


@pytest.fixture
def clock(tmp_path: Path) -> WrongClock:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler (on Debian: apt-get install gcc libc6-dev)")
    source, library = Path(__file__).with_name("wrong_clock.c"), tmp_path / "wrong_clock.so"
    words = [compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(words, check=True)
    return WrongClock(library, tmp_path / "seconds")


def wait_for_pages(hosts: Hosts, topic: str, n: int) -> None:
    wait_for(lambda: hosts.n_fetched(topic) >= n, 120, hosts.logs)


def doubled(hosts: Hosts, topic: str) -> int:
    """Requests for a page beyond the first."""
    asked = Counter(
        row["host"] + row["path"] for row in hosts.requests(topic) if "/p/" in row["path"]
    )
    return sum(n - 1 for n in asked.values())


def assert_whole(hosts: Hosts, web: Host, topic: str) -> None:
    """Every page is stored once, politeness was kept, and all invariants hold."""
    wanted = {sites.url(topic, number, N_SITES) for number in range(N_PAGES)}
    assert hosts.pages(topic) == dict.fromkeys(wanted, 1)
    assert breaches(hosts.site_log, DELAY_S) == []
    assert hosts.rows("SELECT 1 FROM crawler_frontierentry WHERE state = 'leased'") == []
    # The index follows within seconds.
    wait_for(lambda: not hosts.rows("SELECT 1 FROM crawler_indexoutbox"), 60, web.log)
    words = ("--server-log", str(hosts.site_log), "--delay", str(DELAY_S))
    checked = web.manage("check_invariants", *words)
    assert (checked.returncode, checked.stdout) == (0, ""), checked.stderr


def test_two_machines_share_a_crawl(hosts: Hosts, web: Host, crawlers: list[Host]) -> None:
    hosts.start_crawl(web, "shared")
    hosts.wait_for_end("shared")

    assert_whole(hosts, web, "shared")
    assert doubled(hosts, "shared") == 0
    assert set(hosts.workers_of("shared")) == {"crawl1", "crawl2"}


def test_a_machine_that_was_killed_goes_on_when_it_is_back(
    hosts: Hosts, web: Host, crawlers: list[Host]
) -> None:
    hosts.start_crawl(web, "killed")
    wait_for_pages(hosts, "killed", N_PAGES // 4)

    wait_for(lambda: hosts.holds("crawl2"), 60, hosts.logs)
    crawlers[1].kill()
    crawlers[1].start("crawl")
    hosts.wait_for_end("killed")

    assert_whole(hosts, web, "killed")


def test_what_a_machine_that_is_cut_off_had_in_hand_is_fetched_by_another(
    hosts: Hosts, web: Host, crawlers: list[Host]
) -> None:
    hosts.start_crawl(web, "cut")
    wait_for_pages(hosts, "cut", N_PAGES // 4)

    wait_for(lambda: hosts.holds("crawl2"), 60, hosts.logs)
    hosts.network.cut("crawl2")
    # Only when its leases have ended.
    hosts.wait_for_end("cut", LEASE_S + 120)
    hosts.network.join("crawl2")

    assert_whole(hosts, web, "cut")
    hosts.start_crawl(web, "back")
    hosts.wait_for_end("back")
    assert_whole(hosts, web, "back")
    assert "crawl2" in hosts.workers_of("back"), crawlers[1].log()


def test_the_pages_go_on_after_their_machine_was_killed_and_a_restart_of_the_database(
    hosts: Hosts, web: Host, crawlers: list[Host]
) -> None:
    hosts.start_crawl(web, "restarted")
    wait_for_pages(hosts, "restarted", N_PAGES // 4)

    web.kill()
    hosts.tell_database("stop")
    hosts.tell_database("start")
    web.forget_log()
    web.start("web", "index").wait_until_ready()
    hosts.wait_for_end("restarted")

    assert_whole(hosts, web, "restarted")
    assert all(host.is_up() for host in crawlers)


def test_a_clock_that_is_wrong_by_two_minutes_does_no_harm(
    hosts: Hosts, web: Host, crawlers: list[Host], clock: WrongClock
) -> None:
    crawlers[1].stop()
    crawlers[1].forget_log()
    crawlers[1].start("crawl", **clock.set(120)).wait_until_ready()

    hosts.start_crawl(web, "skewed")
    hosts.wait_for_end("skewed")
    crawlers[1].stop()

    assert_whole(hosts, web, "skewed")
    assert doubled(hosts, "skewed") == 0
    assert "crawl2" in hosts.workers_of("skewed"), crawlers[1].log()


@pytest.mark.parametrize(
    ("seconds", "sentence"), [(3600, "60 minutes ahead"), (-3600, "60 minutes behind")]
)
def test_a_machine_whose_clock_jumps_by_an_hour_ends_and_may_come_back(
    hosts: Hosts, web: Host, crawlers: list[Host], clock: WrongClock, seconds: int, sentence: str
) -> None:
    topic = f"jump{len(sentence)}"
    crawlers[1].stop()
    crawlers[1].forget_log()
    environment = clock.set(0)
    crawlers[1].start("crawl", **environment).wait_until_ready()
    hosts.start_crawl(web, topic)
    wait_for_pages(hosts, topic, N_PAGES // 4)

    clock.set(seconds)
    assert crawlers[1].end() == 1
    crawlers[1].start("crawl", **environment)
    assert crawlers[1].end() == 1
    clock.set(0)
    crawlers[1].start("crawl", **environment)
    hosts.wait_for_end(topic, LEASE_S + 120)
    crawlers[1].stop()

    assert crawlers[1].log().count(sentence) == 2
    assert_whole(hosts, web, topic)
