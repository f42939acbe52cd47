"""What it costs to bring scores and stories up to date when many pages have the same titles.

A crawl of its own in a data folder of its own, in SQLite as it is set up by default: kept
pages on a few sites, some hundred titles, each on a hundred pages, and fingerprints of
chance, as of pages that share their titles and nothing else. The first call places every
page; the second, after one page more for each title, only those.

    python bench/stories.py [--pages 20000] [--titles 200] [--sites 50]
"""

import argparse
import json
import os
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from crawler.models import Run

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
WORDS = "solar cell panel roof glass wind power grid light meter town school field year".split()


def main() -> None:
    """Make the pages, then renew their scores twice; one line each and one of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--titles", type=int, default=200)
    parser.add_argument("--sites", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FOCUSWEB_DATA"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
        measure(options.pages, options.titles, options.sites)


def measure(n_pages: int, n_titles: int, n_sites: int) -> None:
    """Set up, then time both calls."""
    import django

    django.setup()
    from django.core.management import call_command

    from crawler.crawl.database_blackboard import DatabaseBlackboard
    from crawler.judging.context import build_context
    from crawler.judging.renewal import renew_scores
    from crawler.knowledge.profile import CrawlSettings, TopicProfile
    from crawler.models import Crawl, Run, Site, Story

    call_command("migrate", verbosity=0)
    crawl = Crawl(key="bench", first_seen=NOON)
    crawl.describe(TopicProfile(name="solar cells", languages=("en",)), CrawlSettings())
    crawl.save()
    run = Run.objects.create(crawl=crawl, started=NOON, n_pages=n_pages)
    Site.objects.bulk_create(
        Site(name=f"s{n}.test", domain=f"s{n}.test", first_seen=NOON) for n in range(n_sites)
    )
    board, report = DatabaseBlackboard(run, "bench"), {}
    for name, first, n_new in (("all", 0, n_pages), ("a few more", n_pages, n_titles)):
        keep(run, first, n_new, n_titles)
        started, cpu_started = time.perf_counter(), time.process_time()
        known = build_context(board)
        renew_scores(board, known.settings, known.ranker, known.scorers, NOON + timedelta(days=1))
        cpu, wall = time.process_time() - cpu_started, time.perf_counter() - started
        report[name] = {"cpu": round(cpu, 3), "wall": round(wall, 3)}
        print(
            f"{name:12} {n_new} pages: cpu {cpu:.2f} s, wall {wall:.2f} s,"
            f" {Story.objects.count()} stories",
            flush=True,
        )
    print(json.dumps({"pages": n_pages, "titles": n_titles, "seconds": report}))


def keep(run: "Run", first: int, n_pages: int, n_titles: int) -> None:
    """Store so many kept pages; those of one title follow each other at a distance."""
    from crawler.models import Harvest, Page, Site, Url
    from crawler.models.web import as_signed

    rng, sites = Random(first), list(Site.objects.order_by("pk"))
    titles = [
        " ".join(Random(n).choices(WORDS, k=5)) + f" {'abcdefghij'[n % 10]}" * 3
        for n in range(n_titles)
    ]
    numbers = range(first, first + n_pages)
    urls = Url.objects.bulk_create(
        Url(url=f"http://{site.name}/p/{n}", site=site, first_seen=NOON)
        for n, site in ((n, sites[n // n_titles % len(sites)]) for n in numbers)
    )
    Page.objects.bulk_create(
        Page(
            url=url,
            title=titles[n % n_titles],
            first_fetched=NOON,
            fetched=NOON,
            changed=NOON,
            fingerprint=as_signed(rng.getrandbits(64)),
            own_fingerprint=as_signed(rng.getrandbits(64)),
        )
        for n, url in zip(numbers, urls, strict=True)
    )
    Harvest.objects.bulk_create(
        Harvest(
            crawl=run.crawl,
            url=url,
            run=run,
            kept=True,
            relevance=rng.random(),
            first_seen=NOON,
            explanation={"parts": [], "link": {}, "content": {}},
        )
        for url in urls
    )


if __name__ == "__main__":
    main()
