"""Write the skeleton of a plugin: an installable package with a test."""

import keyword
import re
import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

#: Each kind is a folder here, with one module, its test and a pyproject.toml.
EXAMPLES = settings.BASE_DIR / "docs/examples"
KINDS = (
    *("source", "extractor", "strategy", "scorer"),
    *("panel", "tile", "exporter", "channel", "listener"),
)


class Command(BaseCommand):
    help = "Write the skeleton of a plugin, from the example of its kind."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="lower-case letters, digits and _")
        parser.add_argument("--kind", choices=KINDS, default="strategy")
        parser.add_argument("--to", type=Path, default=Path(), help="the folder to write into")

    def handle(self, *args: Any, **options: Any) -> None:
        name, folder = options["name"], options["to"] / options["name"]
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
            raise CommandError(
                "the name must be lower-case letters, digits and _, and no keyword of Python,"
                f" got {name!r}"
            )
        if folder.exists():
            raise CommandError(f"{folder} exists already")
        try:
            write_skeleton(options["kind"], name, folder)
        except OSError:
            # Half a skeleton would be in the way of the next try.
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self.stdout.write(
            f"Wrote {folder}. Change {name}.py, then run its test:\n"
            f"  cd {folder} && PYTHONPATH={settings.BASE_DIR} python -m pytest\n"
            f"Switch it on: copy {name}.py to {settings.PLUGINS_DIR}, or pip install {folder}; "
            "then open the page Plugins."
        )


def write_skeleton(kind: str, name: str, folder: Path) -> None:
    """Copy the example of a kind under another name: files, module and part."""
    source = EXAMPLES / kind
    (old,) = (file.stem.removeprefix("test_") for file in source.glob("test_*.py"))
    classes = (_class_name(old), _class_name(name))
    folder.mkdir(parents=True)
    for file in (source / "pyproject.toml", source / f"{old}.py", source / f"test_{old}.py"):
        text = file.read_text("utf-8").replace(old, name).replace(*classes)
        text = text.replace(old.replace("_", "-"), name.replace("_", "-"))
        (folder / file.name.replace(old, name)).write_text(text, "utf-8")


def _class_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))
