"""What drifts from the documentation: commands and settings."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from tools import dev

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = sorted(name for name, app in get_commands().items() if app in ("crawler", "topics"))
VARIABLES = sorted(
    set(re.findall(r'"(FOCUSWEB_\w+|DATABASE_URL)"', (ROOT / "focusweb/settings.py").read_text()))
    | {"FOCUSWEB_SECRET_KEY"}
)


def text_of(document: str) -> str:
    """A page of the documentation."""
    return (ROOT / "docs" / document).read_text("utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_heading(command: str) -> None:
    assert f"\n## {command}\n" in text_of("commands.md")


def test_no_heading_is_left_of_a_command_that_is_gone() -> None:
    headings = re.findall(r"^## (\w+)$", text_of("commands.md"), re.MULTILINE)

    assert set(headings) <= set(COMMANDS)


@pytest.mark.parametrize("variable", VARIABLES)
def test_every_setting_is_explained(variable: str) -> None:
    assert f"| `{variable}` |" in text_of("operations.md")


def test_no_setting_is_explained_that_nobody_reads() -> None:
    explained = re.findall(r"^\| `([A-Z_]+)` \|", text_of("operations.md"), re.MULTILINE)

    assert sorted(explained) == VARIABLES


@pytest.mark.parametrize("task", sorted(dev.TASKS))
def test_every_make_target_is_explained(task: str) -> None:
    assert f"make {task}" in text_of("install.md")


@pytest.mark.parametrize(
    "page", ["README.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    file = ROOT / page
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", file.read_text("utf-8"))

    assert [target for target in targets if not (file.parent / target).exists()] == []
