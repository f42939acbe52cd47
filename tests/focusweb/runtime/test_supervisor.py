"""The supervisor, with real processes and real signals."""

import dataclasses
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from focusweb.runtime import processes
from focusweb.runtime.run_folder import ChildRecord, RunFolder, StartError
from focusweb.runtime.supervisor import Child, ChildPlan, RestartPolicy
from tests.focusweb.supervised import BRISK, SLEEP, STALL_S, Supervised, wait_for

Start = Callable[..., Supervised]

#: Starts a process that outlives it, as a cluster's leader does when it is killed.
LEADER = """
import os, pathlib, subprocess, sys, time
orphan = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path(os.environ["RUN"], "orphan").write_text(str(orphan.pid))
time.sleep(600)
"""
#: Finishes what it has in hand on a stop signal, and notes what it saw.
POLITE = """
import os, pathlib, signal, sys, time
run = pathlib.Path(os.environ["RUN"])
def finish(*_):
    (run / "finished").write_text(f"flag={(run / 'stopping').exists()}")
    sys.exit(0)
signal.signal(signal.SIGTERM, finish)
(run / "up").write_text("1")
time.sleep(600)
"""
STUBBORN = """
import os, pathlib, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(os.environ["RUN"], "up").write_text("1")
time.sleep(600)
"""
#: Has a worker which would note a signal sent to the whole group.
GROUP = """
import os, pathlib, signal, subprocess, sys, time
code = '''
import os, pathlib, signal, sys, time
note = lambda *_: pathlib.Path(os.environ["RUN"], "worker-signalled").write_text("1")
signal.signal(signal.SIGTERM, note)
signal.signal(signal.SIGINT, note)
pathlib.Path(os.environ["RUN"], "up").write_text("1")
while True:
    time.sleep(0.1)
'''
worker = subprocess.Popen([sys.executable, "-c", code])
signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.5), sys.exit(0)))
time.sleep(600)
"""
QUITTER = """
import os, pathlib, time
with pathlib.Path(os.environ["RUN"], "starts").open("a") as file:
    print(time.monotonic(), file=file)
"""


