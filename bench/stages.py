"""Where the processor time of a page goes: two crawls of the benchmark's web, by stage.

`python -m bench.stages` crawls as `manage.py crawl` does, at both sizes of `bench/run.py`, and
prints what each page between the two costs. It counts the time of the main thread by stage,
of all fetch threads, and of the parse children, and the SQL statements by stage. With
`--profile FILE` the main thread is profiled by function.
"""

import argparse
import cProfile
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage, struct_rusage
from typing import Any

from bench.run import LARGE, ROOT, SMALL, prepare

#: Functions whose time, and that of what they call, is a stage; of nested ones the inner counts.
STAGES = (
    "crawler.crawl.worker:begin",
    "crawler.crawl.worker:manage",
    "crawler.crawl.worker:collect_assignment",
    "crawler.crawl.worker:context_of",
    "crawler.crawl.manager:plan",
    "crawler.crawl.manager:integrate",
    "crawler.crawl.manager:renew_scores",
    "crawler.crawl.database_blackboard:DatabaseBlackboard.unintegrated",
    "crawler.crawl.database_blackboard:DatabaseBlackboard.learn",
    "crawler.crawl.database_blackboard:DatabaseBlackboard.group_stories",
    "crawler.crawl.database_blackboard:DatabaseBlackboard.assign",
    "crawler.crawl.database_blackboard:DatabaseBlackboard.take",
    "crawler.crawl.database_blackboard:DatabaseBlackboard.post",
    "crawler.crawl.database_blackboard:DatabaseBlackboard.close",
    "crawler.crawl.database_blackboard:DatabaseBlackboard.rejudge_stored",
    "crawler.crawl.collector:assess",
)


class Clock:
    """Counts the main thread's time and SQL statements by stage."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.statements: Counter[str] = Counter()
        self.shape_seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
        self.shapes: Counter[tuple[str, str]] = Counter()
        self._stack = ["(other)"]
        self._since = time.thread_time()

    def turn(self) -> None:
        """Count the time since the last turn for the stage that runs."""
        now = time.thread_time()
        self.seconds[self._stack[-1]] += now - self._since
        self._since = now

    def watch(self, path: str) -> None:
        """Let a function be a stage."""
        module, _, names = path.partition(":")
        owner: Any = import_module(module)
        *outer, name = names.split(".")
        for part in outer:
            owner = getattr(owner, part)
        setattr(owner, name, self._counted(getattr(owner, name), name))

    def _counted(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        @wraps(function)
        def counted(*args: Any, **named: Any) -> Any:
            if threading.current_thread() is not threading.main_thread():
                return function(*args, **named)
            self.turn()
            self._stack.append(name)
            try:
                return function(*args, **named)
            finally:
                self.turn()
                self._stack.pop()

        return counted

    def count(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        """Count one SQL statement; an execute wrapper of Django's."""
        self.statements[self._stack[-1]] += 1
        shape = self._stack[-1], " ".join(re.sub(r"(%s, )+%s", "%s, ...", sql).split())
        self.shapes[shape] += 1
        since = time.thread_time()
        try:
            return execute(sql, params, many, context)
        finally:
            self.shape_seconds[shape] += time.thread_time() - since


def main() -> None:
    """Crawl twice and print what each stage took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", type=Path, help="write a profile of the main thread here")
    parser.add_argument("--shapes", type=int, default=0, help="slowest statements to print")
    options = parser.parse_args()
    site = subprocess.Popen(
        [sys.executable, "-m", "bench.site", str(LARGE)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert site.stdout is not None and site.stdin is not None
    ports = site.stdout.readline().split()
    try:
        small, large = (crawled(ports, size, options) for size in (SMALL, LARGE))
    finally:
        site.stdin.close()
        site.wait()
    report(small, large)


def crawled(ports: Sequence[str], n_pages: int, options: argparse.Namespace) -> dict[str, Any]:
    """One crawl in a child process, and what it counted."""
    # A fork, as Django can be set up for one database only.
    inward, outward = os.pipe()
    if child := os.fork():
        os.close(outward)
        with os.fdopen(inward) as pipe:
            counted: dict[str, Any] = json.loads(pipe.read())
        os.waitpid(child, 0)
        return counted
    with tempfile.TemporaryDirectory() as folder, os.fdopen(outward, "w") as pipe:
        os.environ.update(prepare(folder, ports))
        pipe.write(json.dumps(crawl(n_pages, options)))
    os._exit(0)


def crawl(n_pages: int, options: argparse.Namespace) -> dict[str, Any]:
    """Crawl in this process. Return seconds and statements by stage."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    django.setup()
    from django.db import connection

    from crawler.crawl import worker
    from crawler.models import Assignment
    from focusweb.clock import utc_now
    from topics.models import Topic
    from topics.runs.start_stop import create_run

    run = create_run(Topic.objects.get_named("bench"), utc_now(), n_pages=n_pages)
    clock = Clock()
    for path in STAGES:
        clock.watch(path)
    profile = cProfile.Profile(time.thread_time)
    before = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN), time.thread_time()
    with connection.execute_wrapper(clock.count):
        clock.turn()
        if options.profile:
            profile.enable()
        run = worker.crawl_in_foreground(run, lambda run: None, lambda: False)
        profile.disable()
        clock.turn()
    process = cpu_s(getrusage(RUSAGE_SELF)) - cpu_s(before[0])
    children = cpu_s(getrusage(RUSAGE_CHILDREN)) - cpu_s(before[1])
    main_s = time.thread_time() - before[2]
    if options.profile:
        profile.dump_stats(options.profile)
    if n_pages == LARGE:
        slowest = sorted(clock.shape_seconds.items(), key=lambda item: -item[1])
        for (stage, sql), seconds in slowest[: options.shapes]:
            times = clock.shapes[stage, sql]
            print(f"{1000 * seconds:6.0f} ms, {times:4} times in {stage}: {sql[:250]}")
    return {
        "pages": run.fetched,
        "assignments": Assignment.objects.filter(run=run).count(),
        "parts": {
            "all": process + children,
            "main thread": main_s,
            "fetch threads": process - main_s,
            "parse children": children,
        },
        "seconds": clock.seconds,
        "statements": clock.statements,
    }


def report(small: dict[str, Any], large: dict[str, Any]) -> None:
    """Print what the pages between the two sizes cost."""
    n = large["pages"] - small["pages"]
    print(
        f"{large['assignments']} assignments for {large['pages']} pages, {small['assignments']}"
        f" for {small['pages']}; ms CPU for each page between"
    )
    for part, seconds in large["parts"].items():
        print(f"{part:24} {1000 * (seconds - small['parts'][part]) / n:6.2f}")
    total = sum(large["statements"].values()) - sum(small["statements"].values())
    print(f"{'stage of the main thread':24} {'ms':>6} statements for 1,000 pages: {total}")
    for stage, seconds in sorted(large["seconds"].items(), key=lambda item: -item[1]):
        cost = 1000 * (seconds - small["seconds"].get(stage, 0.0)) / n
        n_sql = large["statements"].get(stage, 0) - small["statements"].get(stage, 0)
        print(f"{stage:24} {cost:6.2f} {n_sql:6}")


def cpu_s(usage: struct_rusage) -> float:
    """User and system seconds."""
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
