"""Crawl a web snapshot under several strategies and compare them."""

import contextlib
import errno
import json
import os
import re
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from crawler.errors import CrawlError
from crawler.judging.context import make_strategy
from crawler.knowledge.profile import CrawlSettings
from crawler.lab.evaluating import (
    CONDITIONS,
    FLOOR,
    N_KNOWN,
    PRODUCT,
    Conditions,
    Plan,
    evaluate,
    truth_of,
    variant,
)
from crawler.lab.evaluation_report import Results, as_data, as_table, recall_chart
from crawler.page.parsed import ParsedPage
from crawler.replay.metrics import MARKS
from crawler.replay.parsed_snapshot import parse_snapshot
from crawler.replay.snapshot import Snapshot, SnapshotTopic, read_snapshot
from focusweb import plugins
from focusweb.charts.line_chart import svg


class Command(BaseCommand):
    help = "Crawl a web snapshot under several strategies and compare them."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="folder of the snapshot")
        parser.add_argument(
            "--strategies",
            default="all",
            help='names with commas, or "all" (default); NAME:PARAMETER=NUMBER sets a parameter',
        )
        parser.add_argument(
            "--topics", nargs="+", default=["all"], help='"all", a number, or names of topics'
        )
        parser.add_argument(
            "--budget",
            default="2x",
            help="fetches that count: 2x is twice the topic's size (default), 500 is 500",
        )
        parser.add_argument("--judge", default="", help="name of the judge")
        parser.add_argument(
            "--conditions",
            choices=sorted(CONDITIONS),
            default=PRODUCT.name,
            help="crawl as the product's first crawl does (default), or as in the laboratory: "
            f"{N_KNOWN} pages of the same web known before, a turn every 5 pages, any depth",
        )
        parser.add_argument(
            "--background",
            default="",
            help="pages of any subject that the judge knows before a crawl, instead of those of "
            'the conditions; "own" leaves it the pages of its own crawl',
        )
        parser.add_argument("--seed", type=int, default=0, help="of everything random")
        parser.add_argument("--json", type=Path, dest="json_file", help="write the figures here")
        parser.add_argument("--plots", type=Path, help="draw curves into this folder")
        parser.add_argument("--processes", type=int, default=0, help="0 takes every core")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._evaluate(options)
        except CrawlError as error:
            raise CommandError(str(error)) from error

    def _evaluate(self, options: dict[str, Any]) -> None:
        require_at_least(0, options, "processes", "seed")
        names = chosen_strategies(options["strategies"])
        judge = chosen_judge(options["judge"])
        snapshot = read_snapshot(options["folder"])
        topics = chosen_topics(snapshot, options["topics"])
        n_processes = options["processes"] or os.cpu_count() or 1
        times, fetches = chosen_budget(options["budget"])
        conditions = chosen_conditions(options["conditions"], options["background"])
        plan = Plan(judge, times, fetches, options["seed"], conditions)
        require_writable(options)
        pages = parsed_pages(snapshot)
        results = Results()
        ends = len(topics) * (1 + (FLOOR not in names))
        with tqdm(total=len(names) * len(topics) + ends, desc="crawling", unit="crawl") as bar:
            for crawled in evaluate(snapshot, pages, names, topics, plan, n_processes=n_processes):
                results.add(crawled)
                bar.update()
        self._print(results, snapshot, topics, plan, options)

    def _print(
        self,
        results: Results,
        snapshot: Snapshot,
        topics: Sequence[SnapshotTopic],
        plan: Plan,
        options: dict[str, Any],
    ) -> None:
        truths = {topic.name: truth_of(snapshot, topic) for topic in topics}
        budgets = {topic.name: plan.budget(topic) for topic in topics}
        data = as_data(results, seed=plan.seed)
        data["overlap"] = results.overlaps(truths, budgets)
        data["judge"], data["seed"] = plan.judge, plan.seed
        conditions = plan.conditions
        data["conditions"], data["background"] = conditions.name, conditions.n_known
        self.stdout.write(
            f"{len(topics)} topics, {len(snapshot.pages)} pages, judge {plan.judge}, "
            f"conditions {conditions.name}, background {conditions.n_known or 'own'}"
        )
        data["skipped"] = dict(snapshot.skipped)
        if snapshot.skipped:
            self.stdout.write(skipped_line(snapshot.skipped))
        for line in as_table(data):
            self.stdout.write(line)
        if options["json_file"]:
            write_json(options["json_file"], data)
        if options["plots"]:
            chart = recall_chart(results, truths, times=MARKS[-1])
            write_file(options["plots"] / "recall.svg", svg(chart).encode())


def require_at_least(least: int, options: Mapping[str, Any], *names: str) -> None:
    """Raise CommandError for the first of these options that is less."""
    for name in names:
        if options[name] < least:
            raise CommandError(f"--{name}: must be at least {least}, got {options[name]}")


