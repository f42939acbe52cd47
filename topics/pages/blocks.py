"""Short lists that plugins and our own parts add to pages: a heading and lines of text."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any, Protocol

from crawler.api.tables import Harvest
from focusweb.plugin_calls import writable
from focusweb.plugins import TopicSettings, offers
from topics.models import Topic

#: Most lines of a block, and most characters of a text.
MAX_LINES = 50
MAX_CHARS = 300


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a block.

    Attributes
    ----------
    text, note : str
        Plain text; `note` stands behind it in a quiet colour.
    address : str
        Where the text leads: a path of FocusWeb, an http or https URL, or "".
    """

    text: str
    address: str = ""
    note: str = ""


class PagePanel(Protocol):
    """A part of the page about one page of a topic, registered by name."""

    name: str

    def heading(self) -> str:
        """Return its heading, in the language of the reader."""

    def lines(self, topic: Topic, harvest: Harvest) -> Sequence[Line]:
        """Return what it says about the page; without lines it is not shown."""


class HomeTile(Protocol):
    """A part of the home page, registered by name."""

    name: str

    def heading(self) -> str:
        """Return its heading, in the language of the reader."""

    def lines(self, user: Any, now: datetime) -> Sequence[Line]:
        """Return what it says to a user; without lines it is not shown."""


@dataclass(frozen=True, slots=True)
class Block:
    """What a panel or tile shows; `failed` if its plugin could not say it."""

    heading: str
    lines: tuple[Line, ...] = ()
    failed: bool = False


def panels_of(topic: Topic, harvest: Harvest) -> list[Block]:
    """Return the panels of a page."""
    return _blocks("page_panels", (topic, harvest), topic.plugin_settings)


def tiles_of(user: Any, now: datetime) -> list[Block]:
    """Return the tiles of a user's home page."""
    return _blocks("home_tiles", (user, now))


def _blocks(
    hook: str, about: tuple[object, ...], topic: TopicSettings = MappingProxyType({})
) -> list[Block]:
    found: list[Block] = []
    for name, offer in offers(hook, topic=topic).items():
        block, error = offer.call(partial(_checked, offer.item, about))
        found.append(Block(name, failed=True) if error else block)
    return [block for block in found if block.lines or block.failed]


def _checked(item: Any, about: tuple[object, ...]) -> Block:
    lines = tuple(map(_line, islice(item.lines(*about), MAX_LINES)))
    return Block(_text(item.heading()), lines)


def _line(line: Any) -> Line:
    if not isinstance(line, Line):
        raise TypeError(f"{type(line).__name__} is not a Line")
    address = _text(line.address, 4000)
    is_path = address.startswith("/") and not address.startswith(("//", "/\\"))
    if address and not is_path and not address.startswith(("http://", "https://")):
        raise ValueError(f"not an address of the web: {address[:80]!r}")
    return Line(_text(line.text), address, _text(line.note))


def _text(text: Any, longest: int = MAX_CHARS) -> str:
    # A plain copy: the text may be of a class with methods of its own.
    return writable(str.__str__(str(text))[:longest])
