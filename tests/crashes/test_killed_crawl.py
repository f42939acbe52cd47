"""A crawl that is killed again and again ends where an undisturbed one does."""

import random
import time
from functools import partial
from pathlib import Path

import pytest

from tests.crashes.installation import DELAY_S, SLUG, Installation
from tests.crashes.site import Web, breaches

#: In each hundred pages, so many deaths at random moments.
KILLS_PER_PAGES = 12


def crawl_with_kills(folder: Path, *, n_kills: int, seed: int) -> None:
    """Crawl a web with kills at random moments; every promise is checked at the end."""
    rng = random.Random(seed)
    n_pages = 100 * n_kills // KILLS_PER_PAGES
    with (
        Web(n_pages, 8, folder / "server.log") as web,
        Installation(folder / "data", web) as installation,
    ):
        n_killed = 0
        while n_killed < n_kills:
            # Counted in requests, so that a slow machine is not killed in its imports only.
            enough = web.n_requests() + rng.randrange(1, 14)
            is_over = partial(_is_reached, web, enough, rng.expovariate(20.0))
            code = installation.work("crawl", SLUG, is_over=is_over)
            assert code in (0, -9), installation.log()
            if code == 0:
                break
            n_killed += 1
        assert n_killed >= 0.9 * n_kills, f"the web was too small: {n_killed} kills"
        assert installation.work("crawl", SLUG) == 0, installation.log()
        assert installation.check() == ""
        wanted = {web.url(number) for number in range(n_pages)}
        assert installation.pages() == wanted, installation.not_fetched()
        assert breaches(web.log, DELAY_S) == []


def _is_reached(web: Web, n_requests: int, pause_s: float) -> bool:
    if web.n_requests() < n_requests:
        return False
    time.sleep(pause_s)
    return True


@pytest.mark.parametrize("seed", range(1))
def test_fifty_kills_lose_nothing_and_stay_polite(tmp_path: Path, seed: int) -> None:
    crawl_with_kills(tmp_path, n_kills=50, seed=seed)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(100, 110))
def test_a_hundred_kills_ten_times(tmp_path: Path, seed: int) -> None:
    crawl_with_kills(tmp_path, n_kills=100, seed=seed)
