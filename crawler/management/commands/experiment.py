"""Repeat the experiments of the four papers and report which claims hold."""

import os
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from crawler.errors import CrawlError
from crawler.lab.evaluating import LAB, Plan
from crawler.lab.experiments.adaptive import run_adaptive
from crawler.lab.experiments.claim import Findings, Progress
from crawler.lab.experiments.genetic import run_genetic
from crawler.lab.experiments.made_web import make_topic_web
from crawler.lab.experiments.on_webs import ExperimentSetup
from crawler.lab.experiments.ontology import run_ontology
from crawler.lab.experiments.viterbi import N_REPEATS, N_RUNS, run_viterbi
from crawler.management.commands.evaluate import (
    chosen_judge,
    chosen_topics,
    parsed_pages,
    require_at_least,
    require_writable,
    write_file,
    write_json,
)
from crawler.replay.snapshot import Snapshot, read_snapshot
from focusweb.charts.line_chart import svg

ON_WEBS: dict[str, Callable[..., Findings]] = {
    "ontology": run_ontology,
    "adaptive": run_adaptive,
    "genetic": run_genetic,
}
#: The third and the fourth paper compare vectors by their angle.
PAPER_JUDGE = "cosine"
NAMES = ("ontology", "viterbi", "adaptive", "genetic")


class Command(BaseCommand):
    help = "Repeat the experiments of the four papers and report which claims hold."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", choices=(*NAMES, "all"), help="whose experiment")
        parser.add_argument(
            "--snapshot",
            type=Path,
            action="append",
            default=[],
            help="folder of a web snapshot to crawl, may be given again; without it a made-up web",
        )
        parser.add_argument(
            "--topics", nargs="+", default=["all"], help='"all", a number, or names'
        )
        parser.add_argument(
            "--judge",
            default=PAPER_JUDGE,
            help=f"name of the judge (default {PAPER_JUDGE}, as in the papers)",
        )
        parser.add_argument("--seed", type=int, default=0, help="of everything random")
        parser.add_argument(
            "--webs", type=int, default=N_REPEATS, help=f"of viterbi (default {N_REPEATS})"
        )
        parser.add_argument(
            "--runs", type=int, default=N_RUNS, help=f"of viterbi on each web (default {N_RUNS})"
        )
        parser.add_argument("--json", type=Path, dest="json_file", help="write the figures here")
        parser.add_argument("--plots", type=Path, help="draw curves into this folder")

    def handle(self, *args: Any, **options: Any) -> None:
        require_at_least(0, options, "seed")
        require_at_least(1, options, "webs", "runs")
        require_writable(options)
        names = NAMES if options["name"] == "all" else (options["name"],)
        found: dict[str, Any] = {}
        try:
            for title, findings in self._experiments(names, options):
                self._print(title, findings)
                found[title] = _as_data(findings)
                if options["plots"]:
                    _draw(options["plots"], title, findings)
        except CrawlError as error:
            raise CommandError(str(error)) from error
        if options["json_file"]:
            write_json(options["json_file"], found)

    def _experiments(
        self, names: tuple[str, ...], options: dict[str, Any]
    ) -> Iterator[tuple[str, Findings]]:
        if "viterbi" in names:
            with tqdm(desc="viterbi", unit="trial") as bar:
                yield (
                    "viterbi",
                    run_viterbi(
                        seed=options["seed"],
                        progress=bar.update,
                        n_runs=options["runs"],
                        n_repeats=options["webs"],
                    ),
                )
        if not ON_WEBS.keys() & set(names):
            return
        for snapshot in _webs(options):
            field = _field(snapshot, options)
            for name in names:
                if name in ON_WEBS:
                    with tqdm(desc=f"{name} on {field.name}", unit="crawl") as bar:
                        yield f"{name}/{field.name}", _run(name, field, bar.update)

    def _print(self, title: str, findings: Findings) -> None:
        self.stdout.write(f"\n{title}")
        for claim in findings.claims:
            self.stdout.write(f"  {claim.text}")
            self.stdout.write(f"    paper: {claim.paper}")
            self.stdout.write(f"    ours:  {claim.ours}")
            self.stdout.write(f"    {claim.measured}")
            for margin in claim.margins:
                self.stdout.write(f"    {margin}")
            self.stdout.write(f"    {claim.outcome}{': ' * bool(claim.reason)}{claim.reason}")


def _webs(options: dict[str, Any]) -> Iterator[Snapshot]:
    for folder in options["snapshot"]:
        yield read_snapshot(folder)
    if not options["snapshot"]:
        yield make_topic_web(options["seed"])


def _field(snapshot: Snapshot, options: dict[str, Any]) -> ExperimentSetup:
    pages = parsed_pages(snapshot, cached=bool(options["snapshot"]))
    # The papers' crawlers knew pages of the web they crawled, and went to any depth.
    plan = Plan(judge=chosen_judge(options["judge"]), seed=options["seed"], conditions=LAB)
    topics = chosen_topics(snapshot, options["topics"])
    return ExperimentSetup(snapshot, pages, topics, plan, os.cpu_count() or 1)


def _run(name: str, field: ExperimentSetup, progress: Progress) -> Findings:
    return ON_WEBS[name](field, progress=progress)


def _as_data(findings: Findings) -> dict[str, Any]:
    return {
        "claims": [asdict(claim) for claim in findings.claims],
        "figures": findings.figures,
    }


def _draw(folder: Path, title: str, findings: Findings) -> None:
    for name, chart in findings.charts.items():
        stem = f"{title.replace('/', '-')}-{name}"
        write_file(folder / f"{stem}.svg", svg(chart).encode())
