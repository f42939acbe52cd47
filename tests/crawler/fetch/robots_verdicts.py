"""Count over a folder of robots files where our verdicts differ from a second reading's.

    python -m tests.crawler.fetch.robots_verdicts FOLDER

Each file is checked for three agents with fixed paths and with paths made from its own rules,
whole, lengthened and cut short. Every difference is printed.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from crawler.fetch.robots import parse_robots
from tests.crawler.fetch.robots_reference import is_allowed, rules_for

AGENTS = ("FocusWeb", "Googlebot", "bingbot")
FIXED = (
    "/",
    "/robots.txt",
    "/index.html",
    "/a",
    "/a/b/c.html",
    "/search?q=a&page=2",
    "/?s=a",
    "/cgi-bin/a",
    "/images/a.png",
    "/wp-admin/admin-ajax.php",
    "/en/",
    "/a.pdf",
    "/feed/",
)
#: Of a file's rules, so many lend their path.
MAX_PATTERNS = 16
_RULE = re.compile(rb"^[ \t]*(?:dis)?allow[ \t]*:[ \t]*(/[^\s#]*)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Difference:
    """A verdict on which the two readings differ."""

    agent: str
    path: str
    we_allow: bool


def paths_of(body: bytes) -> list[str]:
    """The paths that a file is checked with."""
    patterns = list(dict.fromkeys(_RULE.findall(body.replace(b"\r", b"\n"))))
    made = dict.fromkeys(FIXED)
    for pattern in patterns[:: max(1, len(patterns) // MAX_PATTERNS)][:MAX_PATTERNS]:
        text = "".join(chr(octet) if 33 <= octet < 127 else f"%{octet:02X}" for octet in pattern)
        path = text.removesuffix("$").replace("*", "x")
        made |= dict.fromkeys((path, f"{path}/y.html?z=1", path[:-1] or "/"))
    return list(made)


def compare(body: bytes) -> tuple[int, list[Difference]]:
    """How many verdicts a file gave, and where the readings differ."""
    paths, n_verdicts, found = paths_of(body), 0, []
    for agent in AGENTS:
        ours, rules = parse_robots(body, agent), rules_for(body, agent)
        for path in paths:
            n_verdicts += 1
            we_allow = ours.allows(f"http://site.test{path}")
            if we_allow is not is_allowed(rules, path):
                found.append(Difference(agent, path, we_allow))
    return n_verdicts, found


def lines(folder: Path) -> Iterator[str]:
    """What is printed: each difference, then the counts."""
    counts: Counter[str] = Counter()
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        n_verdicts, differences = compare(file.read_bytes())
        counts["files"] += 1
        counts["verdicts"] += n_verdicts
        for row in differences:
            kind = "too permissive" if row.we_allow else "too strict"
            counts[kind] += 1
            counts[f"files {kind}"] += 1
            yield f"{kind}: {file.relative_to(folder)} {row.agent} {row.path}"
    yield (
        f"{counts['files']} files, {counts['verdicts']} verdicts,"
        f" {counts['too permissive']} too permissive, {counts['too strict']} too strict"
    )


if __name__ == "__main__":
    for line in lines(Path(sys.argv[1])):
        sys.stdout.write(f"{line}\n")
