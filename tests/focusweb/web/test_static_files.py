"""Static files with hashes in their names: made once for each version, compressed, complete."""

import gzip
import json
import os
from pathlib import Path

import pytest

from focusweb.web import static_files

OWN = Path(__file__).resolve().parents[3] / "static"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of this version, made beside those of another one."""
    folder = tmp_path_factory.mktemp("data") / "static" / "version"
    (folder.parent / "older").mkdir(parents=True)
    assert static_files.make_hashed_files(folder) is True
    return folder


def test_every_file_of_ours_has_a_hashed_name_and_a_compressed_copy(made: Path) -> None:
    names = json.loads((made / static_files.MANIFEST).read_text())["paths"]
    for file in OWN.iterdir():
        hashed = made / names[file.name]
        assert hashed.name != file.name
        if file.suffix in (".css", ".js"):
            packed = Path(f"{hashed}.gz").read_bytes()
            assert gzip.decompress(packed) == hashed.read_bytes()
            assert len(packed) < len(hashed.read_bytes())
    for package in ("django_htmx/", "admin/css/"):
        assert any(name.startswith(package) for name in names)


def test_they_are_made_once_and_older_ones_are_deleted(made: Path) -> None:
    assert static_files.make_hashed_files(made) is False
    assert [folder.name for folder in made.parent.iterdir()] == ["version"]


def test_a_folder_that_was_not_finished_is_not_served(tmp_path: Path) -> None:
    assert not static_files.is_complete(tmp_path)


def test_a_changed_file_is_another_version(tmp_path: Path) -> None:
    own = tmp_path / "static"
    own.mkdir()
    (own / "a.css").write_text("p {}")
    before = static_files.folder_for(tmp_path, own)
    assert static_files.folder_for(tmp_path, own) == before
    os.utime(own / "a.css", (1, 1))
    assert static_files.folder_for(tmp_path, own) != before
