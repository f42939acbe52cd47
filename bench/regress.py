"""Whether first crawls and their judge are as good as they were: measure, and compare.

For a sample of each snapshot's topics, as the product crawls, there are three figures. Recall of
the strategy `focus` within twice a topic's size; F1 of what a first crawl of 400 pages keeps;
average precision of the judge `focus` over the pages outside its training set. Each is compared,
topic by topic, with a stored table. A figure is worse if the whole 95 % interval of the mean
difference, paired over topics, lies below zero; then the exit status is 1.

    python bench/regress.py DIR [DIR ...] [--table FILE] [--every 2] [--seed 0] [--update]

`--update` stores what was measured as the new table. Without a change of judge, strategy or
parse every difference is exactly zero.
"""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from crawler.page.parsed import ParsedPage
    from crawler.replay.snapshot import Snapshot, SnapshotTopic

TABLE = Path(__file__).with_name("regress.json")
JUDGE = ORDER = "focus"
N_PAGES = 400
#: Topic by topic: what is compared. `score` is shown as well, and is of all topics together.
MEASURES = ("recall", "f1", "ap_unseen")

Figures = dict[str, dict[str, float]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure each snapshot; store the table, or compare with it. Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--every", type=int, default=2, help="every so many topics (2)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--update", action="store_true", help="store what was measured")
    options = parser.parse_args(arguments)
    stored = json.loads(options.table.read_text("utf-8")) if options.table.exists() else {}
    if not options.update and (
        missing := [f.name for f in options.folders if f.name not in stored]
    ):
        parser.error(f"{options.table} has no figures of {', '.join(missing)}: use --update first")
    n_worse = 0
    for folder in options.folders:
        measured = measure_snapshot(folder, every=options.every, seed=options.seed)
        print(f"{folder.name}: {len(measured['topics'])} topics, score {measured['score']:.3f}")
        if folder.name in stored:
            rows = compare(measured["topics"], stored[folder.name]["topics"], seed=options.seed)
            n_worse += report(rows)
        stored[folder.name] = measured
    if options.update:
        text = json.dumps(stored, ensure_ascii=False, indent=1, sort_keys=True)
        options.table.write_text(text + "\n", "utf-8")
        return 0
    return 1 if n_worse else 0


def compare(measured: Figures, stored: Figures, *, seed: int) -> list[dict[str, Any]]:
    """Compare each measure over the topics that both have."""
    from crawler.replay.metrics import paired_interval

    topics = sorted(measured.keys() & stored.keys())
    if not topics:
        raise SystemExit("the stored table has none of these topics: use --update")
    rows = []
    for name in MEASURES:
        now = {topic: measured[topic][name] for topic in topics}
        before = {topic: stored[topic][name] for topic in topics}
        low, high = paired_interval(now, before, seed=seed)
        rows.append(
            {
                "measure": name,
                "before": fmean(before.values()),
                "now": fmean(now.values()),
                "low": low,
                "high": high,
                "n_topics": len(topics),
                "is_worse": high < 0,
            }
        )
    return rows


def report(rows: Sequence[Mapping[str, Any]]) -> int:
    """Print the comparison; return how many figures are worse."""
    for row in rows:
        change = row["now"] - row["before"]
        word = "WORSE" if row["is_worse"] else "better" if row["low"] > 0 else "as it was"
        print(
            f"  {row['measure']:10} {row['before']:.3f} -> {row['now']:.3f}  {change:+.3f}"
            f" ({row['low']:+.3f} to {row['high']:+.3f}), {row['n_topics']} topics: {word}"
        )
    return sum(row["is_worse"] for row in rows)


def measure_snapshot(folder: Path, *, every: int, seed: int) -> dict[str, Any]:
    """Measure a sample of a snapshot's topics, and the score of the order over all of these."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    import django

    django.setup()
    from django.conf import settings

    from crawler.replay.parsed_snapshot import parse_snapshot
    from crawler.replay.snapshot import read_snapshot

    snapshot = read_snapshot(folder)
    pages = parse_snapshot(snapshot, cache=settings.DATA_DIR / "cache")
    topics = snapshot.topics[::every]
    score, figures = crawl_order(snapshot, pages, topics, seed)
    judged(snapshot, pages, topics, seed, figures)
    return {"score": score, "every": every, "seed": seed, "topics": figures}


def crawl_order(
    snapshot: "Snapshot",
    pages: "Mapping[str, ParsedPage]",
    topics: "Sequence[SnapshotTopic]",
    seed: int,
) -> tuple[float, Figures]:
    """The strategy's score, and its recall in each topic, under the product's conditions."""
    from crawler.lab.evaluating import FLOOR, ORACLE, Plan, evaluate
    from crawler.replay.metrics import normalised_recall

    recall: dict[str, dict[str, float]] = {FLOOR: {}, ORACLE: {}, ORDER: {}}
    for crawled in evaluate(snapshot, pages, [ORDER], topics, Plan(judge=JUDGE, seed=seed)):
        recall[crawled.strategy][crawled.topic] = crawled.measured.recall
    score = normalised_recall(recall[ORDER], recall[FLOOR], recall[ORACLE])
    return score, {name: {"recall": found} for name, found in recall[ORDER].items()}


def judged(
    snapshot: "Snapshot",
    pages: "Mapping[str, ParsedPage]",
    topics: "Sequence[SnapshotTopic]",
    seed: int,
    figures: Figures,
) -> None:
    """Add what a first crawl keeps, and how well the judge ranks, to each topic's figures."""
    from crawler.lab.first_crawls import crawl_and_keep
    from crawler.lab.judge_evaluation import JudgedWeb, evaluate_judge
    from focusweb import plugins

    web, kind = JudgedWeb.of(snapshot, pages), plugins.by_name("judges")[JUDGE]
    for topic in topics:
        [kept] = crawl_and_keep(snapshot, pages, topic, judge=JUDGE, n_pages=N_PAGES, seed=seed)
        figures[topic.name]["f1"] = kept.f1
        found = evaluate_judge(kind, web, topic, seed=seed)
        figures[topic.name]["ap_unseen"] = found.ap_unseen


if __name__ == "__main__":
    sys.exit(main())
