"""What a call of a plugin may do: it is ended, refused, blamed and paused, and others go on."""

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.models import Site
from focusweb.plugin_calls import CallMarks, PluginTimeoutError, TimeLimit
from focusweb.plugins import MAX_FAILURES, PAUSED, Plugins, load
from tests.topics.factories import NOON


def loop() -> None:
    while True:
        pass


def stubborn() -> None:
    """Answer the end of the call with another error."""
    try:
        loop()
    except PluginTimeoutError:
        raise ValueError("not I") from None


@pytest.mark.parametrize(("hang", "error"), [(loop, PluginTimeoutError), (stubborn, ValueError)])
def test_a_call_that_hangs_is_ended(hang: Callable[[], None], error: type[Exception]) -> None:
    with pytest.raises(error):
        TimeLimit().run(hang, 0.1)


def test_a_hang_is_ended_in_a_thread_and_others_go_on() -> None:
    limit, ended = TimeLimit(), []

    def hang() -> None:
        with pytest.raises(PluginTimeoutError):
            limit.run(loop, 0.1)
        ended.append(True)

    threads = [threading.Thread(target=hang) for _ in range(3)]
    for thread in threads:
        thread.start()
    answer = limit.run(lambda: sum(range(1000)), 60.0)
    for thread in threads:
        thread.join(60.0)

    assert (answer, ended) == (499500, [True] * 3)


def test_no_error_comes_after_a_call_that_ended_at_its_limit() -> None:
    limit = TimeLimit()
    late = 0
    for _ in range(20):
        try:
            limit.run(lambda: sum(range(20_000)), 0.0)
        except PluginTimeoutError:
            late += 1
    assert sum(range(1_000_000)) == 499999500000
    assert late <= 20


@pytest.fixture
def loaded(tmp_path: Path) -> Plugins:
    return load((), tmp_path)


def fail() -> None:
    raise ValueError("no")


def test_a_plugin_that_fails_often_is_paused_until_it_is_tried_again(loaded: Plugins) -> None:
    answers = [loaded.call("bad", "judges", fail)[1] for _ in range(MAX_FAILURES + 2)]

    assert answers == ["ValueError: no"] * MAX_FAILURES + [f"{PAUSED}: ValueError: no"] * 2
    state = loaded.states.of("bad")
    assert (state.paused, state.hook, state.error) == (True, "judges", "ValueError: no")
    loaded.states.try_again("bad")
    assert loaded.call("bad", "judges", lambda: 7) == (7, "")


def test_another_process_hears_of_the_pause(loaded: Plugins, tmp_path: Path) -> None:
    other = load((), tmp_path)
    assert other.call("bad", "judges", lambda: 7) == (7, "")

    for _ in range(MAX_FAILURES):
        loaded.call("bad", "judges", fail)

    assert other.call("bad", "judges", lambda: 7) == (None, f"{PAUSED}: ValueError: no")


def test_a_paused_plugin_stops_no_other(loaded: Plugins) -> None:
    for _ in range(MAX_FAILURES):
        loaded.call("bad", "judges", fail)

    assert loaded.call("good", "judges", lambda: 7) == (7, "")


@pytest.mark.django_db
def test_a_plugin_may_read_tables_and_change_none(loaded: Plugins) -> None:
    Site.objects.create(name="a.test", domain="a.test", first_seen=NOON)

    read, _ = loaded.call("nosy", "sources", lambda: Site.objects.get().name)
    _, error = loaded.call("nosy", "sources", lambda: Site.objects.all().delete())

    assert read == "a.test"
    assert "PluginWriteError: a plugin may only read tables, not: " in error
    assert Site.objects.get().name == "a.test"


DYING = """
import os, sys
from pathlib import Path
from focusweb.plugin_calls import CallMarks
marks = CallMarks(Path(sys.argv[1]))
with marks.marked("good", "sources"):
    pass
with marks.marked("deadly", "judges"):
    with marks.marked("x", "strategies"):
        pass
    os._exit(3)
"""


def test_the_plugin_in_whose_call_a_process_ended_is_paused(tmp_path: Path) -> None:
    command = [sys.executable, "-c", DYING, str(tmp_path / "calls")]
    assert subprocess.run(command, cwd=Path(__file__).parents[2], timeout=60).returncode == 3

    loaded = load((), tmp_path)

    assert loaded.call("deadly", "judges", lambda: 7)[1].startswith(PAUSED)
    assert loaded.states.of("deadly").error == "the process ended during the call"
    assert set(loaded.states.all()) == {"deadly"}
    assert CallMarks(tmp_path / "calls").of_ended_processes() == []


def test_the_call_of_a_living_process_is_not_blamed(tmp_path: Path) -> None:
    marks = CallMarks(tmp_path)
    with marks.marked("long", "sources"):
        assert CallMarks(tmp_path).of_ended_processes() == []


def test_a_damaged_file_of_states_switches_nothing_on(loaded: Plugins, tmp_path: Path) -> None:
    loaded.states.switch("coin", on=True)
    (tmp_path / "states.json").write_text('{"coin": 1')

    assert loaded.states.all() == {}
