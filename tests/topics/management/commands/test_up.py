"""`manage.py up` as a new user types it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from django_q.models import OrmQ
from pytest_django import Settings

from focusweb.runtime import processes
from focusweb.runtime.run_folder import RunFolder
from tests import databases
from topics import timer
from topics.management.commands import up

ROOT = Path(__file__).resolve().parents[4]


def free_port() -> int:
    """A port without a listener."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


class Installation:
    """A data folder of its own, and the `up` processes started for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.started: list[subprocess.Popen[str]] = []

    def up(self, roles: Sequence[str] = (), **more: str) -> subprocess.Popen[str]:
        """Start FocusWeb; its output is read from the process."""
        environment = {
            "PATH": os.environ["PATH"],
            "FOCUSWEB_DATA": str(self.folder),
            "FOCUSWEB_PORT": str(self.port),
            "FOCUSWEB_DEMO": "0",
            "PYTHONUNBUFFERED": "1",
        }
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", *(f"--role={role}" for role in roles)],
            cwd=ROOT,
            env=environment | databases.environment(self.folder) | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.started.append(process)
        return process

    def wait_until_ready(self, process: subprocess.Popen[str]) -> str:
        """What was printed up to the line with the address."""
        assert process.stdout
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "is ready at" in line:
                return "".join(lines)
        raise AssertionError("".join(lines))

    def children(self) -> dict[str, Any]:
        """The children, from the status file."""
        found = json.loads((self.folder / "run" / "status.json").read_text())
        children: dict[str, Any] = found["children"]
        return children

    def get(self, path: str) -> int:
        """The status of a page."""
        address = f"http://127.0.0.1:{self.port}{path}"
        with urllib.request.urlopen(address, timeout=30) as answer:
            status: int = answer.status
            return status

    def stop(self) -> None:
        """Stop everything; a stop that hangs fails the test."""
        for process in self.started:
            if process.poll() is None:
                process.terminate()
            process.communicate(timeout=30)


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """A fresh installation that leaves no process behind."""
    made = Installation(tmp_path / "data")
    yield made
    made.stop()


@pytest.fixture
def prepared(installation: Installation) -> Installation:
    """An installation with tables, and nothing in them."""
    databases.make_tables(installation.folder)
    return installation


def test_a_new_user_gets_an_address_a_password_and_a_clean_stop(installation: Installation) -> None:
    running = installation.up()

    said = installation.wait_until_ready(running)

    assert "Sign in as   admin" in said
    assert f"http://127.0.0.1:{installation.port}/" in said
    assert installation.get("/login/") == 200
    children = installation.children()
    assert set(children) == {"web", "cluster", "timer"}
    running.send_signal(signal.SIGINT)
    rest, _ = running.communicate(timeout=30)
    assert running.returncode == 0, rest
    assert "Traceback" not in said + rest
    assert [pid for child in children.values() if processes.start_time(pid := child["pid"])] == []


def test_the_password_is_shown_only_once(prepared: Installation) -> None:
    first = prepared.up()
    assert "password" in prepared.wait_until_ready(first)
    prepared.stop()

    assert "password" not in prepared.wait_until_ready(prepared.up())


def test_the_first_start_has_a_demo_web_and_topics_that_crawl_it(
    prepared: Installation,
) -> None:
    running = prepared.up(FOCUSWEB_DEMO="1", FOCUSWEB_DEMO_PORT=str(free_port()))

    said = prepared.wait_until_ready(running)

    assert set(prepared.children()) == {"web", "cluster", "timer", "demo"}
    assert "could not" not in said


def test_a_second_start_names_the_first(prepared: Installation) -> None:
    first = prepared.up()
    prepared.wait_until_ready(first)

    second = prepared.up()
    said, _ = second.communicate(timeout=30)

    assert second.returncode == 1
    assert f"process {first.pid}, http://127.0.0.1:{prepared.port}/" in said
    assert "Traceback" not in said
    assert prepared.get("/login/") == 200


def test_a_setting_that_cannot_be_read_is_named_before_anything_starts(
    installation: Installation,
) -> None:
    process = installation.up(FOCUSWEB_CONTACT_URL="hello")

    said, _ = process.communicate(timeout=30)

    assert process.returncode == 1
    assert "FOCUSWEB_CONTACT_URL: a contact page" in said
    assert "Traceback" not in said
    assert not (installation.folder / "run" / "status.json").exists()


def test_f14_of_two_first_starts_at_once_one_works_and_one_says_why_not(
    installation: Installation,
) -> None:
    pair = [installation.up(), installation.up()]
    ended = wait_for_one_end(pair)
    works = next(process for process in pair if process is not ended)

    said = ended.communicate(timeout=30)[0]

    assert ended.returncode == 1
    assert "FocusWeb is already running for" in said
    assert "Traceback" not in said
    assert "Sign in as   admin" in installation.wait_until_ready(works)


def wait_for_one_end(pair: list[subprocess.Popen[str]]) -> subprocess.Popen[str]:
    give_up = time.monotonic() + 120
    while time.monotonic() < give_up:
        for process in pair:
            if process.poll() is not None:
                return process
        time.sleep(0.05)
    raise AssertionError("both go on")


def refused_port(installation: Installation) -> str:
    with socket.create_server(("127.0.0.1", installation.port)):
        said, _ = installation.up().communicate(timeout=30)
    return said


def refused_folder(installation: Installation) -> str:
    installation.folder.write_text("a file stands where the folder should be")
    return installation.up().communicate(timeout=30)[0]


def refused_database(installation: Installation) -> str:
    nowhere = installation.folder / "nowhere" / "focusweb.sqlite3"
    return installation.up(DATABASE_URL=f"sqlite:///{nowhere}").communicate(timeout=30)[0]


def refused_value(installation: Installation) -> str:
    return installation.up(FOCUSWEB_PORT="eighty").communicate(timeout=30)[0]


@pytest.mark.parametrize(
    ("attempt", "sentence"),
    [
        (refused_port, "already used by another program"),
        (refused_folder, "cannot be written"),
        (refused_database, "The database cannot be used"),
        (refused_value, "FOCUSWEB_PORT must be a number, got 'eighty'"),
    ],
)
def test_what_a_person_can_mend_is_said_in_a_sentence(
    installation: Installation, attempt: Callable[[Installation], str], sentence: str
) -> None:
    said = attempt(installation)

    assert sentence in said
    assert "Traceback" not in said
    assert installation.started[0].returncode == 1


def test_the_demo_leads_its_hosts_to_this_machine(settings: Settings) -> None:
    settings.DEMO_PORT, settings.CONNECT_TO, settings.SEARXNG_URL = 8899, "", ""

    environment = up.child_environment(demo=True)

    assert environment["FOCUSWEB_CONNECT_TO"] == "*.demo.test=127.0.0.1:8899"
    assert environment["FOCUSWEB_SEARXNG_URL"] == "http://search.demo.test/search"


def test_the_demo_leaves_what_the_user_set(settings: Settings) -> None:
    settings.DEMO_PORT, settings.CONNECT_TO = 8899, "*.mine.test=127.0.0.1:9000"
    settings.SEARXNG_URL = "http://localhost:8080/search"

    environment = up.child_environment(demo=True)

    rules = "*.demo.test=127.0.0.1:8899,*.mine.test=127.0.0.1:9000"
    assert environment["FOCUSWEB_CONNECT_TO"] == rules
    assert environment["FOCUSWEB_SEARXNG_URL"] == "http://localhost:8080/search"


@pytest.mark.parametrize(
    ("demo", "names"),
    [(False, ["web", "cluster", "timer"]), (True, ["web", "cluster", "timer", "demo"])],
)
def test_the_demo_web_runs_only_when_asked_for(demo: bool, names: list[str]) -> None:
    assert [plan.name for plan in up.child_plans(demo)] == names


@pytest.mark.parametrize(
    ("roles", "names"),
    [
        (("crawl",), ["cluster", "timer"]),
        (("web", "index"), ["web", "timer"]),
        (("web",), ["web"]),
        (("index",), ["timer"]),
    ],
)
def test_a_machine_runs_what_its_roles_need(roles: tuple[str, ...], names: list[str]) -> None:
    assert [plan.name for plan in up.child_plans(demo=False, roles=roles)] == names


def test_a_machine_that_only_crawls_leaves_index_and_mail_to_the_others(tmp_path: Path) -> None:
    jobs = timer.jobs(RunFolder(tmp_path), ("crawl",))

    assert [job.name for job in jobs] == ["runs", "sites"]


@databases.sqlite_only
def test_roles_need_a_database_that_machines_can_share(installation: Installation) -> None:
    said, _ = installation.up(roles=("crawl",)).communicate(timeout=60)

    assert "--role is for several machines over one PostgreSQL database" in said
    assert "Traceback" not in said
    assert installation.started[0].returncode == 1


@pytest.mark.django_db
def test_work_is_due_when_a_task_waits() -> None:
    assert not up.is_work_due()

    OrmQ.objects.create(key="focusweb", payload="x", lock=timezone.now())

    assert up.is_work_due()


@pytest.mark.django_db
def test_each_cluster_begins_with_what_the_last_one_had_taken() -> None:
    later = timezone.now() + timedelta(seconds=400)
    OrmQ.objects.create(key="focusweb", payload="x", lock=later)
    cluster = next(plan for plan in up.child_plans(demo=False) if plan.name == "cluster")

    cluster.before_start()

    assert OrmQ.objects.get().lock <= timezone.now()


def test_the_supervisor_watches_every_job_of_the_timer(tmp_path: Path) -> None:
    """It checks rounds that were finished, not a process that lives."""
    folder = RunFolder(tmp_path)
    plan = next(plan for plan in up.child_plans(demo=False) if plan.name == "timer")

    watched = {sign.file.name for sign in plan.signs}

    assert watched == {folder.job(job.name).name for job in timer.jobs(folder)}


def test_the_timer_of_a_machine_gets_its_roles() -> None:
    plan = up.child_plans(demo=False, roles=("crawl", "index"))[-1]

    assert plan.command[-5:] == ("timer", "--role", "crawl", "--role", "index")


def age_of_tick(installation: Installation) -> float:
    """Seconds since the timer finished a round; very many if it never did."""
    ticked = installation.folder / "run" / "timer-tick"
    return time.time() - ticked.stat().st_mtime if ticked.exists() else 1e9


def wait_for(what: Callable[[], bool], limit_s: float) -> None:
    give_up = time.monotonic() + limit_s
    while not what():
        assert time.monotonic() < give_up, f"nothing happened within {limit_s} s"
        time.sleep(0.1)


def test_the_timer_ticks_again_after_it_was_killed(prepared: Installation) -> None:
    prepared.wait_until_ready(prepared.up())
    wait_for(lambda: age_of_tick(prepared) < 60, 60)
    killed = prepared.children()["timer"]["pid"]
    os.kill(killed, signal.SIGKILL)
    died = time.time()

    wait_for(lambda: age_of_tick(prepared) < time.time() - died, 60)

    assert prepared.children()["timer"]["pid"] not in (None, killed)


@pytest.mark.parametrize(
    ("named", "safe", "found"), [([], False, False), (["a"], False, True), (["a"], True, False)]
)
def test_safe_mode_is_the_fallback_where_plugins_are_wanted(
    settings: Settings, tmp_path: Path, *, named: list[str], safe: bool, found: bool
) -> None:
    settings.PLUGINS_DIR, settings.LOAD_PLUGINS, settings.SAFE_MODE = tmp_path, named, safe

    assert up.fallback_environment() == ({"FOCUSWEB_SAFE_MODE": "1"} if found else {})