@contextmanager
def hangups_handled_by(handler: signal.Handlers) -> Iterator[None]:
    """What is started meanwhile handles SIGHUP so at first."""
    before = signal.signal(signal.SIGHUP, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start supervisors in one run folder; at the end nothing of them is left."""
    started: list[Supervised] = []

    def start_one(
        children: dict[str, str], *, stall_s: float = STALL_S, **pace: float
    ) -> Supervised:
        brisk = dataclasses.replace(BRISK, **pace)
        started.append(Supervised(tmp_path, children, brisk, stall_s))
        return started[-1]

    yield start_one
    for supervised in started:
        if supervised.process.poll() is None:
            supervised.stop()
    RunFolder(tmp_path).end_stale_children()


def test_a_killed_child_is_started_again(start: Start) -> None:
    running = start({"web": SLEEP})
    first = running.child("web")["pid"]

    os.kill(first, signal.SIGKILL)

    wait_for(lambda: running.child("web")["pid"] not in (None, first))
    assert running.child("web")["restarts"] == 1
    assert running.child("web")["last_exit"] == -signal.SIGKILL


def test_a_child_that_ends_without_error_is_started_again(start: Start) -> None:
    running = start({"cluster": QUITTER})

    wait_for(lambda: running.child("cluster")["restarts"] >= 2)

    assert running.child("cluster")["last_exit"] == 0


def test_pauses_between_restarts_grow_up_to_a_limit(start: Start, tmp_path: Path) -> None:
    running = start({"web": QUITTER}, first_pause_s=0.2, longest_pause_s=0.3)
    wait_for(lambda: running.child("web")["restarts"] >= 6)

    times = [float(line) for line in (tmp_path / "starts").read_text().split()]

    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert gaps[0] >= 0.2
    assert gaps[1] >= 0.3
    assert gaps[4] < 3.2, "the fifth pause would be so long if each were twice the one before"


def test_what_has_lived_for_a_while_is_started_again_without_a_longer_pause(
    start: Start, tmp_path: Path
) -> None:
    """Kills from outside, however many, are not a program that cannot start."""
    running = start({"web": QUITTER}, first_pause_s=0.1, longest_pause_s=5, steady_after_s=0)
    wait_for(lambda: running.child("web")["restarts"] >= 6)

    times = [float(line) for line in (tmp_path / "starts").read_text().split()]

    assert max(later - earlier for earlier, later in itertools.pairwise(times)) < 2


def test_something_is_prepared_before_each_start(start: Start, tmp_path: Path) -> None:
    running = start({"web": SLEEP})
    (tmp_path / "web-prepared").unlink()
    os.kill(running.child("web")["pid"], signal.SIGKILL)

    wait_for((tmp_path / "web-prepared").exists)


def test_orphans_of_a_killed_leader_are_removed(start: Start) -> None:
    running = start({"cluster": LEADER})
    orphan = int(running.wait_for_file("orphan"))
    leader = running.child("cluster")["pid"]

    os.kill(leader, signal.SIGKILL)

    wait_for(lambda: running.child("cluster")["restarts"] == 1)
    assert not processes.start_time(orphan)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stop_lets_children_finish(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    with hangups_handled_by(signal.SIG_DFL):  # the tests themselves may be started with nohup
        running = start({"web": POLITE})
    running.wait_for_file("up")

    running.process.send_signal(number)

    assert running.process.wait(15) == 0
    assert (tmp_path / "finished").read_text() == "flag=True"
    assert not running.folder.stopping.exists()
    assert running.status()["state"] == "stopped"


def test_the_end_of_the_terminal_stops_nothing_that_nohup_started(start: Start) -> None:
    with hangups_handled_by(signal.SIG_IGN):  # as nohup does for what it starts
        running = start({"web": SLEEP})

    running.process.send_signal(signal.SIGHUP)

    seen = running.status()["time"]
    wait_for(lambda: running.status()["time"] > seen + 0.5)
    assert running.status()["state"] == "running"
    assert running.stop() == 0


def test_a_stop_is_reported_to_leaders_only(start: Start, tmp_path: Path) -> None:
    running = start({"cluster": GROUP})
    running.wait_for_file("up")
    leader = running.child("cluster")["pid"]

    assert running.stop() == 0

    assert not (tmp_path / "worker-signalled").exists()
    assert processes.session_members(leader) == []


def test_a_child_that_does_not_stop_is_killed_after_the_grace_time(start: Start) -> None:
    running = start({"web": STUBBORN}, grace_s=0.5)
    running.wait_for_file("up")
    child, began = running.child("web")["pid"], time.monotonic()

    assert running.stop() == 0

    assert 0.5 <= time.monotonic() - began < 4
    assert not processes.start_time(child)


def test_a_second_signal_ends_the_grace_time(start: Start) -> None:
    running = start({"web": STUBBORN}, grace_s=60)
    running.wait_for_file("up")

    running.process.send_signal(signal.SIGINT)
    wait_for(running.folder.stopping.exists)
    running.process.send_signal(signal.SIGINT)

    assert running.process.wait(10) == 0


def test_a_second_start_is_refused_by_name(start: Start, tmp_path: Path) -> None:
    running = start({"web": SLEEP})

    with pytest.raises(StartError) as refusal, RunFolder(tmp_path).locked("http://127.0.0.1:2/"):
        pass

    assert f"process {running.process.pid}, http://127.0.0.1:1/" in str(refusal.value)


def test_the_next_start_removes_what_a_killed_supervisor_left(start: Start) -> None:
    killed = start({"cluster": LEADER})
    orphan = int(killed.wait_for_file("orphan"))
    leader = killed.child("cluster")["pid"]
    killed.process.kill()
    killed.process.wait()
    assert processes.start_time(orphan), "the worker should outlive its supervisor"

    start({"web": SLEEP})

    assert not processes.start_time(leader)
    assert not processes.start_time(orphan)


def test_orphans_are_found_when_their_leader_is_gone_too(start: Start) -> None:
    killed = start({"cluster": LEADER})
    orphan = int(killed.wait_for_file("orphan"))
    leader = killed.child("cluster")["pid"]
    killed.process.kill()
    killed.process.wait()
    os.kill(leader, signal.SIGKILL)

    start({"web": SLEEP})

    assert not processes.start_time(orphan)


@pytest.mark.parametrize("started", ["1", ""])
def test_a_process_that_only_has_an_old_number_is_left_alone(tmp_path: Path, started: str) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", SLEEP], start_new_session=True)
    folder = RunFolder(tmp_path)
    folder.remember("a-token-nobody-carries", [ChildRecord("web", stranger.pid, started)])

    try:
        assert folder.end_stale_children() == 0
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"token": "x"}', '{"token": "", "children": [1]}']
)
def test_damaged_notes_are_ignored(tmp_path: Path, content: str) -> None:
    folder = RunFolder(tmp_path)
    folder.children.write_text(content)

    assert folder.end_stale_children() == 0


def test_a_cluster_that_makes_no_progress_is_replaced(start: Start, tmp_path: Path) -> None:
    running = start({"cluster": SLEEP, "web": SLEEP})
    hung, web = running.child("cluster")["pid"], running.child("web")["pid"]

    (tmp_path / "work").touch()

    wait_for(lambda: running.child("cluster")["pid"] not in (None, hung))
    assert not processes.start_time(hung)
    assert running.child("web")["pid"] == web


BEATING = """
import os, pathlib, time
while True:
    pathlib.Path(os.environ["RUN"], "beat").touch()
    time.sleep(0.1)
"""


def test_a_cluster_without_work_is_left_alone(start: Start) -> None:
    running = start({"cluster": SLEEP})
    time.sleep(3 * STALL_S)

    assert running.child("cluster")["restarts"] == 0


def test_a_cluster_that_works_is_left_alone(start: Start, tmp_path: Path) -> None:
    running = start({"cluster": BEATING}, stall_s=1.5)
    wait_for(running.folder.beat.exists)
    (tmp_path / "work").touch()
    time.sleep(3)

    assert running.child("cluster")["restarts"] == 0


def test_a_program_that_cannot_be_started_is_tried_again_later(tmp_path: Path) -> None:
    child = Child(
        ChildPlan("web", (str(tmp_path / "no-such-program"),)), RestartPolicy(first_pause_s=0.2)
    )

    child.start({})

    assert child.pid is None
    assert not child.is_due()
    time.sleep(0.25)
    assert child.is_due()


def test_a_long_preparation_is_not_part_of_a_childs_life() -> None:
    plan = ChildPlan("cluster", ("true",), before_start=lambda: time.sleep(1.1))
    child = Child(plan, RestartPolicy(first_pause_s=0.01, steady_after_s=1))

    child.start({})
    wait_for(child.collect_exit)

    assert child.failed_starts == 1, "it ended at once"


#: Cannot start without CALM in its environment.
NERVOUS = """
import os, pathlib, sys, time
if "CALM" not in os.environ:
    sys.exit(3)
pathlib.Path(os.environ["RUN"], "calm").write_text("1")
time.sleep(600)
"""
LOOKING = """
import os, pathlib, time
with pathlib.Path(os.environ["RUN"], "looks").open("a") as file:
    print(os.environ.get("CALM", "0"), file=file)
time.sleep(600)
"""


def test_all_start_again_in_safe_mode_when_one_cannot_start(start: Start) -> None:
    running = start({"web": NERVOUS, "timer": LOOKING})

    running.wait_for_file("calm")
    wait_for(lambda: (running.folder.path / "looks").read_text() == "0\n1\n")

    assert running.child("web")["restarts"] == 3


def test_what_lived_for_a_while_does_not_need_the_fallback(start: Start) -> None:
    running = start({"web": NERVOUS}, steady_after_s=0.0)

    wait_for(lambda: running.child("web")["restarts"] > 4)

    assert not (running.folder.path / "calm").exists()
