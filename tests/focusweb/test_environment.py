"""The environment is read once, and nonsense is refused before anything starts."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from focusweb import environment

ROOT = Path(__file__).resolve().parents[2]
MAKE_KEY = (
    "import sys; from pathlib import Path; from focusweb.environment import secret_key;"
    "print(secret_key(Path(sys.argv[1])))"
)


def test_a_key_is_made_once_and_kept_to_ourselves(tmp_path: Path) -> None:
    key = environment.secret_key(tmp_path)

    assert len(key) >= 50
    assert environment.secret_key(tmp_path) == key
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["secret_key"]


def test_processes_that_start_together_share_one_key(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAKE_KEY, str(tmp_path)]
    starting = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(6)
    ]

    keys = {process.communicate(timeout=60)[0].strip() for process in starting}

    assert len(keys) == 1
    assert keys != {""}


def test_a_draft_of_a_killed_process_stands_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "secret_key.dead").touch(mode=0o600)

    assert environment.secret_key(tmp_path) != ""


@pytest.mark.parametrize("value", ["eighty", "0", "70000", "8.5", ""])
def test_a_bad_number_is_refused_by_name(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOCUSWEB_PORT", value)

    with pytest.raises(ImproperlyConfigured, match="FOCUSWEB_PORT"):
        environment.whole_number("FOCUSWEB_PORT", 8000, 1, 65535)


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("off", False), (" Yes ", True)])
def test_a_flag_is_read(value: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOCUSWEB_DEMO", value)

    assert environment.flag("FOCUSWEB_DEMO", not expected) is expected


def test_a_flag_that_is_neither_yes_nor_no_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOCUSWEB_DEMO", "perhaps")

    with pytest.raises(ImproperlyConfigured, match="FOCUSWEB_DEMO must be 1 or 0"):
        environment.flag("FOCUSWEB_DEMO", True)
