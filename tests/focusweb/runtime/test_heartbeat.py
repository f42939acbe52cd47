"""The cluster's signs of life."""

import logging
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.dispatch import Signal
from django.utils import timezone
from django_q.models import OrmQ
from django_q.signals import post_execute, post_execute_in_worker, post_spawn, pre_execute

from focusweb.runtime import heartbeat, wakeups
from focusweb.runtime.run_folder import RunFolder

SIGNALS = (post_spawn, pre_execute, post_execute_in_worker, post_execute)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    """A run folder to which this process gives its signs, until the end of the test."""
    before = [(signal, signal.receivers) for signal in SIGNALS]
    for signal in SIGNALS:
        signal.receivers = []
        signal.sender_receivers_cache.clear()
    made = RunFolder(tmp_path / "run")
    made.path.mkdir()
    heartbeat.connect_beat(made, pulse_every_s=0.02)
    yield made
    for signal, receivers in before:
        signal.receivers = receivers
        signal.sender_receivers_cache.clear()


@pytest.mark.parametrize("moment", [post_spawn, post_execute])
def test_a_start_and_a_noted_result_are_beats(folder: RunFolder, moment: Signal) -> None:
    moment.send(sender="django_q", task={})

    assert folder.beat.exists()


def test_a_task_whose_result_nobody_noted_is_no_beat(folder: RunFolder) -> None:
    """The process that notes results may hang while workers go on."""
    post_execute_in_worker.send(sender="django_q", func=None, task={})

    assert not folder.beat.exists()


def test_a_worker_has_a_pulse_while_it_works_and_at_no_other_time(
    folder: RunFolder,
) -> None:
    """A killed worker may keep the others from work for ever: then the pulse stands still."""
    post_spawn.send(sender="django_q")
    pre_execute.send(sender="django_q", func=None, task={})
    time.sleep(0.1)
    folder.pulse.unlink()
    wait_for_pulse(folder)

    post_execute_in_worker.send(sender="django_q", func=None, task={})
    time.sleep(0.1)
    folder.pulse.unlink()
    time.sleep(0.2)

    assert not folder.pulse.exists()


def wait_for_pulse(folder: RunFolder) -> None:
    give_up = time.monotonic() + 10
    while not folder.pulse.exists():
        assert time.monotonic() < give_up, "there is no pulse"
        time.sleep(0.01)


def test_a_sign_that_cannot_be_given_does_not_stop_the_worker(
    folder: RunFolder, caplog: pytest.LogCaptureFixture
) -> None:
    folder.path.rmdir()

    with caplog.at_level(logging.WARNING):
        post_execute.send(sender="django_q", task={})

    assert "Cannot touch" in caplog.text


@pytest.mark.django_db
@pytest.mark.parametrize(("task", "is_left"), [(wakeups.WORK, False), ("topics.tasks.x", True)])
def test_a_wakeup_is_deleted_when_a_collector_begins(
    folder: RunFolder, task: str, is_left: bool
) -> None:
    """Or each killed collector would leave one in the queue for minutes."""
    row = OrmQ.objects.create(key="focusweb", payload="x", lock=timezone.now())

    pre_execute.send(sender="django_q", func=None, task={"func": task, "ack_id": row.pk})

    assert OrmQ.objects.exists() is is_left


@pytest.mark.django_db
def test_a_wakeup_that_cannot_be_deleted_does_not_stop_the_worker(
    folder: RunFolder, caplog: pytest.LogCaptureFixture
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE django_q_ormq RENAME TO away")

    with caplog.at_level(logging.WARNING):
        pre_execute.send(sender="django_q", func=None, task={"func": wakeups.WORK, "ack_id": 1})

    assert "Cannot delete a wake-up" in caplog.text
