"""F2: any part of the running cluster is killed; work goes on, and no process is left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from tests.crashes.installation import ROOT, Installation
from tests.crashes.site import Web

T = TypeVar("T")
#: The sentinel's children in the order in which it starts them, with two workers.
PARTS = ("leader", "sentinel", "worker", "second worker", "monitor", "pusher")


@dataclass
class Cluster:
    """A supervised cluster on a data folder."""

    installation: Installation
    supervisor: subprocess.Popen[bytes]

    def leader(self) -> int:
        """The cluster's first process; 0 while it is being started."""
        try:
            status = json.loads((self.installation.folder / "run" / "status.json").read_text())
        except FileNotFoundError:
            return 0
        return int(status["children"]["cluster"]["pid"] or 0)

    def parts(self) -> dict[str, int]:
        """The processes of the cluster, once all are there."""

        def all_there() -> dict[str, int]:
            leader = self.leader()
            sentinels = children_of(leader) if leader else []
            rest = children_of(sentinels[0]) if sentinels else []
            found = dict(zip(PARTS, [leader, *sentinels[:1], *rest], strict=False))
            return found if len(found) == len(PARTS) else {}

        return wait_for(all_there, 60)

    def work_off(self, n_before: int) -> None:
        """Give it tasks until one is done.

        What a killed process had in hand stays locked in the queue for minutes. That is harmless,
        as the queue is only a wake-up; later ones must not wait for it.
        """
        for _ in range(20):
            assert self.installation.work("queue") == 0, self.installation.log()
            give_up = time.monotonic() + 10
            while time.monotonic() < give_up:
                if self.n_done() > n_before:
                    return
                time.sleep(0.1)
        raise AssertionError("no task is done any more")

    def n_done(self) -> int:
        rows = self.installation.rows("SELECT count(*) FROM django_q_task WHERE func LIKE '%index'")
        return int(str(rows[0][0]))

    def strangers(self) -> list[int]:
        """Processes of a cluster on this folder that are not the present one's."""
        leader = self.leader()
        ours = {leader, *children_of(leader)}
        ours |= {one for parent in list(ours) for one in children_of(parent)}
        return [pid for pid in cluster_processes(self.installation.folder) if pid not in ours]


def wait_for(what: Callable[[], T], limit_s: float) -> T:
    """The first true answer."""
    give_up = time.monotonic() + limit_s
    while not (answer := what()):
        assert time.monotonic() < give_up, f"nothing happened within {limit_s} s"
        time.sleep(0.1)
    return answer


def children_of(parent: int) -> list[int]:
    """Child processes, the oldest first."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append((int(fields[19]), int(entry.name)))
    return [pid for _, pid in sorted(found)]


def cluster_processes(folder: Path) -> list[int]:
    """Every living process of a cluster that works on a data folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
            environment = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"qcluster" in command and f"FOCUSWEB_DATA={folder}".encode() in environment:
            found.append(int(entry.name))
    return found


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with (
        Web(1, 1, tmp_path / "server.log") as web,
        Installation(tmp_path / "data", web, FOCUSWEB_WORKERS="2") as installation,
    ):
        supervisor = subprocess.Popen(
            [sys.executable, "-m", "tests.crashes.cluster"], cwd=ROOT, env=installation.environment
        )
        yield Cluster(installation, supervisor)
        supervisor.send_signal(signal.SIGTERM)
        assert supervisor.wait(60) == 0
        assert cluster_processes(installation.folder) == []


@pytest.mark.torture
def test_f2_any_part_of_the_cluster_may_be_killed(cluster: Cluster) -> None:
    cluster.parts()
    cluster.work_off(cluster.n_done())
    for part in PARTS:
        victim = cluster.parts()[part]
        done = cluster.n_done()
        os.kill(victim, signal.SIGKILL)

        cluster.work_off(done)

        wait_for(lambda: not cluster.strangers(), 30)
