"""Simulate webs over weeks of simulated time, and report what a monitor finds."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from crawler.lab.simulation.experiment import SimulationScope, chosen_policies, jobs_of, simulate
from crawler.lab.simulation.making import Extent
from crawler.lab.simulation.monitor import WatchPlan
from crawler.lab.simulation.report import as_data, as_lines, charts
from crawler.lab.simulation.revisiting import POLICIES, RevisitPlan
from crawler.management.commands.evaluate import (
    require_at_least,
    require_writable,
    write_file,
    write_json,
)
from focusweb.charts.line_chart import svg

#: Smaller webs have no room for what is planted in them, shorter ones no time to find it.
LEAST_PAGES, LEAST_WEEKS = 2_000, 3


class Command(BaseCommand):
    help = "Watch simulated webs for weeks with the product's code, and compare revisit policies."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", type=Path, dest="json_file", help="write the figures here")
        parser.add_argument("--plots", type=Path, help="draw curves into this folder")
        parser.add_argument("--seed", type=int, default=1, help="of everything random")
        parser.add_argument("--seeds", type=int, default=3, help="how many webs (default 3)")
        parser.add_argument("--pages", type=int, default=52_000, help="of a web (default 52000)")
        parser.add_argument("--weeks", type=int, default=4, help="watched (default 4)")
        parser.add_argument(
            "--policies", default="all", help=f'names with commas, or "all": {", ".join(POLICIES)}'
        )
        parser.add_argument("--processes", type=int, default=0, help="0 takes every core")
        parser.add_argument("--quick", action="store_true", help="a small web, one seed: seconds")

    def handle(self, *args: Any, **options: Any) -> None:
        require_at_least(0, options, "processes", "seed")
        require_writable(options)
        scope = simulation_scope(options)
        n_processes = options["processes"] or os.cpu_count() or 1
        with tqdm(total=len(jobs_of(scope)), desc="simulating", unit="run") as bar:
            results = simulate(scope, bar.update, n_processes=n_processes)
        for line in as_lines(results, scope):
            self.stdout.write(line)
        if options["json_file"]:
            write_json(options["json_file"], as_data(results, scope))
        if options["plots"]:
            for name, chart in charts(results).items():
                write_file(options["plots"] / f"found-{name}.svg", svg(chart).encode())


def simulation_scope(options: dict[str, Any]) -> SimulationScope:
    """The scope that the options select; CommandError for what cannot be simulated."""
    n_pages, n_weeks, n_seeds = options["pages"], options["weeks"], options["seeds"]
    if n_pages < LEAST_PAGES or n_weeks < LEAST_WEEKS or n_seeds < 1:
        raise CommandError(
            f"need --pages {LEAST_PAGES} or more, --weeks {LEAST_WEEKS} or more and --seeds 1 or"
            f" more; got {n_pages}, {n_weeks} and {n_seeds}"
        )
    names = options["policies"].replace(" ", "").split(",")
    try:
        policies = chosen_policies(POLICIES if names == ["all"] else names, POLICIES)
    except ValueError as error:
        raise CommandError(f"--policies: {error}") from error
    if options["quick"]:
        extent = Extent(n_pages=4_000, n_sites=120, n_days=7 * LEAST_WEEKS)
        revisit = RevisitPlan(n_sources=100, n_weeks=4, tick_h=3.0)
        plan = WatchPlan(run_h=24.0, n_pages=60, first_pages=150)
        return SimulationScope(policies, options["seed"], 1, extent, revisit, plan)
    extent = Extent(n_pages=n_pages, n_days=7 * n_weeks)
    revisit = RevisitPlan(n_weeks=max(n_weeks, 8))
    return SimulationScope(policies, options["seed"], n_seeds, extent, revisit)
