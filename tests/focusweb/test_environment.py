"""The environment is read once, and nonsense is refused before anything starts."""

import os
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


def started_with(name: str, value: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the settings in a process of its own."""
    environment = {"PATH": os.environ["PATH"], "FOCUSWEB_DATA": str(folder), name: value}
    command = [sys.executable, "manage.py", "check"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", ""),
        ("DATABASE_URL", "sqlite"),
        ("DATABASE_URL", "mysql://u:secret@host/name"),
        ("DATABASE_URL", "postgres://u:secret@host:port/name"),
        ("FOCUSWEB_TIME_ZONE", ""),
        ("FOCUSWEB_TIME_ZONE", "Beijing"),
        ("FOCUSWEB_TIME_ZONE", "America"),
        ("FOCUSWEB_LOG_LEVEL", ""),
        ("FOCUSWEB_LOG_LEVEL", "loud"),
        ("FOCUSWEB_KILL_AT", "nowhere:1"),
        ("FOCUSWEB_TRUSTED_ORIGINS", "watch.example.org"),
        ("FOCUSWEB_TRUSTED_ORIGINS", "https://watch.example.org/path"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_in_one_sentence(
    name: str, value: str, tmp_path: Path
) -> None:
    ended = started_with(name, value, tmp_path)

    assert ended.returncode == 1
    assert ended.stderr.startswith(f"FocusWeb cannot start: {name} ")
    assert "Traceback" not in ended.stderr
    assert "secret" not in ended.stderr


def test_several_origins_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORIGINS", "https://a.example.org:8443, http://*.example.org")

    assert environment.origins("ORIGINS") == ["https://a.example.org:8443", "http://*.example.org"]


def test_a_log_level_may_be_written_in_lower_case(tmp_path: Path) -> None:
    assert started_with("FOCUSWEB_LOG_LEVEL", "info", tmp_path).returncode == 0


def test_an_empty_name_of_the_data_folder_does_not_name_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOCUSWEB_DATA", " ")

    assert environment.folder("FOCUSWEB_DATA", tmp_path) == tmp_path


@pytest.mark.parametrize("value", ["", " , "])
def test_an_empty_list_of_host_names_allows_those_of_this_machine(
    value: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", "import focusweb.settings as s; print(*s.ALLOWED_HOSTS)"]
    names = {"FOCUSWEB_DATA": str(tmp_path), "FOCUSWEB_ALLOWED_HOSTS": value}
    environment = {"PATH": os.environ["PATH"], "FOCUSWEB_HOST": "192.0.2.1", **names}

    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)

    assert ended.stdout.split() == ["localhost", "127.0.0.1", "[::1]", "192.0.2.1"]


@pytest.mark.parametrize(
    ("name", "setting", "default"),
    [("FOCUSWEB_HOST", "HOST", "127.0.0.1"), ("FOCUSWEB_SEARCH", "SEARCH_ENGINE", "whoosh")],
)
def test_an_empty_address_or_search_engine_is_the_default(
    name: str, setting: str, default: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", f"import focusweb.settings as s; print(s.{setting})"]
    environment = {"PATH": os.environ["PATH"], "FOCUSWEB_DATA": str(tmp_path), name: " "}

    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)

    assert ended.stdout.strip() == default
