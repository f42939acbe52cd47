"""Owners of leases are distinct, even when a process number comes again."""

import os
import subprocess
import sys

from focusweb.runtime.process_id import is_dead, this_process


def test_this_process_is_alive() -> None:
    assert not is_dead(this_process())


def test_an_ended_process_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    machine, _, started = this_process().split("/")
    child.wait()

    assert is_dead(f"{machine}/{child.pid}/{started}")


def test_a_later_process_of_the_same_number_is_somebody_else() -> None:
    machine = this_process().partition("/")[0]

    assert is_dead(f"{machine}/{os.getpid()}/1")


def test_another_machines_process_is_not_ours_to_judge() -> None:
    assert not is_dead("elsewhere/1/1")
