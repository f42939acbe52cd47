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
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DATE_WORD = re.compile(
    r"(?:^|[\s_-])(?:[a-z]{0,10}(?<!up)(?<!candi)(?<!vali)(?<!man)date|datum|fecha|dat[ao]|time"
    r"|time-?stamp|pub-?time|published|publish(?:ed)?-?(?:on|at)|posted(?:-?on)?|created)"
    r"(?:$|[\s_-])",
    re.IGNORECASE,
)
_MAY_NAME_A_DATE = re.compile("dat|time|fecha|publ|posted|created", re.IGNORECASE)
_OTHER_WORD = re.compile(
    r"event|birth|expir|deadline|current|today|clock|comment|updat|modifi|start|end[_-]|read"
    r"|duration|related|calendar|picker|termin|live",
    re.IGNORECASE,
)
_PUBLISHED_WORDS: Final = frozenset(
    "datepublished schema:datepublished dc:created dcterms:created dcterms:issued".split()
)
_ISO = re.compile(r"\s?(?:19|20)\d\d-\d\d-\d\d")
_LINKED_DATA = re.compile(r'\s{0,20}[\[{]\s{0,20}"@(?:context|graph)"')


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
    #: Lines and segments where elements start whose class is a word for a date.
    named: list[tuple[int, int]] = field(default_factory=list)
    #: When the page was last changed, as a meta element says.
    changed: str = ""
    #: When a file was made, as its properties say.
    created: str = ""
    #: The line of the first h1.
    heading_line: int = 0
    #: True inside a script of JSON-LD, or in one of no type, which may be.
    in_script: bool = False
    _is_sure: bool = False

    def enter_script(self, attributes: Mapping[str, str]) -> None:
        """Begin to keep a script if it is JSON-LD."""
        kind = attributes.get("type", "").strip().lower()
        self._is_sure = kind.startswith("application/ld+json")
        if len(self.scripts) < _MAX_SCRIPTS and (self._is_sure or not attributes):
            self.in_script = True
            if self._is_sure:
                self.scripts.append("")

    def add_script_text(self, text: str) -> None:
        """Keep a piece of the script."""
        if not self._is_sure:
            # Some pages forget to say that their JSON-LD is not a program.
            self.in_script = self._is_sure = _LINKED_DATA.match(text) is not None
            if not self._is_sure:
                return
            self.scripts.append("")
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

    def add_named(
        self, attributes: Mapping[str, str], path: Sequence[str], line: int, segment: int
    ) -> None:
        """Keep where an element starts whose class is a word for a date."""
        value = attributes.get("title") or attributes.get("data-date") or ""
        if _ISO.match(value) and not attributes.get("datetime"):
            self.add_time({**attributes, "datetime": value}, path, line, segment)
        if len(self.named) < _MAX_TIMES and not _ASIDE.search(" ".join(path[-30:-1])):
            self.named.append((line, segment))


def names_a_date(classes: str) -> bool:
    """True for a class attribute that names a date, unless it says of what else."""
    if not _MAY_NAME_A_DATE.search(classes):
        return False  # Most classes: cheap to refuse.
    classes = _CAMEL.sub("-", classes[:_MAX_DATE_CHARS])
    return _DATE_WORD.search(classes) is not None and not _OTHER_WORD.search(classes)


def is_published_mark(attributes: Mapping[str, str]) -> bool:
    """True for an element of microdata or RDFa that holds the date of publishing."""
    words = f"{attributes.get('itemprop', '')} {attributes.get('property', '')}"
    return not _PUBLISHED_WORDS.isdisjoint(words.lower().split())


def is_modified(attributes: Mapping[str, str]) -> bool:
    """True for an element of microdata that holds the date of the last change."""
    return attributes.get("itemprop", "").strip().lower() == "datemodified"
