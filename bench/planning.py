"""What a turn of the manager agent costs beside a large frontier, and the slice it hands out.

A crawl of its own in a data folder of its own, in SQLite as it is set up by default: the
waiting URLs lie on many sites, few of which have most of them, and each has a rating and a
note as the default strategy leaves them. One in ten as many pages were fetched before.
The run starts once. Every round plans, works through what was posted (40 links a page, of which
30 are new), and learns from it. The processor time is what counts: other work adds to the wall
clock.

    python bench/planning.py [--waiting 500000] [--rounds 5] [--sites 5000] [--held 0] [--later]

`--held 20` keeps the 20 sites with the best URLs away from the plans, as other assignments
do. `--later` plans a second run, which looks for what is new first.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import repeat
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from crawler.crawl.collector import FetchOutcome
    from crawler.crawl.database_blackboard import DatabaseBlackboard
    from crawler.messages import Batch, SiteState
    from crawler.models import Run

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
FETCHED_SHARE, LINKS_EACH, N_LINKS, N_NEW = 10, 2, 40, 30
WORDS = "solar cell panel roof glass wind power grid light meter town school field year".split()


def main() -> None:
    """Make the frontier, then time the phases of each round; one line each and one of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--waiting", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sites", type=int, default=5000)
    parser.add_argument("--held", type=int, default=0)
    parser.add_argument("--later", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FOCUSWEB_DATA"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
        measure(options)


@dataclass
class Clock:
    """Processor and wall time by phase."""

    cpu: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wall: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @contextmanager
    def timing(self, phase: str) -> Iterator[None]:
        """Add what happens meanwhile to a phase."""
        started, cpu_started = time.perf_counter(), time.process_time()
        yield
        self.wall[phase].append(time.perf_counter() - started)
        self.cpu[phase].append(time.process_time() - cpu_started)

    def report(self) -> dict[str, dict[str, float]]:
        """Median and worst processor time and median wall clock of each phase; prints them."""
        figures = {}
        for phase, cpu in self.cpu.items():
            figures[phase] = {
                "cpu": round(statistics.median(cpu), 4),
                "worst cpu": round(max(cpu), 4),
                "wall": round(statistics.median(self.wall[phase]), 4),
            }
            text = ", ".join(f"{key} {value:.3f} s" for key, value in figures[phase].items())
            print(f"{phase:24} {text}", flush=True)
        return figures


def measure(options: argparse.Namespace) -> None:
    """Set up, then plan, work and learn so many times."""
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    from crawler.crawl import manager
    from crawler.crawl.collector import collect
    from crawler.crawl.database_blackboard import DatabaseBlackboard
    from crawler.crawl.worker import batch_limits
    from crawler.judging.context import build_context
    from crawler.models import Assignment

    call_command("migrate", verbosity=0)
    clock, rng = Clock(), Random(3)
    with clock.timing("making the tables"):
        run = make_frontier(options.waiting, options.sites, options.held, later=options.later)
    n_bytes = (settings.DATA_DIR / "focusweb.sqlite3").stat().st_size
    print(f"{options.waiting} URLs wait, {n_bytes / 1e6:.0f} MB", flush=True)
    board, source, now = DatabaseBlackboard(run, "bench"), PaperSource(), NOON + DAY
    with clock.timing("start"):
        context = build_context(board)
        manager.start(board, [], now, known=context)
    for _ in range(options.rounds):
        with clock.timing("plan"):
            posted = manager.plan(board, now, batch_limits(), rng, context)
        assert posted
        n_urls = 0
        with clock.timing("collect, all assignments"):
            while Assignment.objects.filter(closed=None, taken_by="").exists():
                n_urls += collect(board, source, "bench", repeat(now).__next__, known=context) or 0
        with clock.timing("integrate"):
            manager.integrate(board, now, context)
        print(f"{posted} assignments, {n_urls} URLs", flush=True)
        look_closer(clock, board, now)
        now += timedelta(minutes=1)
    print(json.dumps({"waiting": options.waiting, "phases": clock.report()}))


def look_closer(clock: Clock, board: "DatabaseBlackboard", now: datetime) -> None:
    """Time the questions of a plan one by one, on a view each."""
    questions: dict[str, Callable[[], Any]] = {
        "progress": board.progress,
        "sites_with_requests": lambda: board.sites_with_requests(100),
        "view": lambda: board.view(now, n_per_site=100).waiting(40),
        "fresh_view": lambda: (seen := board.fresh_view(now, n_per_site=100)) and seen.waiting(40),
        "next_due": lambda: board.next_due(now),
    }
    for name, ask in questions.items():
        with clock.timing(f"- {name}"):
            ask()


class PaperSource:
    """Answers every claim with a page of 40 links, 30 of them new, without a network."""

    def __init__(self) -> None:
        self._rng = Random(5)
        self._sites: Mapping[str, SiteState] = {}

    def answers(
        self, work: "Batch", *, until: datetime, stopping: Callable[[], bool]
    ) -> "Iterator[FetchOutcome]":
        """One page for each claim; as `crawler.crawl.collector.PageSource` has it."""
        from crawler.crawl.collector import FetchOutcome
        from crawler.page.parse import parse_page
        from crawler.reasons import Reason

        self._sites = work.sites
        for claim in work.claims:
            text = " ".join(self._rng.choices(WORDS, k=200))
            links = "".join(f'<a href="{url}">{text[:20]}</a> ' for url in self._links(claim.url))
            markup = f"<title>{text[:40]}</title><p>{text}</p><p>{links}</p>"
            page = parse_page(markup.encode(), claim.url, "text/html")
            yield FetchOutcome(claim, page, Reason.FETCHED)

    def sites(self) -> "Mapping[str, SiteState]":
        """The sites of the last assignment, as they were."""
        return self._sites

    def _links(self, url: str) -> list[str]:
        site = url.split("/")[2]
        new = [f"http://{site}/new/{self._rng.getrandbits(60):x}/page" for _ in range(N_NEW)]
        return [*new, *(f"http://s0.test/p/{n}/page" for n in range(N_LINKS - N_NEW))]


def make_frontier(n_waiting: int, n_sites: int, n_held: int, *, later: bool) -> "Run":
    """A run whose crawl has fetched pages and has many URLs waiting; nothing is due later."""
    from crawler.crawl.database_blackboard import DatabaseBlackboard
    from crawler.crawl.manager import start
    from crawler.knowledge.profile import CrawlSettings, TopicProfile
    from crawler.models import Crawl, Run

    crawl = Crawl(key="bench", first_seen=NOON)
    crawl.describe(
        TopicProfile(name="solar cells", languages=("en",)),
        CrawlSettings(n_pages=2 * n_waiting, breadth="balanced"),
    )
    crawl.save()
    first = Run.objects.create(crawl=crawl, started=NOON, n_pages=2 * n_waiting)
    start(DatabaseBlackboard(first, "bench"), [], NOON)
    fill(first, n_waiting, n_sites, n_held)
    if not later:
        Run.objects.update(fetched=n_waiting // FETCHED_SHARE)
        return first
    Run.objects.update(ended=NOON)
    return Run.objects.create(
        crawl=crawl, started=NOON + DAY, n_pages=2 * n_waiting, fetched=n_waiting // 50
    )


def fill(run: "Run", n_waiting: int, n_sites: int, n_held: int) -> None:
    """Enter sites, addresses, fetched pages, their links, and what waits."""
    from django.db import transaction

    from crawler.models import FrontierEntry, Harvest, Link, Page, Site, Url, bulk
    from crawler.models.web import EPOCH
    from crawler.store.frontier.enqueue import _ENTRY_FIELDS
    from crawler.strategies.base import Rating
    from crawler.strategies.focus import START, WEIGHTS
    from crawler.strategies.link_notes import pack_notes

    rng = Random(7)
    n_fetched = n_waiting // FETCHED_SHARE
    sites = Site.objects.bulk_create(
        Site(name=f"s{n}.test", domain=f"s{n}.test", first_seen=NOON) for n in range(n_sites)
    )
    # As found on the web: few sites have most of the addresses. And some are good ones.
    weights = [1 / (rank + 10) for rank in range(n_sites)]
    charm = [rng.gauss(0, 1.5) for _ in sites]
    places = rng.choices(range(n_sites), weights, k=n_waiting + n_fetched)
    when, epoch = bulk.moment_parameter(NOON), bulk.moment_parameter(EPOCH)
    memos = []
    for _ in range(2000):
        parts = {"start": START, **{name: rng.gauss(0, 0.5) for name in WEIGHTS}}
        note = {"anchor": rng.randbytes(8), "context": rng.randbytes(60), "block": rng.randrange(9)}
        memos.append(pack_notes(Rating(0.0, parts, note)))
    texts = [rng.randbytes(3000) for _ in range(200)]

    def entry(number: int) -> tuple[Any, ...]:
        place, is_done = places[number], number < n_fetched
        parent = None if number == 0 else 1 + rng.randrange(max(1, min(number, n_fetched)))
        return (
            run.crawl_id,
            1 + number,
            parent,
            run.pk,
            "done" if is_done else "new",
            "fetched" if is_done else "",
            "",
            0,
            0,
            charm[place] + rng.gauss(-2, 1),
            2,
            0,
            memos[number % 2000],
            0,
            0,
            0,
            epoch,
            when,
            is_done,
            False,
        )

    with transaction.atomic():
        bulk.insert(
            Url,
            ("url", "site_id", "first_seen"),
            (
                (f"http://s{place}.test/p/{n}/page", sites[place].pk, when)
                for n, place in enumerate(places)
            ),
        )
        bulk.insert(
            Page,
            (
                "url_id",
                "title",
                "language",
                "charset",
                "packed_text",
                "packed_terms",
                "fingerprint",
                "content_hash",
                "noindex",
                "flags",
                "etag",
                "last_modified",
                "first_fetched",
                "fetched",
                "changed",
                "n_fetches",
            ),
            (
                (
                    n + 1,
                    f"page {n}",
                    "en",
                    "utf-8",
                    texts[n % 200],
                    b"",
                    rng.getrandbits(62),
                    "",
                    False,
                    "",
                    "",
                    "",
                    when,
                    when,
                    when,
                    1,
                )
                for n in range(n_fetched)
            ),
        )
        bulk.insert(FrontierEntry, _ENTRY_FIELDS, map(entry, range(n_fetched + n_waiting)))
        FrontierEntry.objects.filter(state="done").update(ended=NOON)
        bulk.insert(
            Harvest,
            (
                "crawl_id",
                "url_id",
                "run_id",
                "kept",
                "relevance",
                "content_value",
                "link_value",
                "score",
                "n_linking_sites",
                "link_scale",
                "trust",
                "density",
                "explanation",
                "first_seen",
                "published",
                "baseline",
            ),
            (
                (
                    run.crawl_id,
                    n + 1,
                    run.pk,
                    False,
                    0.1,
                    0.1,
                    0,
                    0.1,
                    0,
                    1,
                    1,
                    0.1,
                    "{}",
                    when,
                    None,
                    False,
                )
                for n in range(n_fetched)
            ),
        )
        bulk.insert(
            Link,
            ("source_id", "target_id"),
            {
                (1 + rng.randrange(n_fetched), 1 + n)
                for n in range(n_fetched + n_waiting)
                for _ in range(LINKS_EACH)
            },
        )
    best = sorted(range(n_sites), key=charm.__getitem__, reverse=True)
    Site.objects.filter(name__in=[f"s{n}.test" for n in best[:n_held]]).update(
        held_by="another", held_until=NOON + 30 * DAY
    )


if __name__ == "__main__":
    main()
