"""The set-up: what it refuses, when it installs, what it never leaves half done."""

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools import dev, translations

ROOT = Path(dev.__file__).resolve().parent.parent
LOCKS = (
    "requirements.lock",
    "requirements-dev.lock",
    "requirements-bench.lock",
    "requirements-postgres.lock",
)
QUIET = {"PATH": os.environ["PATH"]}


def pins(lock: str) -> dict[str, str]:
    """Package and version of each line of a lock."""
    return dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / lock).read_text(), re.MULTILINE))


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_hashes(lock: str) -> None:
    entries = re.findall(
        r"^[\w.-]+==.*(?:\n    --hash=.*)*", (ROOT / lock).read_text(), re.MULTILINE
    )

    assert len(entries) > 30
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_name_no_address_host_or_folder(lock: str) -> None:
    lines = (ROOT / lock).read_text().splitlines()

    assert [line for line in lines if re.search(r"://|@ |^-|\.(org|com|io|net)\b| /", line)] == []


@pytest.mark.parametrize("lock", LOCKS[1:])
def test_the_other_locks_contain_the_first(lock: str) -> None:
    assert pins(LOCKS[0]).items() <= pins(lock).items()


def test_postgresql_adds_its_driver_to_the_first_lock() -> None:
    first, tested, added = pins(LOCKS[0]), pins(LOCKS[1]), pins(LOCKS[3])

    assert added.keys() - first.keys() == {"psycopg", "psycopg-binary"}
    assert added.items() <= tested.items(), "the one tested is the one installed"


