"""A stored article as it is read: its lines in passages of one kind."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from crawler.api.pages import CODE, HEADING, PARAGRAPH

#: Most characters of an article that are shown.
MAX_CHARS = 40_000


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines that belong together; `kind` is a letter as in `ParsedPage.line_kinds`.

    A heading or a paragraph stands alone. Lines of code are one text, breaks and indent kept.
    """

    kind: str
    lines: tuple[str, ...]


def passages(text: str, line_kinds: str, *, title: str = "") -> list[Passage]:
    """The beginning of an article in passages, without a first heading that repeats the title.

    Where the kinds of the lines are unknown, each line is a paragraph.
    """
    lines = text.split("\n") if text else []
    kinds = line_kinds if len(line_kinds) == len(lines) else PARAGRAPH * len(lines)
    marked = list(_beginning(zip(kinds, lines, strict=True)))
    if marked and marked[0][0] == HEADING and marked[0][1].strip() == title.strip():
        del marked[0]
    found: list[Passage] = []
    for kind, some in groupby(marked, key=lambda one: one[0]):
        lines = [line for _, line in some]
        if kind == CODE:
            found.append(Passage(kind, ("\n".join(lines),)))
        elif kind in (HEADING, PARAGRAPH):
            found += [Passage(kind, (line,)) for line in lines]
        else:
            found.append(Passage(kind, tuple(lines)))
    return found


def _beginning(marked: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Whole lines, as long as they fit; a line that is too long alone is cut."""
    left = MAX_CHARS
    for kind, line in marked:
        if left <= 0:
            return
        yield kind, line[:left]
        left -= len(line)
