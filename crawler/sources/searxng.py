"""Seeds from a search engine: the JSON interface of the user's own SearXNG."""

from urllib.parse import urlencode

from crawler.fetch.door import Door, status_refusal
from crawler.knowledge.profile import TopicProfile
from crawler.page.lists.search_answers import read_answer
from crawler.sources import registry
from crawler.sources.base import Found, Inquiry
from crawler.sources.searching import find_by_searches


class SearxngSearch:
    """Queries a SearXNG instance for each seed query.

    Parameters
    ----------
    address : str
        The instance's search page, such as http://localhost:8080/search; "" for none.
    """

    name = registry.SEARCHES

    def __init__(self, address: str) -> None:
        self._address = address

    def find(self, inquiry: Inquiry) -> Found:
        """Search for those of the topic's queries that are worth it now."""
        queries = inquiry.profile.queries
        if not self._address or not queries:
            return Found()
        return find_by_searches(
            inquiry,
            self.name,
            queries,
            lambda query: self._search(query, inquiry.profile, inquiry.door),
        )

    def _search(self, query: str, profile: TopicProfile, door: Door) -> list[str]:
        parameters = {"q": query, "format": "json"}
        if len(profile.languages) == 1:
            parameters["language"] = profile.languages[0]
        # Some engines want a key in the address.
        joint = "&" if "?" in self._address else "?"
        fetched = door.fetch(f"{self._address}{joint}{urlencode(parameters)}")
        refused = status_refusal(fetched)
        if refused is not None:
            raise refused
        return read_answer("searxng", fetched.body, fetched.url)
