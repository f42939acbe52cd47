"""Match a path against allow and disallow rules (RFC 9309, 2.2.2 and 2.2.3).

Written here because the usual package reads "$" in two ways at once and takes
some escapes apart, so that it allows what the large crawlers and the RFC forbid.
That "Allow: /index.html" lets "/" be fetched is a habit of one of them, not a rule.
"""

import re
from sys import getsizeof
from urllib.parse import quote

_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_RULE = re.compile(r"^(Allow|Disallow): (.+)$", re.MULTILINE)


def normal_path(path: str) -> str:
    """Return a path with its escapes spelled in one way.

    Unreserved characters stay as they are, others outside ASCII are escaped, in upper case.
    """
    if not path.isascii():
        path = _NOT_ASCII.sub(lambda found: quote(found[0], safe=""), path)
    return _ESCAPE.sub(_normal_escape, path) if "%" in path else path


class PathRules:
    """Rules of one group; the longest that fits decides, allow before disallow.

    Parameters
    ----------
    text : str
        "Allow: /path" and "Disallow: /path" lines; others are passed over.
    """

    __slots__ = ("_allows", "_patterns", "n_bytes")

    def __init__(self, text: str) -> None:
        rules: dict[str, bool] = {}
        for rule in _RULE.finditer(text):
            pattern = normal_path(rule[2])
            rules[pattern] = rule[1] == "Allow" or rules.get(pattern, False)
        # Sorted so that the first rule that fits is the one that decides.
        ordered = sorted(rules, key=lambda pattern: -2 * len(pattern) - rules[pattern])
        # A site may send tens of thousands: a string and a byte each is all they take.
        self._patterns = tuple(ordered)
        self._allows = bytes(map(rules.__getitem__, ordered))
        #: What the rules take in memory.
        self.n_bytes = sum(map(getsizeof, (self._patterns, self._allows, *self._patterns)))

    def allow(self, path: str) -> bool:
        """True unless the deciding rule forbids a path (with its query)."""
        path = normal_path(path)
        for pattern, allow in zip(self._patterns, self._allows, strict=True):
            if _fits(pattern, path):
                return bool(allow)
        return True


def _fits(pattern: str, path: str) -> bool:
    """True if a path matches a pattern: "*" is any text, a last "$" the end."""
    if "*" not in pattern:
        # Nearly all are plain.
        return path == pattern[:-1] if pattern[-1] == "$" else path.startswith(pattern)
    is_anchored = pattern[-1] == "$"
    first, *middle, last = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    position = len(first)
    # Leftmost finds are enough: what fits later parts further right fits here too.
    for part in middle:
        position = path.find(part, position)
        if position < 0:
            return False
        position += len(part)
    if is_anchored:
        return len(path) - len(last) >= position and path.endswith(last)
    return path.find(last, position) >= 0


def _normal_escape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if _UNRESERVED.fullmatch(character) else match[0].upper()
