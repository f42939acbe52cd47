"""What a query says, as a tree that knows no engine and no table."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Literal

#: Opening quotation marks, and for each all that close it.
QUOTATION_MARKS = (
    *((mark, '"“”„＂') for mark in '"“”„＂'),
    ("「", "」"),
    ("『", "』"),
)


class Field(StrEnum):
    """The field that a condition such as `site:example.org` tests."""

    TITLE = "title"
    TEXT = "text"
    SITE = "site"
    URL = "url"
    AUTHOR = "author"
    TOPIC = "topic"
    TERM = "term"
    LANG = "lang"
    TAG = "tag"
    IS = "is"
    HAS = "has"
    RULE = "rule"
    SCORE = "score"
    LINK = "link"
    CONTENT = "content"
    AGE = "age"
    PUB = "pub"
    SEEN = "seen"
    BEFORE = "before"
    AFTER = "after"
    #: A regular expression between slashes; it has no name.
    PATTERN = "/"


@dataclass(frozen=True, slots=True)
class Clause:
    """Words or a phrase that a page's text holds.

    Attributes
    ----------
    text : str
        As typed, without quotation marks, minus and star; holds a letter, digit or character.
    is_phrase : bool
        It stood between quotation marks: its words must follow one another.
    position : int
        Index of its first character (mark included, minus not) in the query.
    is_prefix : bool
        A star followed: every word that begins so will do.
    in_title : bool
        Only the title counts.
    weight : float
        What a find counts for the order, above 0.
    """

    text: str
    is_phrase: bool = False
    position: int = 0
    is_prefix: bool = False
    in_title: bool = False
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers from `low` to `high`; None leaves that side open, `open_*` leaves it out."""

    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False


Unit = Literal["week", "month", "year"]


@dataclass(frozen=True, slots=True)
class UnitStart:
    """A day counted from the first day of a calendar unit: this one, or `back` units before it.

    A week begins on Monday.
    """

    unit: Unit
    back: int = 0
    days: int = 0


#: A day; a whole number stands for that many days before today: 0 is today.
Day = date | int | UnitStart


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to `last`, both included; None leaves that side open."""

    first: Day | None = None
    last: Day | None = None


@dataclass(frozen=True, slots=True)
class Ages:
    """Times before now from `least` to `most`; None leaves that side open."""

    least: timedelta | None = None
    most: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression that `topics.search.patterns` can read."""

    text: str
    ignore_case: bool = False


Value = str | Numbers | Period | Ages | Pattern | Clause


@dataclass(frozen=True, slots=True)
class Fact:
    """A condition on the facts of a page, not on its text.

    Attributes
    ----------
    value : str, Numbers, Period, Ages, Pattern or Clause
        What it must be; words are in their English form.
    text : str
        As typed, name and value.
    position : int
        Index of its first character in the query.
    """

    field: Field
    value: Value
    text: str
    position: int = 0


@dataclass(frozen=True, slots=True)
class Ids:
    """The pages with these keys: what a fact turned out to mean."""

    ids: frozenset[int]


@dataclass(frozen=True, slots=True)
class And:
    """All of its parts hold; there are at least two."""

    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of its parts holds; there are at least two."""

    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """Its part does not hold."""

    part: "Node"


Node = Clause | Fact | Ids | And | Or | Not
Leaf = Clause | Fact | Ids


def leaves(node: Node, *, is_wanted: bool = True) -> Iterator[tuple[Leaf, bool]]:
    """Yield each leaf in order, and whether a page is to hold it (else it is not to)."""
    match node:
        case And(parts) | Or(parts):
            for part in parts:
                yield from leaves(part, is_wanted=is_wanted)
        case Not(part):
            yield from leaves(part, is_wanted=not is_wanted)
        case _:
            yield node, is_wanted


def query_text(node: Node) -> str:
    """Write a tree as a query, with every group in parentheses; ids cannot be written."""
    match node:
        case Clause():
            field = "title:" if node.in_title else ""
            words = _in_quotation_marks(node.text) if node.is_phrase else node.text
            return f"{field}{words}{'*' * node.is_prefix}"
        case Fact():
            return node.text
        case Ids():
            raise ValueError("a set of pages cannot be written as a query")
        case Not(part):
            return f"-{grouped(part)}"
        case And(parts):
            return " ".join(grouped(part) for part in parts)
        case Or(parts):
            return " OR ".join(grouped(part) for part in parts)


def _in_quotation_marks(text: str) -> str:
    """Write a phrase between marks that none within it closes, as it may have been typed."""
    for opening, closing in QUOTATION_MARKS:
        if not any(mark in text for mark in closing):
            return f"{opening}{text}{closing[0]}"
    raise ValueError(f"no quotation marks can hold {text!r}")


def grouped(node: Node) -> str:
    """Write a tree as `query_text` does, in parentheses if it has parts."""
    return f"({query_text(node)})" if isinstance(node, And | Or) else query_text(node)
