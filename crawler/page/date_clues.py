"""What a page's tags say about dates, gathered while its other tags are read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

#: Longer JSON-LD is a catalogue, not the description of one page.
MAX_SCRIPT_CHARS: Final = 100_000
_MAX_SCRIPTS = 10
_MAX_TIMES = 60
_MAX_DATE_CHARS = 100

#: Elements whose times are not the page's own.
_ASIDE = re.compile(
    r"\b(?:aside|nav|footer)\b|comment|reply|replies|related|recent|sidebar|widget|recommend",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TimeTag:
    """An element that holds a date.

    Attributes
    ----------
    value : str
        Its datetime or content attribute, "" if it has none.
    line, segment : int
        Where its text starts.
    is_published : bool
        It says of itself that it is the date of publishing.
    """

    value: str
    line: int
    segment: int
    is_published: bool = False


@dataclass(slots=True)
class DateClues:
    """Scripts of JSON-LD, dates of meta elements with their rank, and time elements."""

    scripts: list[str] = field(default_factory=list)
    metas: list[tuple[int, str]] = field(default_factory=list)
    times: list[TimeTag] = field(default_factory=list)
    #: When a file was made, as its properties say.
    created: str = ""
    #: The line of the first h1.
    heading_line: int = 0
    #: True inside a script of JSON-LD.
    in_script: bool = False

    def enter_script(self, attributes: Mapping[str, str]) -> None:
        """Begin to keep a script if it is JSON-LD."""
        kind = attributes.get("type", "").strip().lower()
        if kind.startswith("application/ld+json") and len(self.scripts) < _MAX_SCRIPTS:
            self.in_script = True
            self.scripts.append("")

    def add_script_text(self, text: str) -> None:
        """Keep a piece of the script."""
        if len(self.scripts[-1]) < MAX_SCRIPT_CHARS:
            self.scripts[-1] += text

    def add_time(
        self, attributes: Mapping[str, str], path: Sequence[str], line: int, segment: int
    ) -> None:
        """Keep an element with a date, unless it stands where others' dates stand."""
        if len(self.times) >= _MAX_TIMES or _ASIDE.search(" ".join(path[-30:-1])):
            return
        classes = attributes.get("class", "").lower()
        if "updated" in classes.split() or is_modified(attributes):
            return
        value = attributes.get("datetime") or attributes.get("content") or ""
        is_published = (
            "pubdate" in attributes or "publish" in classes or is_published_mark(attributes)
        )
        tag = TimeTag(value.strip()[:_MAX_DATE_CHARS], line, segment, is_published)
        self.times.append(tag)


def is_published_mark(attributes: Mapping[str, str]) -> bool:
    """True for an element of microdata that holds the date of publishing."""
    return attributes.get("itemprop", "").strip().lower() == "datepublished"


def is_modified(attributes: Mapping[str, str]) -> bool:
    """True for an element of microdata that holds the date of the last change."""
    return attributes.get("itemprop", "").strip().lower() == "datemodified"
