"""The check that no line is longer than 120 characters."""

import subprocess
from pathlib import Path

import pytest

from tools.line_lengths import is_checked, long_lines, main


@pytest.mark.parametrize(
    ("name", "checked"),
    [
        ("topics/views/topic.py", True),
        ("templates/mail/digest.txt", True),
        ("Makefile", True),
        ("fixtures/pages/one.html", False),
        ("tests/fixtures/page.html", False),
        ("requirements.lock", False),
        ("locale/zh_Hans/LC_MESSAGES/django.mo", False),
    ],
)
def test_only_text_of_our_own_is_checked(name: str, checked: bool) -> None:
    assert is_checked(name) is checked


def test_a_line_of_120_characters_passes_and_one_of_121_does_not() -> None:
    assert list(long_lines("电" * 120 + "\n" + "x" * 121)) == [(2, 121)]


def test_the_file_and_line_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "long.py").write_text("short\n" + "#" * 121 + "\n", "utf-8")
    (tmp_path / "untracked.py").write_text("#" * 121, "utf-8")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "long.py"], cwd=tmp_path, check=True)

    assert main(["--root", str(tmp_path)]) == 1
    assert capsys.readouterr().out == "long.py:2: 121 characters, 120 allowed\n"