@pytest.mark.parametrize(
    ("address", "lock"),
    [
        ({}, "requirements.lock"),
        ({"DATABASE_URL": "sqlite:///topics.sqlite3"}, "requirements.lock"),
        ({"DATABASE_URL": "postgres://a@127.0.0.1/b"}, "requirements-postgres.lock"),
        ({"DATABASE_URL": "postgresql://a@127.0.0.1/b"}, "requirements-postgres.lock"),
    ],
)
def test_what_is_installed_suits_the_database(address: dict[str, str], lock: str) -> None:
    assert dev.run_locks(address)[0].name == lock


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A lock without packages, so that installing it needs no network."""
    file = tmp_path / "requirements.lock"
    file.write_text("# nothing\n")
    return file


@pytest.fixture
def made(tmp_path: Path, lock: Path) -> Path:
    """An environment as the set-up leaves it, without the cost of making one."""
    folder = tmp_path / ".venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / dev.STAMP).write_text(dev.stamp_of(folder, lock))
    return folder


def test_what_is_installed_already_is_not_touched(made: Path, lock: Path) -> None:
    (made / "witness").touch()

    assert dev.ensure_installed(made, [lock], QUIET) == made / "bin" / "python"

    assert (made / "witness").exists()


def test_a_larger_lock_that_is_installed_will_do(made: Path, lock: Path, tmp_path: Path) -> None:
    smaller = tmp_path / "smaller.lock"
    smaller.write_text("# less\n")

    assert dev.ensure_installed(made, [smaller, lock], QUIET) == made / "bin" / "python"


def test_a_changed_lock_that_cannot_be_installed_leaves_no_stamp(made: Path, lock: Path) -> None:
    lock.write_text(
        "no-such-package==1.0\n"
    )  # without a hash: pip refuses before it contacts an index

    with pytest.raises(dev.SetupError, match=r"Could not install requirements\.lock"):
        dev.ensure_installed(made, [lock], QUIET)

    assert not (made / dev.STAMP).exists()


def test_a_half_made_environment_is_made_again(tmp_path: Path, lock: Path) -> None:
    folder = tmp_path / ".venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to("/nowhere")
    (folder / "rubbish").touch()

    python = dev.ensure_installed(folder, [lock], QUIET)

    found = subprocess.run(
        [python, "-c", "import pip, sys; print(sys.prefix)"], capture_output=True
    )
    assert found.stdout.decode().strip() == str(folder)
    assert not (folder / "rubbish").exists()
    assert (folder / dev.STAMP).read_text() == dev.stamp_of(folder, lock)


def test_the_stamp_tells_folders_and_locks_apart(tmp_path: Path, lock: Path) -> None:
    other = tmp_path / "other.lock"
    other.write_text("# something else\n")

    stamps = {
        dev.stamp_of(tmp_path / "a", lock),
        dev.stamp_of(tmp_path / "b", lock),
        dev.stamp_of(tmp_path / "a", other),
    }

    assert len(stamps) == 3


def test_two_set_ups_take_turns(tmp_path: Path) -> None:
    file = tmp_path / "turn.lock"
    with dev.only_one(file), file.open() as second, pytest.raises(BlockingIOError):
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)

    with file.open() as second:
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_misleading_variables_are_dropped() -> None:
    cleaned = dev.clean_environment({"PYTHONPATH": "/x", "PIP_USER": "1", "HOME": "/h"})

    assert cleaned["HOME"] == "/h"
    assert not {"PYTHONPATH", "PIP_USER"} & set(cleaned)


def test_checks_compile_the_program_once_and_use_a_data_folder_of_their_own() -> None:
    given = {"PYTHONDONTWRITEBYTECODE": "1", "HOME": "/h"}

    assert dev.check_environment(given, "/d") == {"HOME": "/h", "FOCUSWEB_DATA": "/d"}
    assert dev.check_environment({"FOCUSWEB_DATA": "/own"}, "/d") == {"FOCUSWEB_DATA": "/own"}


@pytest.mark.parametrize("task", sorted(dev.TASKS))
def test_every_task_has_its_make_target(task: str) -> None:
    targets = re.findall(r"^([a-z -]+):$", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert task in targets[0].split()


def make(arguments: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """Run make with a clean environment."""
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=QUIET | environment, capture_output=True, text=True, check=False
    )


def test_a_missing_python_gets_a_sentence() -> None:
    done = make(["run", "PYTHON=no-such-python"])

    assert done.returncode != 0
    assert "FocusWeb needs Python 3.11 or newer" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_python_that_is_too_old_gets_a_sentence(tmp_path: Path) -> None:
    # The version check with the bar raised plays the part of an old Python.
    copy = tmp_path / "dev.py"
    copy.write_text(
        (ROOT / "tools" / "dev.py").read_text().replace("OLDEST = (3, 11)", "OLDEST = (9, 9)")
    )

    done = subprocess.run(
        [sys.executable, copy, "run"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr.startswith("FocusWeb needs Python 9.9 or newer")
    assert "Traceback" not in done.stderr


def test_a_full_disk_gets_a_sentence(tmp_path: Path) -> None:
    program = tmp_path / "tools" / "dev.py"
    program.parent.mkdir()
    program.write_text((ROOT / "tools" / "dev.py").read_text())
    # /dev/full answers every write as a full disk does.
    (tmp_path / ".venv.lock").symlink_to("/dev/full")

    done = subprocess.run(
        [sys.executable, program, "run"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "The disk is full: free about 1 GB" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    """A project with one translated sentence."""
    file = tmp_path / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
    file.parent.mkdir(parents=True)
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    file.write_text(head + 'msgid "Topic"\nmsgstr "主题"\n', "utf-8")
    return file


def test_compiled_translations_pass_the_check(catalogue: Path, tmp_path: Path) -> None:
    assert translations.main(["--root", str(tmp_path)]) == 0
    assert translations.main(["--check", "--root", str(tmp_path)]) == 0


def test_stale_translations_are_named(
    catalogue: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    translations.main(["--root", str(tmp_path)])
    catalogue.write_text(catalogue.read_text("utf-8").replace("主题", "话题"), "utf-8")

    assert translations.main(["--check", "--root", str(tmp_path)]) == 1

    assert "django.mo is out of date" in capsys.readouterr().err


def test_broken_translations_are_named(
    catalogue: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catalogue.write_text(catalogue.read_text("utf-8") + 'msgid "Topic"\nmsgstr "again"\n', "utf-8")

    assert translations.main(["--check", "--root", str(tmp_path)]) == 1

    assert "duplicate" in capsys.readouterr().err


def test_the_fast_tests_need_no_table() -> None:
    uses = re.compile(
        r"django_db|Crawled|^from (?:topics|crawler\.(?:models|store))\b", re.MULTILINE
    )
    files = [file for folder in dev.FAST_TESTS for file in (ROOT / folder).rglob("*.py")]

    assert [file.name for file in files if uses.search(file.read_text("utf-8"))] == []
