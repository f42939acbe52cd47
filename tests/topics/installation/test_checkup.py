"""The doctor: what it finds, and that each problem comes with advice."""

import json
import os
import time
from importlib import metadata
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from focusweb.mail_server import MailServer
from focusweb.runtime.run_folder import RunFolder
from focusweb.runtime.wakeups import Queue
from topics.installation import checkup
from topics.installation.checkup import Severity
from topics.installation.health import worker_health


@pytest.mark.parametrize(
    ("version", "level"),
    [((3, 10), Severity.ERROR), ((3, 11), Severity.OK), ((3, 14), Severity.OK)],
)
def test_an_old_python_is_an_error(version: tuple[int, int], level: Severity) -> None:
    assert checkup.python_version(version).level is level


@pytest.mark.parametrize(
    ("pin", "level", "word"),
    [
        ("django=={}", Severity.OK, "1 packages as locked"),
        ("django==0.1", Severity.HINT, "django"),
        ("no-such-package==1.0", Severity.ERROR, "no-such-package missing"),
    ],
)
def test_packages_are_compared_with_the_lock(
    tmp_path: Path, pin: str, level: Severity, word: str
) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text(pin.format(metadata.version("django")) + " \\\n    --hash=sha256:00\n")

    finding = checkup.packages(lock)

    assert finding.level is level
    assert word in finding.text


@pytest.mark.parametrize(("mode", "level"), [(0o700, Severity.OK), (0o755, Severity.HINT)])
def test_an_open_data_folder_gets_a_hint(tmp_path: Path, mode: int, level: Severity) -> None:
    tmp_path.chmod(mode)

    assert checkup.data_folder(tmp_path).level is level


def test_a_data_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    finding = checkup.data_folder(tmp_path / "gone")

    assert finding.level is Severity.ERROR
    assert "No such file or directory" in finding.text


def test_free_space_is_reported(tmp_path: Path) -> None:
    assert "GB free" in checkup.free_space(tmp_path).text


def test_a_missing_index_gets_a_hint(tmp_path: Path) -> None:
    assert checkup.index(tmp_path / "index").level is Severity.HINT
    assert checkup.index(tmp_path).level is Severity.HINT

    (tmp_path / "segment").touch()

    assert checkup.index(tmp_path).level is Severity.OK


def write_status(folder: Path, state: str, age_s: float = 0.0) -> None:
    status = {"time": time.time() - age_s, "children": {"cluster": {"state": state}}}
    (folder / "status.json").write_text(json.dumps(status))


@pytest.mark.parametrize(
    ("state", "age_s", "tick_age_s", "queue", "problem", "level"),
    [
        ("up", 0, 0, Queue(2, 1.0), "", Severity.OK),
        ("up", 0, None, Queue(0, 0.0), "", Severity.OK),
        ("waiting", 0, 0, Queue(2, 1.0), "down", Severity.ERROR),
        ("up", 0, 0, Queue(1, 3600.0), "hung", Severity.ERROR),
        ("up", 0, 149, Queue(2, 1.0), "", Severity.OK),
        ("up", 0, 152, Queue(2, 1.0), "late", Severity.ERROR),
        ("up", 0, 0, Queue(11, 1.0), "", Severity.OK),
        ("up", 0, 0, Queue(12, 1.0), "crowded", Severity.ERROR),
        ("up", 3600, 0, Queue(0, 0.0), "silent", Severity.HINT),
        ("up", -3600, 0, Queue(0, 0.0), "silent", Severity.HINT),
    ],
)
def test_the_worker_is_judged_by_its_files_and_its_queue(
    tmp_path: Path,
    state: str,
    age_s: float,
    tick_age_s: float | None,
    queue: Queue,
    problem: str,
    level: Severity,
) -> None:
    write_status(tmp_path, state, age_s)
    if tick_age_s is not None:
        ticked = RunFolder(tmp_path).job("tick")
        ticked.touch()
        os.utime(ticked, times=(time.time() - tick_age_s,) * 2)

    health = worker_health(tmp_path, time.time(), queue)

    assert health.problem == problem
    assert health.up is (problem in ("", "late", "crowded"))
    assert checkup.worker(health).level is level


