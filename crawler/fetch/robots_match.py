"""Match a path against allow and disallow rules (RFC 9309, 2.2.2 and 2.2.3).

Written here because the usual package reads "$" in two ways at once and takes
some escapes apart, so that it allows what the large crawlers and the RFC forbid.
That "Allow: /index.html" lets "/" be fetched is a habit of one of them, not a rule.
"""

import re
from typing import Self

_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")


def normal_path(path: str) -> str:
    """Return a path with its escapes spelled in one way.

    Unreserved characters stand bare, all other escapes are in upper case.
    """
    return _ESCAPE.sub(_normal_escape, path) if "%" in path else path


class PathRules:
    """Rules of one group; the longest that fits decides, allow before disallow."""

    def __init__(self, rules: list[tuple[bool, str]]) -> None:
        found = {(normal_path(path), allow) for allow, path in rules if path}
        # Sorted so that the first rule that fits is the one that decides.
        ordered = sorted(found, key=lambda rule: (-len(rule[0]), not rule[1], rule[0]))
        self._rules = [(_Pattern(path), allow) for path, allow in ordered if path]

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read the "Allow: /path" and "Disallow: /path" lines of a text."""
        rows = (line.partition(": ") for line in text.splitlines())
        return cls(
            [(key == "Allow", path) for key, _, path in rows if key in ("Allow", "Disallow")]
        )

    def allow(self, path: str) -> bool:
        """True unless the deciding rule forbids a path (with its query)."""
        path = normal_path(path)
        for pattern, allow in self._rules:
            if pattern.fits(path):
                return allow
        return True


class _Pattern:
    """A path prefix in which "*" is any text and a last "$" the end."""

    __slots__ = ("_anchored", "_first", "_rest")

    def __init__(self, pattern: str) -> None:
        self._anchored = pattern.endswith("$")
        self._first, *self._rest = pattern.removesuffix("$").split("*")

    def fits(self, path: str) -> bool:
        if not path.startswith(self._first):
            return False
        position = len(self._first)
        if not self._rest:
            return not self._anchored or position == len(path)
        # Leftmost finds are enough: what fits later parts further right fits here too.
        for part in self._rest[:-1]:
            position = path.find(part, position)
            if position < 0:
                return False
            position += len(part)
        last = self._rest[-1]
        if self._anchored:
            return len(path) - len(last) >= position and path.endswith(last)
        return path.find(last, position) >= 0


def _normal_escape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if _UNRESERVED.fullmatch(character) else match[0].upper()
