"""Pick out of a robots file the lines that are meant for one agent.

Parsers that build every group of the file take time squared in its agents, and
most let a Crawl-delay or Sitemap line end a group, which RFC 9309 rules out.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

# The spellings that large crawlers obey too: who wrote them meant a rule.
_AGENT_KEYS: Final = frozenset({"user-agent", "useragent", "user agent"})
_ALLOW_KEYS: Final = frozenset({"allow"})
_DISALLOW_KEYS: Final = frozenset(
    {"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"}
)
_DELAY_KEYS: Final = frozenset({"crawl-delay", "crawl delay", "crawldelay"})
_SITEMAP_KEYS: Final = frozenset({"sitemap", "site-map"})

_PRODUCT_TOKEN = re.compile(r"[a-zA-Z_-]*")
_LINE = re.compile(rb"[^\r\n]+")
# Characters that must be escaped in a path: controls and blanks.
_UNSAFE_BYTE = re.compile(rb"[^\x21-\x7e]")
_NOT_ASCII = re.compile(r"[^\x21-\x7e]")
_MAX_LINE_BYTES: Final = 16 * 1024


@dataclass(slots=True)
class Group:
    """The rules for one agent: "Allow: /path" and "Disallow: /path" in file order."""

    rules: list[str] = field(default_factory=list)
    crawl_delay_s: float | None = None
    sitemaps: list[str] = field(default_factory=list)


def select_group(body: bytes, agent: str) -> Group:
    """Return what applies to an agent: all groups that name it, else those for "*".

    Only user-agent, allow and disallow lines form groups; nothing else ends one.
    Paths come out printable and without blanks: other bytes, and those of characters that
    would make the whole text wide in memory, are percent-encoded.
    """
    wanted = agent.lower()
    named, anyone = Group(), Group()
    is_named = False
    current: dict[str, Group] = {}
    opening = False
    for key, value in _records(body):
        if key in _AGENT_KEYS:
            if not opening:
                current, opening = {}, True
            text = value.decode("latin-1")
            if text == "*" or text.startswith(("* ", "*\t")):
                current["*"] = anyone
            elif _token(text) == wanted:
                is_named = True
                current[wanted] = named
        elif key in _ALLOW_KEYS or key in _DISALLOW_KEYS:
            opening = False
            if value:
                rule = f"{'Allow' if key in _ALLOW_KEYS else 'Disallow'}: {_path(value)}"
                for group in current.values():
                    group.rules.append(rule)
        elif key in _DELAY_KEYS:
            _set_delay(current.values(), value)
        elif key in _SITEMAP_KEYS:
            anyone.sitemaps.append(value.decode("utf-8", "replace"))
    chosen = named if is_named else anyone
    chosen.sitemaps = anyone.sitemaps
    return chosen


def _records(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield (lower-case key, value) pairs, comments and junk left out."""
    for line in _LINE.finditer(body.removeprefix(b"\xef\xbb\xbf")):
        text = line[0][:_MAX_LINE_BYTES].partition(b"#")[0].replace(b"\0", b"").strip()
        key, colon, value = text.partition(b":")
        if not colon:
            # "Disallow /path" is common enough that everyone reads it.
            words = text.split()
            if len(words) != 2:
                continue
            key, value = words
        yield key.strip().lower().decode("latin-1"), value.strip()


def _token(text: str) -> str:
    """Return the product token a user-agent value starts with ("FocusWeb/1.0")."""
    match = _PRODUCT_TOKEN.match(text)
    return match[0].lower() if match else ""


def _path(value: bytes) -> str:
    try:
        # What is UTF-8 stays as it is: escaped, it would be stored at three times its size.
        return _NOT_ASCII.sub(_escaped, value.decode("utf-8"))
    except UnicodeDecodeError:
        escaped = _UNSAFE_BYTE.sub(lambda found: b"%%%02X" % ord(found[0]), value)
        return escaped.decode("ascii")


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    is_bare = character.isprintable() and not character.isspace() and character <= "\uffff"
    return character if is_bare else quote(character, safe="")


def _set_delay(groups: Iterable[Group], value: bytes) -> None:
    try:
        delay = float(value)
    except ValueError:
        return
    if math.isfinite(delay) and delay >= 0:
        for group in groups:
            group.crawl_delay_s = delay
