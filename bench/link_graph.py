"""What it costs to rank the links of a crawl: time and memory to load them, PageRank, HITS.

The links are rows of a table of its own in a data folder of its own, in SQLite as it is set up by
default. Their sources are a third of the pages, as in a crawl that met twice as many links as it
fetched; a few targets get most of the links, as on the web. Each measure runs in a process of its
own, so that one does not pay for the memory of another.

    python bench/link_graph.py [--links 1000000]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LINKS_OF_A_PAGE, PAGES_FOR_EACH_SOURCE = 10, 3
MEASURES = ("nothing", "load", "pagerank", "hits")


def main() -> None:
    """Fill the tables, then time each measure; one line of JSON each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--measure", choices=MEASURES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    if options.measure:
        print(json.dumps(measure(options.measure)), flush=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FOCUSWEB_DATA"] = folder
        fill(options.links)
        for name in MEASURES:
            command = [sys.executable, __file__, "--measure", name]
            subprocess.run(command, check=True, env=os.environ)


def measure(name: str) -> dict[str, Any]:
    """Load the links of the one crawl and rank them as the strategy of this name does."""
    import django

    django.setup()
    from crawler.models import Crawl
    from crawler.store.results import link_graph
    from crawler.strategies.link_graph import HitsStrategy, PageRankStrategy

    strategies = {"pagerank": PageRankStrategy, "hits": HitsStrategy}
    crawl = Crawl.objects.get()
    started, n_links = time.process_time(), 0
    if name != "nothing":
        graph = link_graph(crawl)
        n_links = len(graph.sources)
        if name in strategies:
            strategies[name]().scores(graph)
    return {
        "measure": name,
        "links": n_links,
        "cpu s": round(time.process_time() - started, 2),
        "MB": most_memory() // 1024,
    }


def most_memory() -> int:
    """The largest resident memory of this process so far, in KiB; Linux only.

    `getrusage` would also count what the parent had before this program was started.
    """
    status = Path("/proc/self/status").read_text("utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def fill(n_links: int) -> None:
    """Enter a crawl, its pages and their links."""
    import django
    import numpy as np

    django.setup()
    from django.core.management import call_command
    from django.db import transaction

    from crawler.knowledge.profile import CrawlSettings, TopicProfile
    from crawler.models import Crawl, FrontierEntry, Link, Run, Site, Url, bulk
    from crawler.store.frontier.enqueue import _ENTRY_FIELDS

    call_command("migrate", verbosity=0)
    crawl = Crawl(key="bench", first_seen=NOON)
    crawl.describe(TopicProfile(name="solar cells", languages=("en",)), CrawlSettings())
    crawl.save()
    run = Run.objects.create(crawl=crawl, started=NOON, n_pages=1)
    site = Site.objects.create(name="s.test", domain="s.test", first_seen=NOON)
    when, rng = bulk.moment_parameter(NOON), np.random.default_rng(1)
    n_sources = n_links // LINKS_OF_A_PAGE
    n_pages = n_sources * PAGES_FOR_EACH_SOURCE
    done = {"crawl_id": crawl.pk, "run_id": run.pk, "state": "done", "found": when}
    defaults = {field.attname: field.get_default() for field in FrontierEntry._meta.concrete_fields}
    entry = [done.get(name, defaults[name]) for name in _ENTRY_FIELDS]
    url_at, epoch_at = _ENTRY_FIELDS.index("url_id"), _ENTRY_FIELDS.index("not_before")
    entry[epoch_at] = when
    with transaction.atomic():
        urls = ((f"http://s.test/{n}", site.pk, when) for n in range(n_pages))
        bulk.insert(Url, ("url", "site_id", "first_seen"), urls)
        entries = ([*entry[:url_at], n + 1, *entry[url_at + 1 :]] for n in range(n_sources))
        bulk.insert(FrontierEntry, _ENTRY_FIELDS, entries)
        for first in range(0, n_sources, 10_000):
            sources = np.repeat(np.arange(first, min(first + 10_000, n_sources)), LINKS_OF_A_PAGE)
            targets = (rng.random(len(sources)) ** 2 * n_pages).astype(np.int64)
            pairs = zip((sources + 1).tolist(), (targets + 1).tolist(), strict=True)
            bulk.insert(Link, ("source_id", "target_id"), pairs)


if __name__ == "__main__":
    main()
