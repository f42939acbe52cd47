"""The data folder is ours alone, or FocusWeb does not start."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from focusweb.runtime import data_folder

ROOT = Path(__file__).resolve().parents[3]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_folder_and_its_parts_are_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "data"
    before = os.umask(0)
    try:
        data_folder.prepare(folder)
    finally:
        os.umask(before)

    assert [mode(path) for path in (folder, folder / "run", folder / "cache")] == [0o700] * 3


@pytest.mark.parametrize("open_mode", [0o755, 0o777, 0o770, 0o701])
def test_an_empty_folder_that_was_made_before_is_closed(tmp_path: Path, open_mode: int) -> None:
    tmp_path.chmod(open_mode)

    data_folder.prepare(tmp_path)

    assert mode(tmp_path) == 0o700


@pytest.mark.parametrize("open_mode", [0o755, 0o777, 0o770, 0o701, 0o1777])
def test_u7_a_folder_in_use_that_is_open_to_others_is_refused(
    tmp_path: Path, open_mode: int
) -> None:
    (tmp_path / "focusweb.sqlite3").touch()
    tmp_path.chmod(open_mode)

    with pytest.raises(ImproperlyConfigured, match=f"Run: chmod 700 {tmp_path}"):
        data_folder.prepare(tmp_path)

    assert mode(tmp_path) == open_mode


@pytest.mark.parametrize("closed_mode", [0o700, 0o750])
def test_a_folder_that_others_cannot_change_or_read_stays_as_it_is(
    tmp_path: Path, closed_mode: int
) -> None:
    (tmp_path / "focusweb.sqlite3").touch()
    tmp_path.chmod(closed_mode)

    data_folder.prepare(tmp_path)

    assert mode(tmp_path) == closed_mode


def start(folder: Path, **more: str) -> str:
    """What the command says that every start begins with."""
    environment = {"PATH": os.environ["PATH"], "FOCUSWEB_DATA": str(folder)} | more
    command = [sys.executable, "manage.py", "up"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    return said


def test_a_start_says_what_to_do_about_an_open_folder(tmp_path: Path) -> None:
    (tmp_path / "focusweb.sqlite3").touch()
    tmp_path.chmod(0o755)

    assert f"Run: chmod 700 {tmp_path}" in start(tmp_path)


@pytest.mark.parametrize(("key", "what"), [("", "empty"), ("abc\n", "cut short")])
def test_a_start_says_what_to_do_about_half_a_key(tmp_path: Path, key: str, what: str) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "secret_key").write_text(key)

    said = start(tmp_path)

    assert f"secret_key is {what}. Put it back from a backup, or remove it" in said


def test_a_start_refuses_a_short_key_of_the_environment(tmp_path: Path) -> None:
    assert "at least 32 characters" in start(tmp_path, FOCUSWEB_SECRET_KEY="short")
