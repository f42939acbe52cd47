"""What one page is, after parsing: values that travel between modules."""

from collections.abc import Collection, Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from crawler.reasons import Reason

#: Tag classes of [P1 eq. 2]: K = 1 for plain text, 2 inside title, h1, h2,
#: strong and b (*Resolved*), 3 inside a; a token inside several takes the largest.
PLAIN, STRONG, ANCHOR = 1, 2, 3

#: Distinct tokens of a page that are kept.
MAX_VOCABULARY = 65_535

#: What `ParsedPage.flags` calls a PDF file.
PDF = "pdf"
#: What the flags of a stored page call a front page or list of links.
NO_ARTICLE = "no_article"


@dataclass(frozen=True, slots=True)
class PageTerms:
    """The tokens of a page in reading order, small enough to store.

    Attributes
    ----------
    language : str
        "zh", "en", another ISO 639-1 code, or "" when unknown.
    vocabulary : list of str
        Each distinct token once, in order of first appearance.
    sequence : bytes
        The page's tokens as little-endian uint16 indices into `vocabulary`;
        tokens past the 65,535th distinct one are left out.
    classes : bytes
        One byte per token: its tag class K, one of 1, 2, 3.
    n_title : int
        How many leading tokens are the title's.
    title : str
        The title as written; "" for a plain text, and for a page stored before titles were.
    """

    language: str = ""
    vocabulary: list[str] = field(default_factory=list)
    sequence: bytes = b""
    classes: bytes = b""
    n_title: int = 0
    title: str = ""

    def __len__(self) -> int:
        return len(self.classes)

    def indices(self) -> NDArray[np.uint16]:
        """Token indices into `vocabulary`, shape (n_tokens,)."""
        return np.frombuffer(self.sequence, dtype="<u2")

    def tag_classes(self) -> NDArray[np.uint8]:
        """Tag class K of each token, shape (n_tokens,), values 1 to 3."""
        return np.frombuffer(self.classes, dtype=np.uint8)

    def counts(self) -> NDArray[np.int64]:
        """Occurrences of each distinct token, shape (n_vocabulary,)."""
        return np.bincount(self.indices(), minlength=len(self.vocabulary)).astype(np.int64)

    def weighted_counts(self) -> NDArray[np.float64]:
        """Sum of K over each token's occurrences, shape (n_vocabulary,) [P1 eq. 2]."""
        weights = self.tag_classes().astype(np.float64)
        counts = np.bincount(self.indices(), weights, len(self.vocabulary))
        return counts.astype(np.float64)

    def is_among(self, terms: Container[str]) -> NDArray[np.bool_]:
        """True for each distinct token that is one of `terms`, shape (n_vocabulary,)."""
        # Without a Python loop: every judge calls it for every page.
        return np.frombuffer(bytes(map(terms.__contains__, self.vocabulary)), np.bool_)

    def tokens(self) -> Iterator[str]:
        """Yield the tokens in reading order."""
        return map(self.vocabulary.__getitem__, self.indices().tolist())


class PageLink(msgspec.Struct, frozen=True):
    """A link on a page, as found.

    Attributes
    ----------
    url : str
        Absolute, canonical.
    anchor : str
        Text between `<a>` and `</a>`, white space folded, at most 200 characters.
    tokens : list of str
        The anchor's tokens.
    block : int
        Index into `ParsedPage.blocks` of the block element around it; -1 for none.
    path : str
        Generalised tag path ("body/div/ul/li/a"), classes' stems kept, digits removed.
    nofollow : bool
        The link says rel=nofollow (or ugc, sponsored).
    in_frame : bool
        The link is in the frame of its site, for example in a menu. It is followed, but does not
        count as a vote; its block is -1.
    """

    url: str
    anchor: str = ""
    tokens: list[str] = msgspec.field(default_factory=list)
    block: int = -1
    path: str = ""
    nofollow: bool = False
    in_frame: bool = False


class Blocks(Sequence[Sequence[str]]):
    """The tokens of a page's blocks, read from its terms on first use.

    Parameters
    ----------
    spans : sequence of (int, int)
        As `ParsedPage.spans`.
    """

    def __init__(self, terms: PageTerms, spans: Sequence[tuple[int, int]]) -> None:
        self._terms, self._spans = terms, spans
        self._tokens: list[str] | None = None

    def __len__(self) -> int:
        return len(self._spans)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, place: int) -> Sequence[str]: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Sequence[str]]: ...

    def __getitem__(self, place: int | slice) -> Sequence[str] | Sequence[Sequence[str]]:
        if isinstance(place, slice):
            return Blocks(self._terms, self._spans[place])
        if self._tokens is None:
            self._tokens = list(self._terms.tokens())
        first, after_last = self._spans[place]
        return self._tokens[first:after_last]


