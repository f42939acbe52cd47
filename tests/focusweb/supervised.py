"""A small FocusWeb for tests: the real supervisor over children made of one line of Python."""

import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from focusweb.runtime.run_folder import RunFolder
from focusweb.runtime.supervisor import ChildPlan, ProgressSign, RestartPolicy, Supervisor

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent.parent
BRISK = RestartPolicy(
    look_every_s=0.05,
    status_every_s=0.1,
    first_pause_s=0.1,
    longest_pause_s=0.8,
    steady_after_s=60,
    grace_s=5,
)
#: A cluster that gives no sign of life for so long is replaced, if there is work.
STALL_S = 0.6
SLEEP = "import time; time.sleep(600)"


def wait_for(what: Callable[[], T]) -> T:
    """Return the first true answer; fail when there is none within 15 s."""
    deadline = time.monotonic() + 15
    while not (answer := what()):
        assert time.monotonic() < deadline, "nothing happened within 15 s"
        time.sleep(0.02)
    return answer


class Supervised:
    """A supervisor in a process of its own, so that real signals can reach it."""

    def __init__(
        self,
        path: Path,
        children: dict[str, str],
        pace: RestartPolicy = BRISK,
        stall_s: float = STALL_S,
    ) -> None:
        self.folder = RunFolder(path)
        pace_values = dataclasses.asdict(pace)
        order = {"path": str(path), "children": children, "pace": pace_values, "stall_s": stall_s}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.focusweb.supervised", json.dumps(order)], cwd=ROOT
        )
        wait_for(lambda: self.status().get("pid") == self.process.pid)

    def status(self) -> dict[str, Any]:
        """What the supervisor wrote last."""
        if not self.folder.status.exists():
            return {}
        found: dict[str, Any] = json.loads(self.folder.status.read_text())
        return found

    def child(self, name: str) -> dict[str, Any]:
        """The state of one child."""
        found: dict[str, Any] = self.status()["children"][name]
        return found

    def wait_for_file(self, name: str) -> str:
        """The content of a file that a child writes into the run folder."""
        file = self.folder.path / name
        return wait_for(lambda: file.read_text() if file.exists() else "")

    def stop(self) -> int:
        """Send a stop signal; return its exit code."""
        self.process.terminate()
        return self.process.wait(15)


def main(order: dict[str, Any]) -> None:
    """Supervise until a signal comes."""
    folder = RunFolder(Path(order["path"]))
    sign = ProgressSign(folder.beat, order["stall_s"], (folder.path / "work").exists)
    # A child is the last argument after "-c" and finds the run folder in its environment.
    plans = [
        ChildPlan(
            name,
            (sys.executable, "-c", code),
            (sign,) if name == "cluster" else (),
            before_start=(folder.path / f"{name}-prepared").touch,
        )
        for name, code in order["children"].items()
    ]
    with folder.locked("http://127.0.0.1:1/"):
        folder.end_stale_children()
        Supervisor(
            plans,
            folder,
            environment={**os.environ, "RUN": order["path"]},
            fallback={"CALM": "1"},
            pace=RestartPolicy(**order["pace"]),
        ).run()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
