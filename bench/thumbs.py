"""Whether a thumb ever floods a topic: every page of the first screen, rated and unrated.

Each topic of a web snapshot is crawled from its seeds in memory, as `evaluate_judge --crawl` does.
Then each of its first pages gets a thumb down, and a thumb up, alone. The pages that come in and
leave are counted, the thumb is undone, and every relevance, score and kept flag must be what it was
to the last bit. Last, the same pages are rated one after the other, down and up in turn, on top of
each other. A thumb down must not let in more pages than one in a hundred of those stored, and a
thumb up must not take out more. A rated page must follow, and an undo must restore.

    python bench/thumbs.py DIR [--topics N] [--pages 400] [--first 30] [--judge focus]
        [--answers N] [--json F]

With --answers the labels first answer so many of the topic's questions; those pages get no thumb.
"""

import argparse
import json
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from crawler.knowledge.judge import TrainingSet
    from crawler.knowledge.page_matrix import PageMatrix
    from crawler.knowledge.profile import TopicProfile
    from crawler.page.parsed import PageTerms, ParsedPage
    from crawler.replay.snapshot import SnapshotTopic

Vector = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Bools = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

#: One page in so many may go the wrong way.
ONE_IN = 100


@dataclass(frozen=True, slots=True)
class State:
    """What a reader sees: relevance, whether it is kept, and score of every stored page."""

    relevances: Vector
    kept: Bools
    scores: Vector

    def is_same(self, other: "State") -> bool:
        """True if nothing differs, not even in the last bit."""
        pairs = (
            (self.relevances, other.relevances),
            (self.kept, other.kept),
            (self.scores, other.scores),
        )
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


@dataclass(frozen=True, slots=True)
class Stored:
    """The stored pages of a crawl, and what its judge says of them without thumbs."""

    profile: "TopicProfile"
    training_set: "TrainingSet"
    terms: Sequence["PageTerms"]
    matrix: "PageMatrix"
    judged: Vector
    densities: Vector
    trusts: Vector
    #: Pages that may be kept at all.
    free: Bools
    threshold: float
    #: Pages with an answered question, by number, and whether they are on topic.
    answers: Mapping[int, bool]

    def state(self, thumbs: Mapping[int, bool]) -> State:
        """What these thumbs, by number of the page, make of it."""
        from crawler.knowledge.content_value import ContentValue
        from crawler.knowledge.feedback import Feedback
        from crawler.knowledge.judge import Example
        from crawler.lab.labelled_answers import answer_examples
        from crawler.ranking.quantiles import Quantiles
        from crawler.ranking.score import PercentileRanker

        rated = [Example(self.terms[page], good) for page, good in thumbs.items()]
        rated += answer_examples(self.matrix, self.answers)
        training_set = replace(self.training_set, rated=rated)
        feedback = Feedback.of(
            self.profile, training_set, lambda one: float(self.judged[one.page - 1])
        )
        found = feedback.relevances(self.matrix, self.judged)
        kept = (found >= self.threshold) & self.free
        for page, good in {**self.answers, **thumbs}.items():
            kept[page] = good
        columns = (column[kept].tolist() for column in (found, self.densities, self.trusts))
        quantiles, ranker = Quantiles.of(*columns), PercentileRanker()
        scores = np.zeros(len(found))
        for page in np.flatnonzero(kept).tolist():
            content = ContentValue(
                0.0, (), 0, float(self.trusts[page]), float(self.densities[page])
            )
            scores[page] = ranker.score(
                content,
                float(found[page]),
                (),
                0,
                weights=(0.4, 0.6),
                scale=1.0,
                quantiles=quantiles,
            ).value
        return State(found, kept, scores)


