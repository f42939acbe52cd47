"""What one pass over a page's tags gives, before anything is resolved or tokenised."""

from dataclasses import dataclass, field

from crawler.page.date_clues import DateClues


@dataclass(slots=True)
class Anchor:
    """A link as it stands in the page: segments `first` to `last` are its text."""

    href: str
    rel: str = ""
    alt: str = ""
    first: int = 0
    last: int = 0
    block: int = -1
    path: str = ""


@dataclass(slots=True)
class Collected:
    """What the pass found; a segment is a run of text of one class on one line."""

    segments: list[str] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    #: For each block element, its first line and the line after its last.
    block_spans: list[list[int]] = field(default_factory=list)
    title: str = ""
    meta_texts: list[str] = field(default_factory=list)
    base: str = ""
    canonical: str = ""
    feeds: list[str] = field(default_factory=list)
    language: str = ""
    noindex: bool = False
    nofollow: bool = False
    flags: set[str] = field(default_factory=set)
    clues: DateClues = field(default_factory=DateClues)
    #: Of a feed or sitemap: the date of each entry that has one, as written, by its address.
    listed: dict[str, str] = field(default_factory=dict)
