"""A second reading of RFC 9309, as slow and as close to its words as can be.

It shares no code with `crawler.fetch`: lines are split by the grammar of section 2.2, groups
merged as 2.2.1 says, and every rule of a group is tried as a regular expression (2.2.2, 2.2.3).
"""

import re
from functools import lru_cache

_LINE = re.compile(
    rb"[ \t]*(user-agent|allow|disallow)[ \t]*:[ \t]*(.*?)[ \t]*(?:#.*)?", re.IGNORECASE | re.DOTALL
)
_TOKEN = re.compile(rb"[A-Za-z_-]+")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_MOST_BYTES = 500 * 1024

Rule = tuple[bool, bytes]


def rules_for(body: bytes, agent: str) -> tuple[Rule, ...]:
    """The (is allow, path) rules of all groups that name an agent, else of those for all."""
    body = body[:_MOST_BYTES]
    if body.startswith(b"\xef\xbb\xbf"):
        body = body[3:]
    groups: list[tuple[list[bytes], list[Rule]]] = []
    for line in re.split(rb"\r\n|\n|\r", body):
        found = _LINE.fullmatch(line.partition(b"#")[0])
        if found is None:
            continue  # 2.2.4: other records must not interfere
        key, value = found[1].lower(), found[2]
        if key == b"user-agent":
            if not groups or groups[-1][1]:
                groups.append(([], []))
            groups[-1][0].append(value)
        elif groups:
            groups[-1][1].append((key == b"allow", value))
    wanted = agent.lower().encode()
    named = [rules for names, rules in groups if any(_token(name) == wanted for name in names)]
    if not named:
        named = [rules for names, rules in groups if b"*" in names]
    return tuple(rule for rules in named for rule in rules)


def _token(name: bytes) -> bytes:
    found = _TOKEN.match(name)
    return found[0].lower() if found else b""


def is_allowed(rules: tuple[Rule, ...], path: str) -> bool:
    """Whether the most specific rule that fits lets a path be fetched; allow wins a tie."""
    if path == "/robots.txt":
        return True  # 2.2.2: implicitly allowed
    target = _normal(path.encode())
    fitting = [
        (len(_normal(pattern)), allow)
        for allow, pattern in rules
        if pattern and _expression(pattern).match(target)
    ]
    return max(fitting, default=(0, True))[1]


@lru_cache(maxsize=4096)
def _expression(pattern: bytes) -> re.Pattern[bytes]:
    end = rb"\Z" if pattern.endswith(b"$") else b""
    parts = _normal(pattern.removesuffix(b"$")).split(b"*")
    return re.compile(b".*?".join(re.escape(part) for part in parts) + end, re.DOTALL)


@lru_cache(maxsize=65_536)
def _normal(octets: bytes) -> bytes:
    """2.2.2: one spelling for each octet, escaped unless it is printable ASCII."""
    out = bytearray()
    position = 0
    while position < len(octets):
        octet = octets[position]
        escaped = re.match(rb"%([0-9A-Fa-f]{2})", octets[position : position + 3])
        if escaped is not None:
            octet = int(escaped[1], 16)
            position += 3
            out += bytes([octet]) if octet in _UNRESERVED else b"%%%02X" % octet
            continue
        position += 1
        out += bytes([octet]) if 0x21 <= octet <= 0x7E else b"%%%02X" % octet
    return bytes(out)