def test_a_stop_is_known_at_once(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    # What a supervisor leaves: its children were up until it stopped.
    status = {"time": time.time(), "state": "stopped", "children": {"cluster": {"state": "up"}}}
    folder.write(folder.status, status)

    assert worker_health(tmp_path, time.time()).problem == "silent"


@pytest.mark.parametrize("check", [checkup.contact, checkup.seed_search])
def test_missing_addresses_get_a_hint(check: type) -> None:
    assert check("").level is Severity.HINT
    assert check("http://localhost/").level is Severity.OK


@pytest.mark.parametrize(
    ("name", "value", "variable"),
    [
        ("CONTACT_URL", "hello there", "FOCUSWEB_CONTACT_URL"),
        ("CONNECT_TO", "a.test=192.0.2.1:80", "FOCUSWEB_CONNECT_TO"),
        ("SEARXNG_URL", "ftp://search.test/", "FOCUSWEB_SEARXNG_URL"),
        ("UNPROVED_HOSTS", "*.test", "FOCUSWEB_UNPROVED_HOSTS"),
    ],
)
def test_a_setting_of_fetching_that_cannot_be_read_is_an_error(
    settings: Settings, name: str, value: str, variable: str
) -> None:
    setattr(settings, name, value)

    wrong = [found for found in checkup.fetching() if found.level is Severity.ERROR]

    assert [found.check for found in wrong] == [variable]
    assert repr(value) in wrong[0].text


def test_hosts_that_prove_nothing_are_listed() -> None:
    assert checkup.certificates("").level is Severity.OK
    found = checkup.certificates("old.example.org")
    assert found.level is Severity.HINT
    assert "old.example.org" in found.text


def test_a_missing_segmenter_gets_a_hint() -> None:
    assert checkup.segmenter("no_such_module").level is Severity.HINT
    assert checkup.segmenter("json").level is Severity.OK


@pytest.mark.django_db
def test_the_database_is_tried_by_writing_without_a_trace() -> None:
    assert [finding.level for finding in checkup.database()] == [Severity.OK] * 3
    assert [finding.level for finding in checkup.database()] == [Severity.OK] * 3


@pytest.mark.django_db
def test_tables_that_are_behind_are_an_error() -> None:
    call_command("migrate", "django_q", "zero", verbosity=0, fake=True)

    tables = list(checkup.database())[-1]

    assert tables.level is Severity.ERROR
    assert "manage.py migrate" in tables.advice


@pytest.mark.django_db
def test_every_problem_comes_with_advice() -> None:
    found = list(checkup.examine())

    assert len(found) == 17
    assert [
        finding.check for finding in found if finding.level != Severity.OK and not finding.advice
    ] == []


@pytest.mark.django_db
def test_the_doctor_reports_to_programs() -> None:
    out = StringIO()

    call_command("doctor", json=True, stdout=out)

    report = json.loads(out.getvalue())
    assert report["ok"] is True
    assert {"check", "level", "text", "advice"} == set(report["findings"][0])


@pytest.mark.django_db
def test_the_doctor_fails_when_something_is_wrong() -> None:
    call_command("migrate", "django_q", "zero", verbosity=0, fake=True)
    out = StringIO()

    with pytest.raises(SystemExit) as ended:
        call_command("doctor", stdout=out)

    assert ended.value.code == 1
    assert "error  tables:" in out.getvalue()


def test_a_mail_server_is_named_without_its_password() -> None:
    found = checkup.mail(MailServer("mail.test", 465, "ann", "hush", tls=True))
    assert (found.level, found.text) == (Severity.OK, "mail.test, port 465")
    assert checkup.mail(None).level is Severity.HINT


@pytest.mark.parametrize(
    ("base", "https", "hosts", "level", "words"),
    [
        ("http://127.0.0.1:8000/", False, ["localhost"], "ok", "127.0.0.1"),
        ("https://watch.test/", True, ["watch.test"], "ok", "behind the proxy 127.0.0.1"),
        ("https://watch.test/", True, [".watch.test"], "ok", "watch.test"),
        ("https://watch.test/", True, ["localhost"], "error", "watch.test is not an allowed host"),
        ("http://watch.test/", True, ["watch.test"], "hint", "begin with http://watch.test/"),
        ("http://watch.test/", False, ["watch.test"], "hint", "is not encrypted"),
    ],
)
def test_the_address_fits_the_proxy(
    base: str, https: bool, hosts: list[str], level: str, words: str
) -> None:
    found = checkup.proxy(base, https=https, hosts=hosts, proxy_address="127.0.0.1")
    assert (found.level, words in found.text) == (level, True)


def test_the_time_zone_of_nowhere_is_a_hint() -> None:
    assert checkup.time_zone("UTC").level == "hint"
    assert checkup.time_zone("Asia/Shanghai").text == "Asia/Shanghai"
