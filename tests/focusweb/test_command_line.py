"""What the command line does with its output."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from focusweb.command_line import disk_sentence

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "from focusweb.command_line import {0}; {0}()"
MAIN = PROGRAM.format("main")


def run(folder: Path, output: int, words: list[str]) -> tuple[int, str]:
    """Run a program with a given output; its exit code, and what it says of errors."""
    folder.chmod(0o700)
    # With this variable Python writes each line at once.
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=environment | {"FOCUSWEB_DATA": str(folder)},
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["-c", PROGRAM.format("main"), "help"],
        ["-u", "-c", PROGRAM.format("main"), "help"],
        ["-c", PROGRAM.format("console"), "pages", "--help"],
    ],
    ids=["at the end", "at once", "client"],
)
def test_an_output_that_is_not_read_to_its_end_is_no_fault(
    tmp_path: Path, words: list[str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    assert run(tmp_path, writing, words) == (141, "")
    os.close(writing)


def test_an_output_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        said = run(tmp_path, full.fileno(), ["-c", PROGRAM.format("main"), "help"])

    assert said == (1, "The output cannot be written (No space left on device).\n")


def test_a_file_that_cannot_be_written_is_one_sentence_and_nothing_is_left(tmp_path: Path) -> None:
    """A limit of the system for files stands for a disk that is full in the middle of one."""
    data, target = tmp_path / "data", tmp_path / "target"
    data.mkdir()
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)); {MAIN}"

    said = run(data, subprocess.DEVNULL, ["-c", limited, "startplugin", "own", "--to", str(target)])

    assert said == (1, "A file cannot be used (File too large).\n")
    assert not (target / "own").exists()


def test_a_folder_below_a_file_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    words = ["startplugin", "own", "--to", str(file)]

    said = run(tmp_path, subprocess.DEVNULL, ["-c", MAIN, *words])

    assert said == (1, f"{file}/own cannot be used (Not a directory).\n")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            OSError(errno.ENOSPC, "No space left"),
            "The disk is full. Free some space and try again.",
        ),
        (
            OSError(errno.EROFS, "Read-only file system", "/data/run/lock"),
            "/data/run/lock cannot be used (Read-only file system).",
        ),
        (OSError(errno.EACCES, "Permission denied"), ""),
        (OSError(errno.EBADF, "Bad file descriptor"), ""),
    ],
)
def test_only_faults_of_the_disk_have_a_sentence(error: OSError, sentence: str) -> None:
    assert disk_sentence(error) == sentence
