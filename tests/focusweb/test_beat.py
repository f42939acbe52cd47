"""The cluster's sign of life."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.dispatch import Signal
from django_q.signals import post_execute, post_execute_in_worker

from focusweb.beat import LISTENER, MOMENTS, connect_beat


def forget() -> None:
    """Take the listener off again, so that no other test touches this file."""
    for moment in MOMENTS:
        moment.disconnect(dispatch_uid=LISTENER)


@pytest.fixture
def beat(tmp_path: Path) -> Iterator[Path]:
    """A beat file whose listener is gone after the test."""
    forget()
    connect_beat(tmp_path / "run" / "beat")
    (tmp_path / "run").mkdir()
    yield tmp_path / "run" / "beat"
    forget()


@pytest.mark.parametrize("moment", MOMENTS)
def test_every_moment_of_a_task_is_a_beat(beat: Path, moment: Signal) -> None:
    moment.send(sender="django_q", task={})

    assert beat.exists()


def test_a_beat_that_cannot_be_written_does_not_stop_the_worker(
    beat: Path, caplog: pytest.LogCaptureFixture
) -> None:
    beat.parent.rmdir()

    with caplog.at_level(logging.WARNING):
        post_execute.send(sender="django_q", task={})

    assert "Cannot touch" in caplog.text


def test_a_task_whose_result_nobody_noted_is_no_beat(beat: Path) -> None:
    """The process that notes results may hang while workers go on."""
    post_execute_in_worker.send(sender="django_q", func=None, task={})

    assert not beat.exists()
