"""Measure how well judges recognise the topics of a web snapshot."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from crawler.errors import CrawlError
from crawler.lab.evaluating import CONDITIONS, PRODUCT
from crawler.lab.first_crawls import Kept, crawl_and_keep
from crawler.lab.judge_evaluation import Judged, JudgedWeb, evaluate_judge
from crawler.management.commands.evaluate import (
    chosen_topics,
    parsed_pages,
    require_at_least,
    require_writable,
    write_json,
)
from crawler.page.parsed import ParsedPage
from crawler.replay.metrics import paired_interval
from crawler.replay.snapshot import Snapshot, SnapshotTopic, read_snapshot
from focusweb import plugins


class Command(BaseCommand):
    help = "Measure how well judges recognise the topics of a web snapshot."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="folder of the snapshot")
        parser.add_argument("--judge", default="all", help='name of a judge, or "all" (default)')
        parser.add_argument("--thumbs", type=int, default=0, help="best pages that get a label")
        parser.add_argument(
            "--ontology", action="store_true", help="the labels below a topic's are its concepts"
        )
        parser.add_argument(
            "--crawl",
            type=int,
            metavar="PAGES",
            help="crawl so many pages of each topic instead, and measure what is kept",
        )
        parser.add_argument(
            "--answers",
            type=int,
            default=0,
            metavar="N",
            help="after each crawl the labels answer so many of the topic's questions",
        )
        parser.add_argument(
            "--conditions",
            choices=sorted(CONDITIONS),
            default=PRODUCT.name,
            help="crawl as the product's first crawl does (default), or as in the laboratory",
        )
        parser.add_argument(
            "--topics", nargs="+", default=["all"], help='"all", a number, or names of topics'
        )
        parser.add_argument("--seed", type=int, default=0, help="of everything random")
        parser.add_argument("--json", type=Path, dest="json_file", help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        require_at_least(0, options, "thumbs", "answers", "seed")
        if options["crawl"] is not None:
            require_at_least(1, options, "crawl")
        if options["crawl"] is None and (options["answers"] or options["conditions"] != "product"):
            raise CommandError("--answers and --conditions need --crawl")
        require_writable(options)
        try:
            self._evaluate(options)
        except CrawlError as error:
            raise CommandError(str(error)) from error

    def _evaluate(self, options: dict[str, Any]) -> None:
        kinds = chosen_judges(options["judge"])
        snapshot = read_snapshot(options["folder"])
        snapshot = replace(snapshot, topics=tuple(chosen_topics(snapshot, options["topics"])))
        pages = parsed_pages(snapshot)
        if options["crawl"] is not None:
            self._crawl(list(kinds), snapshot, pages, options)
            return
        web = JudgedWeb.of(snapshot, pages)
        figures: dict[str, dict[str, Judged]] = {name: {} for name in kinds}
        with tqdm(total=len(kinds) * len(snapshot.topics), desc="judging", unit="topic") as bar:
            for topic in snapshot.topics:
                for name, kind in kinds.items():
                    figures[name][topic.name] = evaluate_judge(
                        kind,
                        web,
                        topic,
                        n_thumbs=options["thumbs"],
                        with_ontology=options["ontology"],
                        seed=options["seed"],
                    )
                    bar.update()
        self._print(figures, snapshot.topics, options)

    def _crawl(
        self,
        judges: Sequence[str],
        snapshot: Snapshot,
        pages: Mapping[str, ParsedPage],
        options: dict[str, Any],
    ) -> None:
        n_answers, seed = options["answers"], options["seed"]
        conditions = CONDITIONS[options["conditions"]]
        self.stdout.write(f"conditions {conditions.name}, {n_answers} answers")
        self.stdout.write(
            f"{'judge':12} {'topic':40} fetched on topic kept right    F1  prec.  recall"
        )
        data: dict[str, Any] = {}
        for judge in judges:
            before: dict[str, Kept] = {}
            found: dict[str, Kept] = {}
            for topic in snapshot.topics:
                before[topic.name], kept = crawl_and_keep(
                    snapshot,
                    pages,
                    topic,
                    judge=judge,
                    n_pages=options["crawl"],
                    seed=seed,
                    conditions=conditions,
                    answers=(0, n_answers),
                )
                found[topic.name] = kept
                self.stdout.write(
                    f"{judge:12} {topic.name[-40:]:40} {kept.n_fetched:7} {kept.n_on_topic:8}"
                    f" {kept.n_kept:4} {kept.n_right:5} {kept.f1:5.3f}  {kept.precision:5.3f}"
                    f"  {kept.recall:6.3f}"
                )
            data[judge] = kept_summary(found)
            if n_answers:
                data[judge]["gain"] = gain(before, found, seed=seed)
            self.stdout.write(
                f"{judge:12} {'mean':40} {'':27} {data[judge]['mean_f1']:5.3f}"
                f"  {data[judge]['mean_precision']:5.3f}  {data[judge]['mean_recall']:6.3f}"
            )
            self._print_more(data[judge])
            self._print_reliability(judge, data[judge]["bins"])
        if options["json_file"]:
            document = {"kept": data, "conditions": conditions.name, "answers": n_answers}
            write_json(options["json_file"], document)

    def _print_more(self, data: dict[str, Any]) -> None:
        self.stdout.write(
            f"without the pages shown: F1 {data['mean_f1_unseen']:.3f},"
            f" AP {data['mean_ap_unseen']:.3f}"
        )
        if "gain" in data:
            low, high = data["gain"]["interval"]
            self.stdout.write(
                f"without answers: F1 {data['gain']['mean_f1_before']:.3f}; gain"
                f" {data['gain']['mean']:.3f} ({low:.3f} to {high:.3f}), paired over topics"
            )

    def _print(
        self,
        figures: dict[str, dict[str, Judged]],
        topics: tuple[SnapshotTopic, ...],
        options: dict[str, Any],
    ) -> None:
        data = {"judges": {name: summary(judged) for name, judged in figures.items()}}
        self.stdout.write(f"{len(topics)} topics, {options['thumbs']} thumbs")
        self.stdout.write(f"{'judge':12} {'mean AP':>8} {'unseen':>8} {'P@100':>8} {'Brier':>8}")
        ranked = sorted(data["judges"].items(), key=lambda item: -item[1]["mean_ap"])
        for name, found in ranked:
            self.stdout.write(
                f"{name:12} {found['mean_ap']:8.3f} {found['mean_ap_unseen']:8.3f}"
                f" {found['precision_100']:8.3f} {found['brier']:8.4f}"
            )
        for name, found in ranked[:1]:
            self._print_reliability(name, found["bins"])
        if options["json_file"]:
            write_json(options["json_file"], data)

    def _print_reliability(self, judge: str, bins: Sequence[Mapping[str, float]]) -> None:
        self.stdout.write(f"\nReliability of {judge}: said, true, pages")
        for tenth in bins:
            self.stdout.write(
                f"  {tenth['relevance']:.3f}  {tenth['relevant']:.3f}  {tenth['n_pages']}"
            )


def chosen_judges(name: str) -> dict[str, Any]:
    """The judge of that name, or all; CommandError if there is none."""
    known: dict[str, Any] = plugins.by_name("judges")
    if name == "all":
        return dict(sorted(known.items()))
    if name not in known:
        raise CommandError(f"--judge: no judge {name!r}; there are {', '.join(sorted(known))}")
    return {name: known[name]}


def summary(judged: dict[str, Judged]) -> dict[str, Any]:
    """A judge's means over the topics, its pages by tenths, and each topic's figures."""
    found = list(judged.values())
    return {
        "mean_ap": fmean(one.ap for one in found),
        "mean_ap_unseen": fmean(one.ap_unseen for one in found),
        "precision_100": fmean(one.precision_100 for one in found),
        "brier": fmean(one.brier for one in found),
        "bins": pooled(found),
        "topics": {name: without_bins(one) for name, one in sorted(judged.items())},
    }


def kept_summary(found: dict[str, Kept]) -> dict[str, Any]:
    """Means over the topics' crawls, and each one's figures."""
    return {
        "mean_f1": fmean(kept.f1 for kept in found.values()),
        "mean_precision": fmean(kept.precision for kept in found.values()),
        "mean_recall": fmean(kept.recall for kept in found.values()),
        "mean_f1_unseen": fmean(kept.f1_unseen for kept in found.values()),
        "mean_ap_unseen": fmean(kept.ap_unseen for kept in found.values()),
        "bins": pooled(list(found.values())),
        "topics": {name: kept_figures(kept) for name, kept in sorted(found.items())},
    }


def kept_figures(kept: Kept) -> dict[str, float]:
    """Figures of one topic's crawl."""
    return without_bins(kept) | {
        "f1": kept.f1,
        "precision": kept.precision,
        "recall": kept.recall,
        "f1_unseen": kept.f1_unseen,
    }


def gain(before: dict[str, Kept], after: dict[str, Kept], *, seed: int) -> dict[str, Any]:
    """What answers add to F1, with its 95 % interval, paired over topics."""
    was = {name: kept.f1 for name, kept in before.items()}
    now = {name: kept.f1 for name, kept in after.items()}
    return {
        "mean_f1_before": fmean(was.values()),
        "mean": fmean(now[name] - was[name] for name in was),
        "interval": list(paired_interval(now, was, seed=seed)),
    }


def without_bins(found: Judged | Kept) -> dict[str, float]:
    """A topic's figures."""
    return {name: value for name, value in asdict(found).items() if name != "bins"}


def pooled(found: Sequence[Judged | Kept]) -> list[dict[str, float]]:
    """The reliability diagram over all topics' pages, by tenths."""
    tenths = []
    for bins in zip(*(one.bins for one in found), strict=True):
        n_pages = sum(one.n_pages for one in bins)
        said = sum(one.n_pages * one.relevance for one in bins) / max(n_pages, 1)
        true = sum(one.n_pages * one.relevant for one in bins) / max(n_pages, 1)
        tenths.append({"n_pages": n_pages, "relevance": said, "relevant": true})
    return tenths
