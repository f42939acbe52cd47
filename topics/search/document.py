"""What a search engine is given of a page."""

from dataclasses import dataclass

#: Scores are whole numbers in the index: floats cannot be sorted by there.
SCORE_UNIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Document:
    """One page, as the index keeps it.

    Attributes
    ----------
    id : int
        The page's key in the database.
    title, body : str
        As people read them; analysis is the engine's.
    site, url, language : str
    topics : tuple of str
        Keys of the crawls that keep the page.
    score : int
        The best of its scores f, times `SCORE_UNIT`.
    first_seen, published : int
        Seconds since 1970; 0 for unknown.
    """

    id: int
    title: str
    body: str
    site: str = ""
    url: str = ""
    language: str = ""
    topics: tuple[str, ...] = ()
    score: int = 0
    first_seen: int = 0
    published: int = 0
