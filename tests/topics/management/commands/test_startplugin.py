"""The skeleton of a plugin can be installed, and its part is offered under the new name."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from focusweb.plugin_files import ENTRY_POINTS
from focusweb.plugins import load
from topics.management.commands.startplugin import EXAMPLES, KINDS, write_skeleton


def test_every_example_is_a_kind() -> None:
    assert sorted(folder.name for folder in EXAMPLES.iterdir() if folder.is_dir()) == sorted(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_skeleton_has_the_new_name_only_and_can_be_loaded(tmp_path: Path, kind: str) -> None:
    (example,) = (file.stem for file in (EXAMPLES / kind).glob("*.py") if "test_" not in file.name)

    write_skeleton(kind, "my_part", tmp_path / "my_part")

    files = {file.name: file.read_text("utf-8") for file in (tmp_path / "my_part").iterdir()}
    assert set(files) == {"pyproject.toml", "my_part.py", "test_my_part.py"}
    assert not [name for name, text in files.items() if example in text]
    loaded = load(["my_part"], tmp_path / "my_part")
    assert loaded.loaded() == ["my_part"]
    assert loaded.failures == []


def test_a_skeleton_can_be_installed(tmp_path: Path) -> None:
    call_command("startplugin", "my_order", "--to", str(tmp_path), verbosity=0)

    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "-q"]
    where = ["--target", str(tmp_path / "installed"), str(tmp_path / "my_order")]
    done = subprocess.run([*command, *where], capture_output=True, text=True, timeout=300)

    assert done.returncode == 0, done.stderr
    (entry,) = (tmp_path / "installed").glob("*.dist-info/entry_points.txt")
    assert entry.read_text() == f"[{ENTRY_POINTS}]\nmy_order = my_order\n"
    assert (tmp_path / "installed/my_order.py").exists()


@pytest.mark.parametrize("name", ["", "My", "1a", "../a", "a b", "a-b", "class"])
def test_a_name_must_be_one_of_a_module(tmp_path: Path, name: str) -> None:
    with pytest.raises(CommandError, match="lower-case letters"):
        call_command("startplugin", name, "--to", str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()

    with pytest.raises(CommandError, match="exists already"):
        call_command("startplugin", "mine", "--to", str(tmp_path))