def main() -> None:
    """Try every thumb of every topic; print the worst and how many breach the rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--topics", type=int, help="only the first so many")
    parser.add_argument("--pages", type=int, default=400, help="pages of a crawl")
    parser.add_argument("--first", type=int, default=30, help="pages that get a thumb")
    parser.add_argument("--judge", default="focus")
    parser.add_argument("--answers", type=int, default=0, help="questions answered before")
    parser.add_argument("--json", type=Path, dest="json_file")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    import django

    django.setup()
    from django.conf import settings

    from crawler.replay.parsed_snapshot import parse_snapshot
    from crawler.replay.snapshot import read_snapshot

    snapshot = read_snapshot(options.folder)
    pages = parse_snapshot(snapshot, cache=settings.DATA_DIR / "cache")
    trials: list[dict[str, Any]] = []
    for topic in snapshot.topics[: options.topics]:
        relevant = snapshot.pages_with(topic.name)
        stored = crawled(pages, topic, options.judge, options.pages, relevant, options.answers)
        found = tried(stored, options.first)
        trials += [{"topic": topic.name, **trial} for trial in found]
        print(f"{topic.name[-40:]:40} {summary(found)}", flush=True)
    report = {kind: summary([t for t in trials if t["kind"] == kind]) for kind in KINDS}
    for kind, figures in report.items():
        print(f"{kind:8} {figures}")
    if options.json_file:
        text = json.dumps({"summary": report, "trials": trials}, ensure_ascii=False, indent=1)
        options.json_file.write_text(text, encoding="utf-8")


KINDS = ("down", "up", "pile")


def crawled(
    pages: Mapping[str, "ParsedPage"],
    topic: "SnapshotTopic",
    judge: str,
    n_pages: int,
    relevant: Collection[str],
    n_answers: int,
) -> Stored:
    """Crawl a topic, and judge what was fetched by all that is known at the end."""
    from crawler.judging.context import make_judge
    from crawler.knowledge.density import density_weights, topic_densities
    from crawler.knowledge.page_matrix import PageMatrix, relevances
    from crawler.knowledge.stuffing import trusts_in
    from crawler.lab.first_crawls import first_crawl
    from crawler.lab.labelled_answers import (
        answer_examples,
        answer_questions,
        judged_with_answers,
    )

    board = first_crawl(pages, topic, judge=judge, n_pages=n_pages).board
    training_set = board.training_set()
    built = make_judge(board.profile, board.settings, training_set)
    found = [(posting, pages[key_of(posting.claim.url)]) for posting in board.harvests.values()]
    matrix = PageMatrix.of([page.terms for _, page in found])
    judged = relevances(built, matrix)
    passes = judged >= board.settings.threshold
    kept = np.array([posting.kept for posting, _ in found], np.bool_)
    _, answered = answer_questions(board, relevant, n_answers)
    keys = [key_of(posting.claim.url) for posting, _ in found]
    answers = {number: key in relevant for number, key in enumerate(keys) if key in answered}
    taught = replace(training_set, rated=answer_examples(matrix, answers))
    return Stored(
        board.profile,
        training_set,
        matrix.pages,
        matrix,
        judged_with_answers(
            board.profile,
            board.settings,
            taught,
            matrix,
            [posting.claim.url for posting, _ in found],
        ),
        topic_densities(matrix, density_weights(built, board.shared_terms())),
        trusts_in(matrix, built.topic_terms),
        # What passes and is not kept is a copy or a list.
        free=kept | ~passes,
        threshold=board.settings.threshold,
        answers=answers,
    )


def key_of(url: str) -> str:
    """A page's key in the snapshot."""
    return url.partition("://")[2]


def tried(stored: Stored, n_first: int) -> list[dict[str, Any]]:
    """Rate the first pages, each alone and all on top of each other."""
    before = stored.state({})
    order = np.lexsort((np.arange(len(before.kept)), -before.scores))
    first = [
        int(page) for page in order[:n_first] if before.kept[page] and page not in stored.answers
    ]
    trials = []
    for page in first:
        for kind, good in (("down", False), ("up", True)):
            after, undone = stored.state({page: good}), stored.state({})
            trials.append(trial(kind, page, good, before, after, undone))
    thumbs: dict[int, bool] = {}
    at = before
    for turn, page in enumerate(first):
        good = bool(turn % 2)
        after, undone = stored.state({**thumbs, page: good}), stored.state(thumbs)
        trials.append(trial("pile", page, good, at, after, undone))
        thumbs[page], at = good, after
    return trials


def trial(
    kind: str, page: int, good: bool, before: State, after: State, undone: State
) -> dict[str, Any]:
    """What one thumb did."""
    came_in, left = after.kept & ~before.kept, before.kept & ~after.kept
    wrong = int((left if good else came_in).sum())
    # Where the wrong way begins: not only at the threshold.
    moved = after.relevances - before.relevances
    n_wrong_way = int(((moved < 0) if good else (moved > 0)).sum())
    follows = bool(after.kept[page]) is good
    is_undone = undone.is_same(before)
    return {
        "kind": kind,
        "page": page,
        "good": good,
        "stored": len(before.kept),
        "in": int(came_in.sum()),
        "left": int(left.sum()),
        "wrong_way": n_wrong_way,
        "follows": follows,
        "is_undone": is_undone,
        "breach": wrong > len(before.kept) // ONE_IN or not follows or not is_undone,
    }


def summary(trials: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Thumbs, breaches, and the worst of each kind of movement."""
    down = [one for one in trials if not one["good"]]
    up = [one for one in trials if one["good"]]
    return {
        "thumbs": len(trials),
        "breaches": sum(one["breach"] for one in trials),
        "down_in": max((one["in"] for one in down), default=0),
        "down_left": max((one["left"] for one in down), default=0),
        "up_left": max((one["left"] for one in up), default=0),
        "up_in": max((one["in"] for one in up), default=0),
        "wrong_way": max((one["wrong_way"] for one in trials), default=0),
        "not_undone": sum(not one["is_undone"] for one in trials),
    }


if __name__ == "__main__":
    main()
