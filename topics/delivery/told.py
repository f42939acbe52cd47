"""A page as an issue tells it: what the reader sees, frozen when it was chosen."""

import re
from datetime import datetime

import msgspec

#: Characters that turn the direction of writing: in a title they would turn the whole mail.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
MAX_TITLE = 200
MAX_WHY = 600
MAX_EXTRACT = 400


class ToldPage(msgspec.Struct, frozen=True):
    """One item of an issue."""

    title: str
    url: str
    site: str
    why: str
    first_seen: datetime
    published: datetime | None = None
    new_site: bool = False
    #: Other sites that tell the same.
    also: tuple[str, ...] = ()
    #: What it says of the topic, and the language of that; "" for unknown.
    extract: str = ""
    lang: str = ""
    #: False for a front page or a list of links.
    has_article: bool = True


def one_line(text: str, limit: int = MAX_TITLE) -> str:
    """Text from the web as one quiet line: no breaks, control or turning characters."""
    printable = "".join(c if c.isprintable() or c.isspace() else "" for c in text)
    line = _TURNING.sub("", " ".join(printable.split()))
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
