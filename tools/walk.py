"""Count the functions on the way of one call: `python tools/walk.py TEST FUNCTION`.

TEST is a pytest test that calls FUNCTION, a dotted name such as
``topics.profile.feedback.set_thumb``. The test runs; while FUNCTION is on the stack, every
function of ours that is entered is counted. Prints how many functions, modules and packages
took part, and each function in the order of its first call.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
APPS = ("crawler", "topics", "focusweb")


class Walk:
    """Collects the functions that run below one function; a profile hook of the interpreter."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._outermost: FrameType | None = None
        self.functions: dict[str, int] = {}

    def pytest_runtest_call(self) -> None:
        """Start to record when the test itself starts, after its fixtures."""
        sys.setprofile(self._note)

    def pytest_runtest_teardown(self) -> None:
        """Stop before the fixtures clean up."""
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event == "return" and frame is self._outermost:
            self._outermost = None
        if event != "call":
            return
        name = name_of(frame)
        if name is None:
            return
        if self._outermost is None and name == self._target:
            self._outermost = frame
        if self._outermost is not None and "<" not in name:
            self.functions[name] = self.functions.get(name, 0) + 1


def name_of(frame: FrameType) -> str | None:
    """Return the dotted name of the function that runs in a frame; None if it is not ours."""
    file = Path(frame.f_code.co_filename)
    if not file.is_relative_to(ROOT):
        return None
    parts = file.relative_to(ROOT).with_suffix("").parts
    if parts[0] not in APPS or "migrations" in parts:
        return None
    return ".".join((*parts, frame.f_code.co_qualname))


def main(arguments: Sequence[str]) -> int:
    """Run the test and print what ran below the function; 1 if the function never ran."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("test", help="a pytest test, such as tests/x.py::test_y")
    parser.add_argument("function", help="dotted name of the function to follow")
    options = parser.parse_args(arguments)
    walk = Walk(options.function)
    code = pytest.main(["-q", "-n", "0", "-p", "no:randomly", options.test], plugins=[walk])
    if code or not walk.functions:
        print(f"{options.function} did not run in {options.test}", file=sys.stderr)
        return 1
    modules = {name.rpartition(".")[0] for name in walk.functions}
    packages = {".".join(name.split(".")[:2]) for name in walk.functions}
    print(f"{len(walk.functions)} functions, {len(modules)} modules, {len(packages)} packages")
    for name, calls in walk.functions.items():
        print(f"{calls:6} {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
