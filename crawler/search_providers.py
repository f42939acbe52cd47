"""Search services that need no key, as a table; and the address of one search."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

#: What a template says in place of the words, as OpenSearch has it.
PLACE: Final = "{searchTerms}"
#: A feed in XML; the other formats are those of `crawler.page.search_answers.READERS`.
FEED: Final = "feed"
#: The strategy that begins with pages that link to the seeds: the fourth paper's.
LINK_STRATEGY: Final = "genetic"
#: The program that answers at such a place finds out which format it is.
ANY_FORMAT: Final = ""


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
        What it searches: "encyclopaedia", "preprints", "publications", "news" or "forum".
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
        """The address of a search for some words: what exactly is sent."""
        return search_address(self.template, f'"{words}"' if self.quoted else words)

    def linking_address(self, url: str) -> str:
        """The address of a search for pages that link to this one."""
        return search_address(self.linking, url.partition("://")[2])


def search_address(template: str, words: str) -> str:
    """The address of a search by a template."""
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


def find_provider(name: str) -> Provider | None:
    """The provider of a name."""
    return next((provider for provider in PROVIDERS if provider.name == name), None)
