"""Two hosts over one PostgreSQL: each with its own name, process numbers and data folder."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import databases
from tests.crashes.installation import DELAY_S, SLUG, Installation
from tests.crashes.site import Web, breaches

pytestmark = [
    databases.postgres_only,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a process another host name"),
]
N_PAGES = 96
#: A process in a name space of its own, where this machine is called otherwise.
ELSEWHERE = ("unshare", "--uts", "sh", "-c", 'hostname elsewhere; exec "$@"', "sh")


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with Web(N_PAGES, 6, tmp_path / "server.log") as web:
        yield web


@pytest.fixture
def here(tmp_path: Path, web: Web) -> Iterator[Installation]:
    with Installation(tmp_path / "here", web) as host:
        yield host


@pytest.fixture
def elsewhere(tmp_path: Path, web: Web, here: Installation) -> Iterator[Installation]:
    """A host with a folder of its own that uses the same database."""
    same = databases.environment(here.folder)
    with Installation(tmp_path / "elsewhere", web, started_by=ELSEWHERE, **same) as host:
        yield host


def machines(here: Installation) -> set[str]:
    """The hosts that took assignments."""
    rows = here.rows("SELECT DISTINCT taken_by FROM crawler_assignment WHERE taken_by <> ''")
    return {str(owner).partition("/")[0] for (owner,) in rows}


def crawl_on_both(here: Installation, elsewhere: Installation, kill_at: str = "") -> None:
    here.start("crawl", SLUG)
    while not here.rows("SELECT 1 FROM crawler_run WHERE begun"):
        time.sleep(0.05)
    elsewhere.start("crawl", SLUG, kill_at=kill_at)


def assert_whole(here: Installation, web: Web) -> None:
    """Every page is there once, and the server saw no breach of politeness."""
    assert here.pages() == {web.url(number) for number in range(N_PAGES)}
    assert here.rows("SELECT state FROM crawler_frontierentry WHERE state = 'leased'") == []
    assert breaches(web.log, DELAY_S) == []


def test_two_hosts_share_a_crawl_and_stay_polite(
    here: Installation, elsewhere: Installation, web: Web
) -> None:
    crawl_on_both(here, elsewhere)

    assert (here.end(), elsewhere.end()) == (0, 0), here.log() + elsewhere.log()

    assert_whole(here, web)
    assert here.rows("SELECT url_id FROM crawler_page WHERE n_fetches > 1") == []
    assert machines(here) == {os.uname().nodename, "elsewhere"}


def test_what_a_killed_host_had_in_hand_is_fetched_by_the_other_once_its_lease_has_ended(
    here: Installation, elsewhere: Installation, web: Web
) -> None:
    crawl_on_both(here, elsewhere, kill_at="page.committed:2")
    assert elsewhere.end() == -9, elsewhere.log()
    theirs = "taken_by LIKE 'elsewhere/%'"
    held = f"SELECT count(*) FROM crawler_assignment WHERE closed IS NULL AND {theirs}"
    assert here.rows(held) == [(1,)]

    # The other host cannot know of the death before the time of the lease is over.
    here.change(f"UPDATE crawler_assignment SET leased_until = '1970-01-01' WHERE {theirs}")

    assert here.end() == 0, here.log()
    assert_whole(here, web)
    assert "elsewhere" in machines(here)
