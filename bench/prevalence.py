"""Whether a judge keeps its ground whatever share of what a crawl fetched is on topic.

For each of a snapshot's topics that is large enough, 200 pages are taken for fetched, with a
planted share on topic; the others are pages that the topic's pages link to, then any. The labels
plan and score; the judge gets the seeds as examples. Once with 200 pages of other crawls beside
them, once without. F1 is of the pages with a relevance of one half or more.

    python bench/prevalence.py DIR [--judge focus] [--seed 0]
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from crawler.knowledge.judge import TrainingSet
    from crawler.lab.judge_evaluation import JudgedWeb
    from crawler.replay.snapshot import SnapshotTopic

N_FETCHED, N_OTHERS = 200, 200
#: A topic must have so many pages more, so that some are left to be held out.
SPARE = 40
SHARES = (0.02, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)


@dataclass(frozen=True, slots=True)
class Case:
    """A library with a planted share of topic pages, and the pages it did not see."""

    share: float
    n_others: int
    training_set: "TrainingSet"
    fetched: list[int]
    held_out: list[int]


def main() -> None:
    """Judge every case; print means by share, and one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--judge", default="focus")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    import django

    django.setup()
    from django.conf import settings

    from crawler.lab.judge_evaluation import JudgedWeb
    from crawler.replay.parsed_snapshot import parse_snapshot
    from crawler.replay.snapshot import read_snapshot

    snapshot = read_snapshot(options.folder)
    pages = parse_snapshot(snapshot, cache=settings.DATA_DIR / "cache")
    linked = {
        key: {link.url.partition("://")[2] for link in page.links} for key, page in pages.items()
    }
    web = JudgedWeb.of(snapshot, pages)
    rows: dict[tuple[int, float], list[dict[str, float]]] = {}
    for topic in snapshot.topics:
        relevant = web.is_among(snapshot.pages_with(topic.name))
        if relevant.sum() < N_FETCHED + SPARE + len(topic.seeds):
            continue
        near = set().union(*(linked[web.keys[i]] for i in np.flatnonzero(relevant)))
        for case in cases(web, topic, web.places(near), options.seed):
            figures = figures_of(web, topic, options.judge, case)
            rows.setdefault((case.n_others, case.share), []).append(figures)
    means = []
    for (n_others, share), found in sorted(rows.items()):
        mean = {name: round(fmean(row[name] for row in found), 3) for name in found[0]}
        means.append({"n_others": n_others, "share": share, "n_topics": len(found), **mean})
        print(means[-1])
    print(json.dumps(means))


def cases(web: "JudgedWeb", topic: "SnapshotTopic", near: list[int], seed: int) -> Iterator[Case]:
    """Plan the libraries of a topic; a share that it has too few pages for is left out."""
    from crawler.knowledge.frequencies import DocumentFrequencies
    from crawler.knowledge.judge import Example, TrainingSet

    rng = random.Random(f"{seed}/{topic.name}")
    relevant = web.is_among(web.snapshot.pages_with(topic.name))
    seeds = web.places(topic.seeds)
    unseen = [number for number in range(len(web.pages)) if number not in set(seeds)]
    on = [number for number in unseen if relevant[number]]
    close = set(near)
    off = [number for number in unseen if not relevant[number]]
    rng.shuffle(on)
    rng.shuffle(off)
    off.sort(key=lambda number: number not in close)
    for share in SHARES:
        n_on = round(share * N_FETCHED)
        fetched = on[:n_on] + off[: N_FETCHED - n_on]
        rest = [number for number in unseen if number not in set(fetched)]
        others = rng.sample(rest, N_OTHERS)
        held_out = [number for number in rest if number not in set(others)]
        for n_others in (0, N_OTHERS):
            frequencies = DocumentFrequencies()
            frequencies.add([web.pages[i] for i in others[:n_others]])
            frequencies.add([web.pages[i] for i in seeds + fetched], n_kept=n_on)
            training_set = TrainingSet(
                frequencies,
                [Example(web.pages[i]) for i in seeds],
                [web.pages[i] for i in fetched + others[:n_others]],
                len(fetched),
            )
            yield Case(share, n_others, training_set, fetched, held_out)


def figures_of(
    web: "JudgedWeb", topic: "SnapshotTopic", judge: str, case: Case
) -> dict[str, float]:
    """Precision, recall and F1 among the fetched and the held-out pages, and AP."""
    from crawler.judging.context import make_judge
    from crawler.knowledge.page_matrix import relevances
    from crawler.knowledge.profile import CrawlSettings
    from crawler.lab.evaluating import topic_profile
    from crawler.lab.judge_evaluation import average_precision

    settings = CrawlSettings(judge=judge)
    built = make_judge(topic_profile(topic), settings, case.training_set)
    found = relevances(built, web.matrix)
    relevant = web.is_among(web.snapshot.pages_with(topic.name))
    figures: dict[str, float] = {}
    for name, numbers in (("fetched", case.fetched), ("held_out", case.held_out)):
        kept, on = found[numbers] >= settings.threshold, relevant[numbers]
        n_right = int((kept & on).sum())
        figures[f"{name}_precision"] = n_right / max(int(kept.sum()), 1)
        figures[f"{name}_recall"] = n_right / max(int(on.sum()), 1)
        figures[f"{name}_f1"] = 2 * n_right / max(int(kept.sum() + on.sum()), 1)
    held_out = np.array(case.held_out)
    order = held_out[np.argsort(-found[held_out], kind="stable")]
    figures["ap"] = average_precision(relevant[order], int(relevant[held_out].sum()))
    return figures


if __name__ == "__main__":
    main()
