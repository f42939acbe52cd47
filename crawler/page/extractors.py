"""Extractors: what finds the parts of a page in fetched bytes. Language readers: what names its
language. Plugins may add both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol
from urllib.parse import urlsplit

from crawler.page.charset.decoding import decode
from crawler.page.collected import Collected

#: The longest markup of an extract, in characters.
MAX_MARKUP_CHARS: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Document:
    """What was fetched.

    Attributes
    ----------
    url : str
        Canonical URL the bytes came from.
    body : bytes
        Of the answer, without content encoding.
    content_type : str
        The Content-Type header, or "".
    """

    url: str
    body: bytes
    content_type: str = ""

    @property
    def host(self) -> str:
        """The host name of the URL, in lower case."""
        return urlsplit(self.url).hostname or ""

    def markup(self) -> str:
        """Return the bytes as characters."""
        return decode(self.body, self.content_type)[0]


class Shape(Enum):
    """How a document is laid out."""

    #: An article within the frame of its site: what is frame has to be found.
    PAGE = "page"
    #: All of it is the article.
    FILE = "file"
    #: A feed or sitemap: a list of links.
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Extracted:
    """All that an extractor collected of a document."""

    found: Collected
    shape: Shape = Shape.PAGE
    charset: str = ""


@dataclass(frozen=True, slots=True)
class Extract:
    """The article of a page. Its other links, and what its head says, are read as usual.

    Attributes
    ----------
    markup : str
        The article as HTML, without its title; at most `MAX_MARKUP_CHARS`.
    title, byline : str
        "" for what the page says as usual.
    published : str
        When it was published, as written or in ISO 8601; "" for what the page says as usual.
    language : str
        What the page says of its language, for example "zh-CN", or "".
    """

    markup: str
    title: str = ""
    byline: str = ""
    published: str = ""
    language: str = ""


class Extractor(Protocol):
    """Something that reads one kind of document, registered by name."""

    name: str

    def extract(self, document: Document) -> Extract | Extracted | None:
        """Return what a document says; None if it is not of this kind.

        Plugins return an `Extract`. A ParseError says why a document of this kind cannot be read.
        """


class LanguageReader(Protocol):
    """Something that names the language of a text, registered by name."""

    name: str

    def language(self, text: str, declared: str) -> str:
        """ISO 639-1 code in lower case, or "" if it does not know.

        `declared` is what the page says of itself, for example "zh-CN", or "".
        """


@dataclass(frozen=True, slots=True)
class PageReaders:
    """What reads pages: of each kind the first that has an answer."""

    extractors: Sequence[Extractor]
    languages: Sequence[LanguageReader]

    def language(self, text: str, declared: str) -> str:
        """Return the first language that a reader names."""
        named = (reader.language(text, declared) for reader in self.languages)
        return next(filter(None, named), "")
