"""What one pass over a page's tags gives, before anything is resolved or tokenised."""

from dataclasses import dataclass, field

from crawler.page.dates.date_clues import DateClues


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
    #: Of its beginning.
    line: int = 0
    in_frame: bool = False


@dataclass(slots=True)
class BlockRoles:
    """For each block element its tag, and what its tag and attributes say of it."""

    tags: list[str] = field(default_factory=list)
    roles: list[int] = field(default_factory=list)


@dataclass(slots=True)
class HeadClues:
    """What meta elements say of the article; "" where they say nothing."""

    title: str = ""
    site_name: str = ""
    author: str = ""
    picture: str = ""


@dataclass(slots=True)
class Collected:
    """What the pass found; a segment is a run of text of one class on one line."""

    segments: list[str] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    #: The text of the frame's links by segment: the frame's segments themselves are empty.
    frame_anchors: dict[int, str] = field(default_factory=dict)
    anchors: list[Anchor] = field(default_factory=list)
    #: For each block element, its first line and the line after its last.
    block_spans: list[list[int]] = field(default_factory=list)
    blocks: BlockRoles = field(default_factory=BlockRoles)
    #: For each line, the innermost block element that holds its beginning; -1 for none.
    line_blocks: list[int] = field(default_factory=list)
    title: str = ""
    meta_texts: list[str] = field(default_factory=list)
    base: str = ""
    head: HeadClues = field(default_factory=HeadClues)
    canonical: str = ""
    feeds: list[str] = field(default_factory=list)
    language: str = ""
    noindex: bool = False
    nofollow: bool = False
    flags: set[str] = field(default_factory=set)
    clues: DateClues = field(default_factory=DateClues)
    #: Of a feed or sitemap: the date of each entry that has one, as written, by its address.
    listed: dict[str, str] = field(default_factory=dict)
