"""Measure the structure of the program: `python tools/structure.py [ROOT]`.

Counts lines, modules and packages of the product, the lab beside it and the tests, and the
imports between packages: how many arrows there are, and which packages import each other.
A package here is a folder two levels deep, such as ``crawler.page``; a module directly in an
app, such as ``crawler/errors.py``, stands for itself in the arrows.
Migrations are Django's and are not counted. `--packages` shows where the lines are.
"""

import argparse
import ast
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

APPS = ("crawler", "topics", "focusweb")
#: Research code; the product imports none of it.
LAB = ("crawler.lab", "crawler.evaluation")


@dataclass(frozen=True, slots=True)
class Structure:
    """The figures of one checkout.

    Attributes
    ----------
    product_lines, lab_lines, bench_lines, test_lines : int
        Lines of Python files, blank ones and comments too.
    modules, packages : int
        Of product and lab.
    median_module, longest_module : int
        Lines.
    module_arrows, package_arrows : int
        Pairs of modules, or of packages, where one imports the other.
    mutual : list of str
        Pairs of packages that import each other.
    largest_ring : list of str
        The most packages that reach each other by imports; empty if no packages do.
    """

    product_lines: int
    lab_lines: int
    bench_lines: int
    test_lines: int
    modules: int
    packages: int
    median_module: int
    longest_module: int
    module_arrows: int
    package_arrows: int
    mutual: list[str]
    largest_ring: list[str]


def main(arguments: Sequence[str]) -> int:
    """Print the figures of a checkout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--packages", action="store_true", help="print the lines of each package")
    options = parser.parse_args(arguments)
    if options.packages:
        for package, n_lines in lines_by_package(options.root).most_common():
            print(f"{n_lines:7,} {package}")
        return 0
    structure = measure(options.root)
    if options.json:
        print(json.dumps(asdict(structure), indent=1))
        return 0
    for name, value in asdict(structure).items():
        shown = ", ".join(value) or "none" if isinstance(value, list) else f"{value:,}"
        print(f"{name.replace('_', ' '):16} {shown}")
    return 0


def measure(root: Path) -> Structure:
    """Read every Python file below `root` that is ours and count."""
    sources = dict(_modules(root))
    sizes = {name: len(text.splitlines()) for name, text in sources.items()}
    lab_lines = sum(size for name, size in sizes.items() if _is_in(name, LAB))
    module_arrows = set(_imports(sources))
    package_arrows = {(package_of(above), package_of(below)) for above, below in module_arrows}
    package_arrows = {(above, below) for above, below in package_arrows if above != below}
    in_order = sorted(sizes.values())
    return Structure(
        product_lines=sum(sizes.values()) - lab_lines,
        lab_lines=lab_lines,
        bench_lines=_lines_below(root / "bench"),
        test_lines=_lines_below(root / "tests"),
        modules=len(sources),
        packages=len({package_of(name) for name in sources if name.count(".") > 1}),
        median_module=in_order[len(in_order) // 2],
        longest_module=in_order[-1],
        module_arrows=len(module_arrows),
        package_arrows=len(package_arrows),
        mutual=mutual_pairs(package_arrows),
        largest_ring=largest_ring(package_arrows),
    )


def lines_by_package(root: Path) -> Counter[str]:
    """Return how many lines each package has; a module directly in an app counts for the app."""
    counted = Counter[str]()
    for name, text in _modules(root):
        package = package_of(name)
        is_package = (root / package.replace(".", "/")).is_dir()
        counted[package if is_package else name.partition(".")[0]] += len(text.splitlines())
    return counted


def package_of(module: str) -> str:
    """Return the folder a module counts for: ``crawler.page`` for ``crawler.page.url``."""
    return ".".join(module.split(".")[:2])


def mutual_pairs(arrows: set[tuple[str, str]]) -> list[str]:
    """Return the pairs of packages that import each other, by name."""
    return sorted(
        f"{above} <-> {below}"
        for above, below in arrows
        if above < below and (below, above) in arrows
    )


def largest_ring(arrows: set[tuple[str, str]]) -> list[str]:
    """Return the largest group of packages each of which reaches all others by imports."""
    below: dict[str, set[str]] = {}
    for source, target in arrows:
        below.setdefault(source, set()).add(target)
    reached = {package: _reached(package, below) for package in below}
    rings = [
        sorted(other for other in reach if package in reached.get(other, ()))
        for package, reach in reached.items()
        if package in reach
    ]
    return max(rings, key=len, default=[])


def _reached(package: str, below: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [package]
    while waiting:
        new = below.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _modules(root: Path) -> Iterator[tuple[str, str]]:
    for app in APPS:
        for file in sorted((root / app).rglob("*.py")):
            parts = file.relative_to(root).with_suffix("").parts
            if "migrations" in parts:
                continue
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            yield name, file.read_text("utf-8")


def _imports(sources: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, text in sources.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module:
                targets = [f"{node.module}.{alias.name}" for alias in node.names]
                found = {
                    target if target in sources else node.module
                    for target in targets
                    if target in sources or node.module in sources
                }
            elif isinstance(node, ast.Import):
                found = {alias.name for alias in node.names if alias.name in sources}
            else:
                continue
            yield from ((name, target) for target in found if target != name)


def _is_in(module: str, packages: Sequence[str]) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


def _lines_below(folder: Path) -> int:
    return sum(len(file.read_text("utf-8").splitlines()) for file in folder.rglob("*.py"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
