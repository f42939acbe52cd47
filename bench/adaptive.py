"""What the adaptive judge's intervals are worth: a snapshot crawled with and without them.

Every topic is crawled in the order of `focus` for twice its size, at least 200 pages; then
the pages kept are held against the labels. Recall is among the topic's fetched pages.

    python bench/adaptive.py DIR [--topics 6]
"""

import argparse
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from crawler.page.parsed import ParsedPage
    from crawler.replay.snapshot import Snapshot, SnapshotTopic

LEAST_PAGES = 200
VARIANTS: dict[str, dict[str, float]] = {"without": {"interval": 0}, "with": {}}


@dataclass(frozen=True, slots=True)
class Web:
    """A parsed snapshot."""

    snapshot: "Snapshot"
    pages: "Mapping[str, ParsedPage]"


def main() -> None:
    """Crawl each topic both ways; print a line each, means, and one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--topics", type=int, default=6, help="so many, evenly over the names")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    import django

    django.setup()
    from django.conf import settings

    from crawler.replay.parsed_snapshot import parse_snapshot
    from crawler.replay.snapshot import read_snapshot

    snapshot = read_snapshot(options.folder)
    web = Web(snapshot, parse_snapshot(snapshot, cache=settings.DATA_DIR / "cache"))
    named = sorted(snapshot.topics, key=lambda topic: topic.name)
    topics = named[:: max(1, len(named) // options.topics)][: options.topics]
    means = {}
    for name, parameters in VARIANTS.items():
        rows = []
        for topic in topics:
            rows.append(figures_of(web, topic, parameters))
            text = ", ".join(f"{key} {value:.3f}" for key, value in rows[-1].items())
            print(f"{name:8} {topic.name}: {text}", flush=True)
        means[name] = {key: round(fmean(row[key] for row in rows), 3) for key in rows[0]}
        print(f"{name:8} mean: {means[name]}")
    print(json.dumps(means))


def figures_of(web: Web, topic: "SnapshotTopic", parameters: dict[str, float]) -> dict[str, float]:
    """Crawl a topic and hold what was kept against its labels."""
    from crawler.crawl.manager import BatchLimits
    from crawler.knowledge.judges.intervals import Intervals
    from crawler.knowledge.profile import CrawlSettings
    from crawler.lab.evaluating import known_pages, topic_profile, truth_of
    from crawler.replay.replay import replay

    profile = topic_profile(topic)
    settings = CrawlSettings(
        judge="adaptive",
        judge_parameters=parameters,
        max_depth_hops=len(web.pages),
        n_pages=max(2 * topic.pages, LEAST_PAGES),
    )
    done = replay(
        web.pages,
        profile,
        settings,
        profile.seeds,
        limits=BatchLimits(slice_pages=10),
        background=known_pages(web.pages, exclude=topic.seeds, seed=0),
    )
    relevant = truth_of(web.snapshot, topic).relevant
    fetched = {url.partition("://")[2] for url in done.urls}
    kept = {
        done.board.url_of(key).partition("://")[2]
        for key, posting in done.board.harvests.items()
        if posting.kept
    }
    right = len(kept & relevant)
    precision, recall = right / max(len(kept), 1), right / max(len(fetched & relevant), 1)
    known = Intervals.load(done.board.judge_memory("adaptive")).adaptation
    return {
        "kept": len(kept),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / max(precision + recall, 1e-9),
        "harvest": len(fetched & relevant) / max(len(fetched), 1),
        "threshold": known.threshold,
        "intervals": known.n_intervals,
    }


if __name__ == "__main__":
    main()
