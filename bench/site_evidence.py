"""What the evidence `site` of the focus order is worth on webs whose sites are cut differently.

    python bench/site_evidence.py DIR [--topics N] [--weights 0,1.2,2.4,3.6]

The pages of a web snapshot are put on other hosts by a rule: `as_is` leaves them, `subject` puts
pages with the same most special label on the same hosts (three for each label), `chance` draws one
of 50 hosts for every page. No folder says anything. Each web is crawled as the product's first
crawl is. Labels move pages and score; no crawl sees them.
"""

import argparse
import os
import sys
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from crawler.page.parsed import ParsedPage
    from crawler.replay.snapshot import Snapshot

#: Hosts for each label of the web by subject, and in all of the web by chance.
HOSTS_OF_LABEL, HOSTS = 3, 50


def main() -> None:
    """Print the score of each web under each weight."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--topics", type=int, default=6, help="spread evenly over the list")
    parser.add_argument("--weights", default="0,1.2,2.4,3.6")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    import django

    django.setup()
    from django.conf import settings

    from crawler.lab.evaluating import Plan, evaluate
    from crawler.lab.evaluation_report import Results
    from crawler.replay.parsed_snapshot import parse_snapshot
    from crawler.replay.snapshot import read_snapshot

    snapshot = read_snapshot(options.folder)
    pages = parse_snapshot(snapshot, cache=settings.DATA_DIR / "cache")
    step = max(len(snapshot.topics) // options.topics, 1)
    numbers = range(0, len(snapshot.topics), step)[: options.topics]
    names = [f"focus:site={weight}" for weight in options.weights.split(",")]
    for rule, host_of in RULES.items():
        web, moved = moved_web(snapshot, pages, host_of) if host_of else (snapshot, pages)
        results = Results()
        topics = [web.topics[number] for number in numbers]
        plan = Plan("focus")
        for done in evaluate(web, moved, names, topics, plan, n_processes=options.processes):
            results.add(done)
        for name in names:
            figures = results.summary(name, seed=0)
            low, high = figures["normalised_2x_interval"]
            print(
                f"{rule:8} {name:16} recall 2x {figures['recall_2x']:.3f} "
                f"score {figures['normalised_2x']:.3f} ({low:.3f} to {high:.3f})",
                flush=True,
            )


def by_subject(key: str, labels: frozenset[str]) -> str:
    """A host of the page's most special label."""
    label = max(sorted(labels), key=len, default="other")
    return f"s{zlib.crc32(label.encode()):08x}{zlib.crc32(key.encode()) % HOSTS_OF_LABEL}.example"


def by_chance(key: str, labels: frozenset[str]) -> str:
    """Any host."""
    return f"h{zlib.crc32(key.encode()) % HOSTS}.example"


RULES: Mapping[str, Callable[[str, frozenset[str]], str] | None] = {
    "as_is": None,
    "subject": by_subject,
    "chance": by_chance,
}


def moved_web(
    snapshot: "Snapshot",
    pages: Mapping[str, "ParsedPage"],
    host_of: Callable[[str, frozenset[str]], str],
) -> tuple["Snapshot", dict[str, "ParsedPage"]]:
    """Put every page on the host that the rule names; links follow, other addresses stay."""
    new = {
        key: f"{host_of(key, snapshot.labels.get(key, frozenset()))}/{number}-{_last(key)}"
        for number, key in enumerate(pages)
    }

    def moved(url: str) -> str:
        scheme, mark, key = url.partition("://")
        return scheme + mark + new.get(key, key)

    web = replace(
        snapshot,
        pages={new.get(key, key): page for key, page in snapshot.pages.items()},
        labels={new.get(key, key): labels for key, labels in snapshot.labels.items()},
        topics=tuple(
            replace(topic, seeds=tuple(new.get(seed, seed) for seed in topic.seeds))
            for topic in snapshot.topics
        ),
    )
    return web, {
        new[key]: replace(
            page,
            url=moved(page.url),
            canonical=moved(page.canonical) if page.canonical else "",
            links=[replace(link, url=moved(link.url)) for link in page.links],
        )
        for key, page in pages.items()
    }


def _last(key: str) -> str:
    """The name of a page, without its folders; never empty."""
    return key.partition("?")[0].rstrip("/").rpartition("/")[2] or "index"


if __name__ == "__main__":
    main()
