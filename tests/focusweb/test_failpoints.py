"""A kill point acts at its moment, and nowhere else."""

import subprocess
import sys
from pathlib import Path

import pytest

from crawler.errors import ConfigurationError
from focusweb import failpoints
from focusweb.failpoints import POINTS, FailPlan, pass_point, read_plan

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("", None),
        ("page.inserted:3", FailPlan("page.inserted", 3, "kill")),
        ("index.toc:1:enospc", FailPlan("index.toc", 1, "enospc")),
        ("digest.due:2:stop", FailPlan("digest.due", 2, "stop")),
    ],
)
def test_a_plan_is_read(text: str, plan: FailPlan | None) -> None:
    assert read_plan(text) == plan


@pytest.mark.parametrize(
    "text", ["page.inserted", "page.inserted:0", "page.inserted:x", "nowhere:1", "index.toc:1:burn"]
)
def test_a_plan_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="FOCUSWEB_KILL_AT must be"):
        read_plan(text)


def test_a_full_disk_comes_at_the_nth_passing_only() -> None:
    failpoints.arm(FailPlan("index.added", 2, "enospc"))
    try:
        pass_point("index.added")
        pass_point("index.toc")
        with pytest.raises(OSError, match="on purpose"):
            pass_point("index.added")
        pass_point("index.added")
    finally:
        failpoints.arm(None)


def test_a_kill_is_the_end_of_the_process() -> None:
    code = (
        "from focusweb import failpoints as k;"
        "k.arm(k.read_plan('claim.after:2')); k.pass_point('claim.after'); "
        "print('alive', flush=True);"
        "k.pass_point('claim.after'); print('still alive')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (-9, "alive\n")


#: Each search engine passes these in a writer of its own.
OF_EACH_ENGINE = {"index.added", "index.segment", "index.toc"}


def _passed(point: str) -> str:
    """How the code passes a point; digests and deliveries share the steps of the ledger."""
    kind, _, step = point.partition(".")
    if kind in ("digest", "delivery") and step in ("sending", "accepted", "sent"):
        return f'pass_point(f"{{terms.points}}.{step}")'
    return f'pass_point("{point}")'


@pytest.mark.parametrize("point", POINTS)
def test_every_point_is_passed_in_one_place(point: str) -> None:
    callers = [
        file
        for app in ("crawler", "topics")
        for file in (ROOT / app).rglob("*.py")
        if _passed(point) in file.read_text("utf-8")
    ]

    engines = {file.parent.name for file in callers} if point in OF_EACH_ENGINE else {""}
    assert len(callers) == len(engines)
    assert engines in ({""}, {"fts5", "postgres", "tantivy", "whoosh"})