def chosen_budget(text: str) -> tuple[float | None, int | None]:
    """Read "2x" as a multiple of the topic's size, "500" as fetches."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)(x?)", text, re.ASCII)
    if match is None or float(match[1]) <= 0 or (not match[2] and "." in match[1]):
        raise CommandError(f"--budget: 2x, 0.5x or 500, above 0; got {text!r}")
    return (float(match[1]), None) if match[2] else (None, int(match[1]))


def chosen_conditions(name: str, background: str) -> Conditions:
    """The conditions of that name, with another background if one is named."""
    conditions = CONDITIONS[name]
    if not background:
        return conditions
    return replace(conditions, n_known=chosen_background(background))


def chosen_background(text: str) -> int:
    """Read "own" as 0 pages, "300" as 300."""
    if text == "own":
        return 0
    if not re.fullmatch(r"\d{1,6}", text, re.ASCII):
        raise CommandError(f'--background: "own" or a number of pages, got {text!r}')
    return int(text)


def chosen_strategies(text: str) -> list[str]:
    """Names of strategies, each once; CommandError on one that does not exist."""
    known = plugins.by_name("strategies")
    if text == "all":
        return sorted(known)
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        kind, parameters = variant(name)
        if kind not in known:
            raise CommandError(f"--strategies: no strategy {kind!r}; there are {_listed(known)}")
        make_strategy(CrawlSettings(strategy=kind, strategy_parameters=parameters))
    if not names:
        raise CommandError(f"--strategies: name at least one of {_listed(known)}")
    return names


def chosen_judge(name: str) -> str:
    """The judge of the option; without the option the best one."""
    known = plugins.by_name("judges")
    if name and name not in known:
        raise CommandError(f"--judge: no judge {name!r}; there are {_listed(known)}")
    return name or ("focus" if "focus" in known else "cosine")


def chosen_topics(snapshot: Snapshot, wishes: Sequence[str]) -> list[SnapshotTopic]:
    """All topics, the first N, or those named."""
    if not snapshot.topics:
        raise CommandError(f"{snapshot.folder}: the snapshot has no topics")
    if wishes == ["all"]:
        return list(snapshot.topics)
    if len(wishes) == 1 and wishes[0].isdecimal():
        if int(wishes[0]) < 1:
            raise CommandError("--topics: at least 1 topic is needed")
        return list(snapshot.topics[: int(wishes[0])])
    return [snapshot.get_topic(name) for name in dict.fromkeys(wishes)]


def skipped_line(skipped: Mapping[str, int]) -> str:
    """What of a snapshot was skipped, with numbers."""
    skips = ", ".join(f"{n} {name}" for name, n in skipped.items())
    return f"skipped, as no crawl may fetch their addresses: {skips}"


def require_writable(options: Mapping[str, Any]) -> None:
    """Raise CommandError if the results could not be written, before the work of hours."""
    files = [options["json_file"]] if options["json_file"] else []
    if options.get("plots"):
        files.append(options["plots"] / "plot.svg")
    for path in files:
        part = _part_of(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if part != path:
                part.touch()
                part.unlink()
            elif path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        except OSError as error:
            raise CommandError(f"{path}: cannot be written ({error.strerror})") from error


def parsed_pages(snapshot: Snapshot, *, cached: bool = True) -> dict[str, ParsedPage]:
    """Parse a snapshot's pages under a progress bar, or take them from the data folder's cache."""
    cache = settings.DATA_DIR / "cache" if cached else None
    with tqdm(total=len(snapshot.pages), desc="parsing", unit="page") as bar:
        return parse_snapshot(snapshot, progress=bar.update, cache=cache)


def write_json(path: Path, data: object) -> None:
    """Write the figures; CommandError if that is not possible."""
    write_file(path, json.dumps(data, ensure_ascii=False, indent=1).encode())


def write_file(path: Path, content: bytes) -> None:
    """Write a whole result or nothing, making its folder; CommandError if that is not possible."""
    part = _part_of(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        if part != path:
            os.replace(part, path)
    except OSError as error:
        if part != path:
            with contextlib.suppress(OSError):
                part.unlink()
        raise CommandError(f"{path}: cannot be written ({error.strerror})") from error


def _part_of(path: Path) -> Path:
    """Where a result is written before it replaces an older one."""
    # A link, a pipe or a device, such as /dev/stdout, is written to, not replaced.
    is_replaced = not path.is_symlink() and (path.is_file() or not path.exists())
    return path.with_name(f"{path.name}.part") if is_replaced else path


def _listed(names: Sequence[str] | dict[str, Any]) -> str:
    return ", ".join(sorted(names))