@dataclass(frozen=True, slots=True)
class StoredLinks:
    """What a page says of the links that may be followed, small enough to store.

    Attributes
    ----------
    targets : list of int
        Numbers of the URLs, in page order.
    anchors : list of str
        The anchor of each.
    blocks : list of int
        For each link the index of its block in `spans`; -1 for none.
    spans : list of (int, int)
        As `ParsedPage.spans`.
    """

    targets: list[int] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DateHint:
    """What a page says somewhere of the date it was published.

    Attributes
    ----------
    place : str
        "jsonld"; "meta", "other", "vague" (meta elements: the surest, further ones, those that
        do not say which date they give); "time" (elements at the title), "lone" (one elsewhere);
        "text" (lines at the title), "dateline" (with which the article begins), "ends" (lines at
        its ends), "named" (elements of a class such as "date"); "file" (when a PDF file was
        made); "changed" (when the page was, as its head says).
    text : str
        As written, at most 200 characters: "2026-11-21", "3小时前".
    """

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """Everything one pass over a page's bytes gives.

    Attributes
    ----------
    url : str
        Address the bytes came from.
    title, text : str
        The title without the name of the site, and the article. Cleaned for display: no
        control characters, surrogates or bidi overrides;
        `text` has one line per block element, at most 2 MiB.
    terms : PageTerms
        Of the article, as everything but the links.
    links : list of PageLink
        In page order, at most 2,000, each URL once (its first anchor wins; an
        empty anchor gives way to a later one that has text).
    blocks : sequence of sequence of str
        Tokens of each block element that holds a link.
    spans : list of (int, int)
        Where each block stands among the page's tokens: its first, and the one after its
        last. Up to the 65,535th distinct token these are places in `terms`.
    canonical : str
        Target of rel=canonical, absolute and canonical, or "".
    feeds : list of str
        Feeds the page names in its head, absolute.
    noindex, nofollow : bool
        What the page's meta robots says.
    flags : list of str
        What was cut: "truncated", "links_cut", "text_cut", "charset_guessed"; "pdf" for a PDF file,
        and "feed" or "sitemap" for a list of URLs.
    fingerprint : int
        64-bit SimHash of the text, unsigned.
    own_fingerprint : int
        The same of what it says itself, without its links; 0 where that is too little.
    date_hints : list of DateHint
        What it says of its date, the surest first; `crawler.page.dates.publishing_date` reads them.
    listed : dict of str to str
        Of a feed or sitemap: by address, the date that an entry gives its page, as written;
        `crawler.revisit.listed` reads and doubts them.
    has_article : bool
        False for a front page or list of links, whose text is all that is not its frame.
    line_kinds : str
        One letter for each line of `text`: "p" paragraph, "h" heading, "l" item of a list,
        "c" code with its lines and indent kept, "q" quotation, "t" cell of a table.
    byline : str
        Authors as written, at most 200 characters; "" if none are said.
    picture : str
        Address of the picture that the page names as its own, absolute, never fetched; or "".
    frame_lines : list of int
        Hashes of lines of the article that may be frame, if other pages of the site have them;
        see `crawler.page.article.site_frame`.
    """

    url: str
    title: str = ""
    text: str = ""
    terms: PageTerms = field(default_factory=PageTerms)
    links: list[PageLink] = field(default_factory=list)
    blocks: Sequence[Sequence[str]] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    language: str = ""
    charset: str = ""
    canonical: str = ""
    feeds: list[str] = field(default_factory=list)
    noindex: bool = False
    nofollow: bool = False
    flags: list[str] = field(default_factory=list)
    fingerprint: int = 0
    own_fingerprint: int = 0
    date_hints: list[DateHint] = field(default_factory=list)
    listed: dict[str, str] = field(default_factory=dict)
    has_article: bool = True
    line_kinds: str = ""
    byline: str = ""
    picture: str = ""
    frame_lines: list[int] = field(default_factory=list)

    @property
    def is_listing(self) -> bool:
        """True for a feed or sitemap: its links are followed, itself it is never kept."""
        return is_listing(self.flags)

    @property
    def end(self) -> Reason:
        """How a fetch of it ends: successful, unless it is empty or has an error of its own."""
        if self.noindex:
            return Reason.NOINDEX
        return Reason.NO_ENTRIES if self.is_listing and not self.links else Reason.FETCHED


def is_listing(flags: Collection[str]) -> bool:
    """True if these flags of a page say that it is a feed or a sitemap."""
    return "feed" in flags or "sitemap" in flags
