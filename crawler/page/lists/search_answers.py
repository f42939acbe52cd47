"""Read what search services answer in JSON: the addresses of their results."""

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urljoin

import msgspec

from crawler.errors import ParseError
from crawler.page.url import find_canonical
from crawler.reasons import Reason

#: Results taken of one answer.
MAX_RESULTS: Final = 20
_MAX_DETAIL = 200


class _Result(msgspec.Struct):
    url: str


class _Searxng(msgspec.Struct):
    results: list[_Result]


class _WikiPage(msgspec.Struct):
    fullurl: str
    index: int = 0


class _WikiPages(msgspec.Struct):
    pages: list[_WikiPage] = []


class _MediaWiki(msgspec.Struct):
    # An answer without a result has no such member.
    query: _WikiPages = msgspec.field(default_factory=_WikiPages)


class _Work(msgspec.Struct):
    url: str = msgspec.field(name="URL")


class _Works(msgspec.Struct):
    items: list[_Work]


class _Crossref(msgspec.Struct):
    message: _Works


class _Story(msgspec.Struct):
    number: str = msgspec.field(name="objectID")
    # A question to the readers links nowhere.
    url: str | None = None


class _HackerNews(msgspec.Struct):
    hits: list[_Story]


class _Question(msgspec.Struct):
    link: str


class _StackExchange(msgspec.Struct):
    items: list[_Question]


class _Thread(msgspec.Struct):
    id: int
    slug: str = "-"


class _Discourse(msgspec.Struct):
    # An answer without a result has no such member.
    topics: list[_Thread] = []


class _FeedItem(msgspec.Struct):
    url: str = ""


class _JsonFeed(msgspec.Struct):
    version: str
    items: list[_FeedItem]


def read_searxng(body: bytes, url: str) -> list[str]:
    """Return the results of a SearXNG instance."""
    return [result.url for result in msgspec.json.decode(body, type=_Searxng).results]


def read_mediawiki(body: bytes, url: str) -> list[str]:
    """Return the articles of `generator=search`, best first."""
    pages = msgspec.json.decode(body, type=_MediaWiki).query.pages
    return [page.fullurl for page in sorted(pages, key=lambda page: page.index)]


def read_crossref(body: bytes, url: str) -> list[str]:
    """Return the addresses of works."""
    return [work.url for work in msgspec.json.decode(body, type=_Crossref).message.items]


def read_hackernews(body: bytes, url: str) -> list[str]:
    """Return the pages that stories link to, or their discussion."""
    stories = msgspec.json.decode(body, type=_HackerNews).hits
    talk = "https://news.ycombinator.com/item?id="
    return [story.url or f"{talk}{story.number}" for story in stories]


def read_stackexchange(body: bytes, url: str) -> list[str]:
    """Return the addresses of questions."""
    return [question.link for question in msgspec.json.decode(body, type=_StackExchange).items]


def read_discourse(body: bytes, url: str) -> list[str]:
    """Return the threads of a forum, whose addresses are relative to the forum's."""
    threads = msgspec.json.decode(body, type=_Discourse).topics
    return [urljoin(url, f"/t/{thread.slug}/{thread.id}") for thread in threads]


def read_opensearch(body: bytes, url: str) -> list[str]:
    """Return the addresses of OpenSearch suggestions: the fourth member of the list."""
    answer = msgspec.json.decode(body, type=list[str | list[str]])
    found = answer[3] if len(answer) > 3 else []
    return found if isinstance(found, list) else []


def read_json_feed(body: bytes, url: str) -> list[str]:
    """Return the entries of a JSON Feed."""
    return [item.url for item in msgspec.json.decode(body, type=_JsonFeed).items]


#: Formats by name. A feed in XML is not among them: only a child process may read it.
READERS: Final[Mapping[str, Callable[[bytes, str], list[str]]]] = {
    "searxng": read_searxng,
    "mediawiki": read_mediawiki,
    "crossref": read_crossref,
    "hackernews": read_hackernews,
    "stackexchange": read_stackexchange,
    "discourse": read_discourse,
    "opensearch": read_opensearch,
    "jsonfeed": read_json_feed,
}
#: Members of an answer, and the format that has them.
_MARKS: Final = (("version", "jsonfeed"), ("results", "searxng"), ("topics", "discourse"))


def format_of(body: bytes) -> str:
    """Detect the format of an answer to a search that a person described; "" for XML."""
    start = body[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"["):
        return "opensearch"
    if not start.startswith(b"{"):
        return ""
    try:
        members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ParseError(Reason.UNREADABLE_LIST, str(error)[:_MAX_DETAIL]) from error
    return next((name for member, name in _MARKS if member in members), "discourse")


def read_answer(name: str, body: bytes, url: str) -> list[str]:
    """Return the canonical addresses in an answer of a format, best first, each once.

    Raises
    ------
    ParseError
        UNREADABLE_LIST for an answer of another form.
    """
    try:
        found = READERS[name](body, url)
    # msgspec does not count hostile nesting and bytes that are not UTF-8 as decoding errors.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ParseError(Reason.UNREADABLE_LIST, str(error)[:_MAX_DETAIL]) from error
    return canonical_results(found)


def canonical_results(found: list[str]) -> list[str]:
    """The first of some addresses in their one spelling; those no crawl can fetch are left out."""
    return list(dict.fromkeys(url for one in found[:MAX_RESULTS] if (url := find_canonical(one))))
