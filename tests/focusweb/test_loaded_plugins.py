"""What a process loads: a plugin that is named, found, and allowed; one that breaks is named."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from focusweb.plugin_states import PluginStates
from focusweb.plugins import BUILT_IN, STATES_FILE, load
from tests import databases
from topics.installation.checkup import Severity, extensions

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = """
from types import SimpleNamespace
from focusweb.hookspecs import hookimpl

@hookimpl
def judges():
    return [SimpleNamespace(name="{}", build=print)]
"""
#: What a command prints of itself, to be compared with what every other process would load.
TELL = """
import json
from focusweb.plugins import offers, plugins
found = {name: offer.plugin for name, offer in offers("judges").items() if offer.is_foreign}
print(json.dumps({"judges": found, "failed": [f.plugin for f in plugins().failures]}))
"""


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one-file plugins, and installed packages beside it."""
    folder = tmp_path_factory.mktemp("plugins")
    files, installed = folder / "data/plugins", folder / "installed"
    files.mkdir(parents=True)
    files.parent.chmod(0o700)  # A data folder that others may read is refused.
    (files / "coin.py").write_text(PLUGIN.format("coin"))
    (files / "leaving.py").write_text("raise SystemExit('no more')")
    for name, code in (("dice", PLUGIN.format("dice")), ("broken", "import no_such_thing")):
        package, about = installed / f"{name}_plugin", installed / f"{name}_plugin-1.0.dist-info"
        package.mkdir(parents=True)
        about.mkdir()
        (package / "__init__.py").write_text(code)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-plugin\nVersion: 1\n")
        (about / "entry_points.txt").write_text(f"[focusweb.plugins]\n{name} = {name}_plugin\n")
    return folder


def run(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    environment = {
        "PATH": os.environ["PATH"],
        "FOCUSWEB_DATA": str(folder / "data"),
        "PYTHONPATH": str(folder / "installed"),
    } | databases.environment(folder)
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment | more,
        capture_output=True,
        text=True,
        timeout=300,
    )


# what is named, safe mode, the judges that are there with their plugins, and what failed
@pytest.mark.parametrize(
    ("wanted", "safe", "judges", "failed"),
    [
        ("", "0", {}, []),
        ("coin, dice", "0", {"coin": "coin", "dice": "dice"}, []),
        ("coin,dice,broken", "1", {}, []),
        ("broken,gone,leaving,coin", "0", {"coin": "coin"}, ["broken", "gone", "leaving"]),
    ],
)
def test_a_process_loads_what_is_named_and_works(
    installation: Path, wanted: str, safe: str, judges: dict[str, str], failed: list[str]
) -> None:
    done = run(
        installation, "shell", "-c", TELL, FOCUSWEB_LOAD_PLUGINS=wanted, FOCUSWEB_SAFE_MODE=safe
    )

    assert done.returncode == 0, done.stderr
    finding = json.loads(done.stdout.splitlines()[-1])
    assert finding == {"judges": judges, "failed": failed}


def test_the_doctor_tells_of_a_broken_plugin(installation: Path) -> None:
    done = run(installation, "doctor", "--json", FOCUSWEB_LOAD_PLUGINS="broken")

    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    finding = next(finding for finding in findings if finding["check"] == "plugins")
    assert finding["level"] == "error"
    assert (
        "broken (import): ModuleNotFoundError: No module named 'no_such_thing'" in finding["text"]
    )


def test_a_path_is_no_name_of_a_plugin(installation: Path) -> None:
    done = run(installation, "check", FOCUSWEB_LOAD_PLUGINS="../coin")

    assert done.returncode != 0
    assert "FOCUSWEB_LOAD_PLUGINS must be names" in done.stderr


def test_what_is_not_named_is_not_even_imported(installation: Path) -> None:
    loaded = load(["coin"], installation / "data/plugins")

    assert [name for name, _ in loaded.manager.list_name_plugin()] == [*BUILT_IN, "coin"]
    assert not loaded.failures
    assert "focusweb_plugin_leaving" not in sys.modules


# what is named, safe mode, how bad that is, and what the doctor says
@pytest.mark.parametrize(
    ("wanted", "safe_mode", "level", "text"),
    [
        ([], False, Severity.OK, "none but our own"),
        (["coin"], False, Severity.OK, "coin"),
        (["coin"], True, Severity.HINT, "safe mode: not loaded: coin"),
        (["gone"], False, Severity.ERROR, "gone (import): LookupError"),
    ],
)
def test_the_doctor_says_which_plugins_run(
    installation: Path, wanted: list[str], safe_mode: bool, level: Severity, text: str
) -> None:
    loaded = load([] if safe_mode else wanted, installation / "data/plugins")

    found = extensions(loaded, wanted, safe_mode=safe_mode)

    assert found.level is level
    assert text in found.text


def test_the_doctor_names_plugins_that_were_switched_on(tmp_path: Path) -> None:
    files = tmp_path / "data/plugins"
    files.mkdir(parents=True)
    files.parent.chmod(0o700)
    (files / "coin.py").write_text(PLUGIN.format("coin"))
    PluginStates(files / STATES_FILE).switch("coin", on=True)

    assert re.search(r"ok +plugins: coin$", run(tmp_path, "doctor").stdout, re.MULTILINE)
