"""Seeds from a search engine: the JSON interface of the user's own SearXNG."""

from urllib.parse import urlencode

import msgspec

from crawler.errors import FetchError
from crawler.fetch.door import Door, status_refusal
from crawler.knowledge.profile import TopicProfile
from crawler.page.url import canonical_url
from crawler.sources.base import Found, Inquiry, each_once

#: Results taken of one search.
MAX_RESULTS = 20


class _Result(msgspec.Struct):
    url: str


class _Answer(msgspec.Struct):
    results: list[_Result]


class SearxngSearch:
    """Asks a SearXNG instance for each seed query.

    Parameters
    ----------
    address : str
        The instance's search page, such as http://localhost:8080/search; "" for none.
    """

    name = "searxng"

    def __init__(self, address: str) -> None:
        self._address = address

    def find(self, inquiry: Inquiry) -> Found:
        """Search for each of the topic's queries."""
        profile = inquiry.profile
        if not self._address or not profile.queries:
            return Found()
        urls: list[str] = []
        problems: list[str] = []
        for query in profile.queries:
            try:
                urls += self._search(query, profile, inquiry.door)
            except FetchError as error:
                problems.append(f"Search for {query!r} failed: {_hint(error)}")
            except msgspec.DecodeError as error:
                problems.append(f"Search for {query!r}: the answer is not SearXNG's JSON: {error}")
        return Found(each_once(urls), tuple(problems))

    def _search(self, query: str, profile: TopicProfile, door: Door) -> list[str]:
        parameters = {"q": query, "format": "json"}
        if len(profile.languages) == 1:
            parameters["language"] = profile.languages[0]
        fetched = door.fetch(f"{self._address}?{urlencode(parameters)}")
        refused = status_refusal(fetched)
        if refused is not None:
            raise refused
        answer = msgspec.json.decode(fetched.body, type=_Answer)
        return [url for result in answer.results[:MAX_RESULTS] if (url := _canonical(result.url))]


def _canonical(url: str) -> str:
    """The URL's one spelling; "" for what no crawl can fetch (a magnet link, say)."""
    try:
        return canonical_url(url)
    except FetchError:
        return ""


def _hint(error: FetchError) -> str:
    if "403" in str(error):
        return f"{error}. SearXNG refuses JSON until `json` is in `search.formats` of its settings."
    return str(error)
