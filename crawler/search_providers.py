"""Search services that need no key, built in or from plugins; and the address of one search."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final
from urllib.parse import quote, urlsplit

from focusweb.plugins import offers

#: The placeholder for the words in a template, as in OpenSearch.
PLACE: Final = "{searchTerms}"
#: A feed in XML; the other formats are those of `crawler.page.lists.search_answers.READERS`.
FEED: Final = "feed"
#: What a provider may search.
SUBJECTS: Final = ("encyclopaedia", "preprints", "publications", "news", "forum")
#: The strategy that begins with pages that link to the seeds: the fourth paper's.
LINK_STRATEGY: Final = "genetic"
#: The program that answers at such a place finds out which format it is.
ANY_FORMAT: Final = ""
#: Of each text of a provider.
MAX_TEXT_CHARS: Final = 1000


@dataclass(frozen=True, slots=True)
class Provider:
    """A service with a documented interface for programs, free and without a key.

    Attributes
    ----------
    name : str
        What a topic stores.
    title : str
        A proper name, the same in every language.
    subject : str
        What it searches, one of `SUBJECTS`.
    template : str
        The address of a search, with `PLACE` for its words.
    format : str
        Of the answer.
    terms : str
        Address of the terms of use.
    pause_s : float
        Least time between two requests by its terms, in seconds.
    quoted : bool
        The words are put into quotation marks, as the service takes them for alternatives.
    linking : str
        The address of a search for pages that link to a page, with `PLACE` for its URL without
        the protocol; "" if the service has none.
    """

    name: str
    title: str
    subject: str
    template: str
    format: str
    terms: str
    pause_s: float = 1.0
    quoted: bool = False
    linking: str = ""

    def address(self, words: str) -> str:
        """Return the address of a search for some words: what exactly is sent."""
        return search_address(self.template, f'"{words}"' if self.quoted else words)

    def linking_address(self, url: str) -> str:
        """Return the address of a search for pages that link to this one."""
        return search_address(self.linking, url.partition("://")[2])


def search_address(template: str, words: str) -> str:
    """Return the address of a search by a template."""
    return template.replace(PLACE, quote(words, safe=""))


def _wikipedia(language: str, title: str) -> Provider:
    return Provider(
        name=f"wikipedia-{language}",
        title=title,
        subject="encyclopaedia",
        template=(
            f"https://{language}.wikipedia.org/w/api.php?action=query&generator=search"
            f"&gsrsearch={PLACE}&gsrlimit=20&prop=info&inprop=url&format=json&formatversion=2"
        ),
        format="mediawiki",
        terms="https://foundation.wikimedia.org/wiki/Policy:Terms_of_Use",
        linking=(
            f"https://{language}.wikipedia.org/w/api.php?action=query&generator=exturlusage"
            f"&geuquery={PLACE}&geunamespace=0&geulimit=20&prop=info&inprop=url"
            "&format=json&formatversion=2"
        ),
    )


#: All are off until a person switches them on for a topic.
PROVIDERS: Final[tuple[Provider, ...]] = (
    _wikipedia("en", "Wikipedia (English)"),
    _wikipedia("zh", "维基百科（中文）"),
    Provider(
        name="arxiv",
        title="arXiv",
        subject="preprints",
        template=(
            f"https://export.arxiv.org/api/query?search_query=all:{PLACE}"
            "&sortBy=submittedDate&sortOrder=descending&max_results=20"
        ),
        format=FEED,
        terms="https://info.arxiv.org/help/api/tou.html",
        pause_s=3.0,
        quoted=True,
    ),
    Provider(
        name="crossref",
        title="Crossref",
        subject="publications",
        template=f"https://api.crossref.org/works?query={PLACE}&rows=20&select=URL",
        format="crossref",
        terms="https://www.crossref.org/documentation/retrieve-metadata/rest-api/",
    ),
    Provider(
        name="gdelt",
        title="GDELT",
        subject="news",
        template=(
            f"https://api.gdeltproject.org/api/v2/doc/doc?query={PLACE}"
            "&mode=artlist&maxrecords=20&sort=datedesc&format=rss"
        ),
        format=FEED,
        terms="https://www.gdeltproject.org/about.html#termsofuse",
        pause_s=5.0,
        quoted=True,
    ),
    Provider(
        name="hackernews",
        title="Hacker News (Algolia)",
        subject="forum",
        template=(
            f"https://hn.algolia.com/api/v1/search_by_date?query={PLACE}&tags=story&hitsPerPage=20"
        ),
        format="hackernews",
        terms="https://hn.algolia.com/api",
    ),
    Provider(
        name="stackoverflow",
        title="Stack Overflow",
        subject="forum",
        template=(
            "https://api.stackexchange.com/2.3/search/advanced?order=desc&sort=creation"
            f"&q={PLACE}&site=stackoverflow&pagesize=20"
        ),
        format="stackexchange",
        terms="https://stackoverflow.com/legal/api-terms-of-use",
    ),
)


def known_providers() -> Mapping[str, Provider]:
    """Return every provider by name: ours, and those of plugins whose data can be used."""
    found = {}
    for name, offer in offers("search_providers").items():
        _answer, error = offer.call(partial(_check, offer.item))
        if not error:
            found[name] = offer.item
    return found


def find_provider(name: str) -> Provider | None:
    """Return the provider of a name."""
    return known_providers().get(name)


def is_ours(provider: Provider) -> bool:
    """Return whether a provider is in our table, so that we know its terms of use."""
    return provider in PROVIDERS


def _check(one: object) -> None:
    """Refuse what no search can be made with.

    Raises
    ------
    TypeError, ValueError
        Says what is wrong.
    """
    # Exactly: a class of its own could run a plugin's code outside of its calls.
    if type(one) is not Provider:
        raise TypeError("a search provider must be a crawler.search_providers.Provider")
    texts = (one.name, one.title, one.subject, one.template, one.format, one.terms, one.linking)
    if any(
        type(text) is not str or not text.isprintable() or len(text) > MAX_TEXT_CHARS
        for text in texts
    ):
        raise TypeError(f"{one.name!r}: name, title, addresses and format must be lines of text")
    if not one.name or any(mark in one.name for mark in " /:{}"):
        raise ValueError(f"{one.name!r} must be one word")
    if one.subject not in SUBJECTS:
        raise ValueError(f"{one.name}: subject must be one of {', '.join(SUBJECTS)}")
    for address in (one.template, one.terms, *filter(None, [one.linking])):
        if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).hostname:
            raise ValueError(f"{one.name}: {address[:80]!r} is not a web address")
    if any(PLACE not in address for address in (one.template, *filter(None, [one.linking]))):
        raise ValueError(f"{one.name}: the address of a search must hold {PLACE}")
    if one.format not in {ANY_FORMAT, FEED, *(known.format for known in PROVIDERS)}:
        raise ValueError(f"{one.name}: {one.format!r} is not a known format")
    if type(one.pause_s) not in (int, float) or not 1.0 <= one.pause_s <= 3600.0:
        raise ValueError(f"{one.name}: pause_s must be 1 to 3600")
