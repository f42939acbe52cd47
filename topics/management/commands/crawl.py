"""Crawl one topic in the foreground; needs no cluster."""

import json
import signal
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from crawler.api.runs import crawl_in_foreground, utc_now, wrong_settings
from crawler.api.tables import Assignment, Run
from focusweb.runtime.process_id import is_dead
from topics.errors import AlreadyRunning, CannotRun, TopicError
from topics.management.options import require_pages
from topics.models import Topic
from topics.runs import start_stop
from topics.search import outbox

#: Time the index may take at the end, in seconds.
INDEX_S = 600.0


class Command(BaseCommand):
    help = "Crawl a topic now, here, and say how it went."
    #: All but those of web pages: they would load 28 MB of modules that no crawl needs.
    requires_system_checks = ["database", "models"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the topic's short name, or PERSON/NAME")
        parser.add_argument("--pages", type=int, help="page budget of this run")
        parser.add_argument(
            "--no-index", action="store_true", help="leave the search index for later"
        )
        parser.add_argument(
            "--processes",
            type=int,
            default=1,
            help="share the run with others: start the command so many times",
        )
        parser.add_argument("--json", action="store_true", help="one JSON object as last line")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            topic = Topic.objects.get_named(options["slug"])
        except TopicError as error:
            raise CommandError(str(error)) from error
        require_pages(options["pages"])
        if options["processes"] < 1:
            raise CommandError(f"--processes must be at least 1, got {options['processes']}")
        for name, problem in wrong_settings():
            raise CommandError(f"{name}: {problem}.")
        run = self._run(topic, options["pages"], shared=options["processes"] > 1)
        self._stop = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._request_stop)
        with tqdm(total=run.n_pages, unit="page", disable=None) as bar:
            run = crawl_in_foreground(
                run,
                lambda run: _show(bar, run),
                lambda: self._stop,
                n_processes=options["processes"],
            )
        if not options["no_index"]:
            outbox.drain_all(INDEX_S)
        report = _report(run)
        self.stdout.write(json.dumps(report) if options["json"] else _lines(report))

    def _request_stop(self, number: int, frame: FrameType | None) -> None:
        self._stop = True

    def _run(self, topic: Topic, n_pages: int | None, *, shared: bool) -> Run:
        """A new run, or the open one if it is shared or its process has ended."""
        run = topic.open_run()
        if run is None:
            try:
                return start_stop.create_run(topic, utc_now(), n_pages=n_pages)
            except AlreadyRunning as error:
                run = topic.open_run()  # Another process created it just now.
                if run is None or not shared:
                    raise CommandError(str(error)) from error
            except CannotRun as error:
                raise CommandError(str(error)) from error
        if shared:
            return run
        holders = Assignment.objects.filter(run=run, closed=None).exclude(taken_by="")
        if any(not is_dead(owner) for owner in holders.values_list("taken_by", flat=True)):
            raise CommandError(f"“{topic}” is being crawled already; stop that run first.")
        if n_pages is not None:
            run.n_pages = n_pages
            run.save(update_fields=["n_pages"])
        return run


def _show(bar: "tqdm[Any]", run: Run) -> None:
    bar.set_postfix(kept=run.kept, failed=run.failed, refresh=False)
    bar.update(run.n_judged - bar.n)


def _report(run: Run) -> dict[str, Any]:
    errors = {code: n for code, n in sorted(run.reasons.items()) if code not in _NO_ERRORS}
    return {
        "fetched": run.fetched,
        "kept": run.kept,
        "harvest": round(run.harvest_rate, 4),
        "pages_per_s": round(run.pages_per_s(utc_now()), 2),
        "cpu_s_per_page": round(run.cpu_s / run.fetched, 5) if run.fetched else None,
        "errors": errors,
        "stop_reason": run.stop_reason,
    }


_NO_ERRORS = frozenset({"fetched", "redirected", "unchanged"})


def _lines(report: dict[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in report.items())
