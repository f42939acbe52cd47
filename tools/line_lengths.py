"""Check that no line of a tracked text file is longer than 120 characters."""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 120
#: The kinds of text files that are written by hand or wrapped by a formatter.
SUFFIXES = frozenset(
    {".css", ".html", ".js", ".md", ".po", ".py", ".svg", ".toml", ".txt", ".yaml", ".yml"}
)
#: Pages and files of other people, stored as they were found.
FOREIGN = ("fixtures/", "tests/fixtures/")


def tracked_files(root: Path) -> list[Path]:
    """Return the checked files of a Git working copy, in a fixed order."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True
    )
    return [
        root / name
        for name in sorted(filter(None, listed.stdout.split("\0")))
        if is_checked(name) and (root / name).is_file()
    ]


def is_checked(name: str) -> bool:
    """Return True for a text file of our own, given by its path in the repository."""
    if name.startswith(FOREIGN):
        return False
    return Path(name).suffix in SUFFIXES or Path(name).name == "Makefile"


def long_lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the number and the length of each line that is too long."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LIMIT:
            yield number, len(line)


def main(arguments: list[str]) -> int:
    """Print every line that is too long; return 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT)
    options = parser.parse_args(arguments)
    n_long = 0
    for file in tracked_files(options.root):
        for number, length in long_lines(file.read_text("utf-8")):
            print(
                f"{file.relative_to(options.root)}:{number}: {length} characters, {LIMIT} allowed"
            )
            n_long += 1
    return 1 if n_long else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
