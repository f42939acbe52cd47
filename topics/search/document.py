"""What a search engine is given of a page."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """One page, as the index keeps it: its words. What else is known stays in the tables.

    Attributes
    ----------
    id : int
        The page's key in the database, at least 0.
    title, body : str
        As people read them; analysis is the engine's.
    topics : tuple of str
        Keys of the crawls that keep the page.
    """

    id: int
    title: str
    body: str
    topics: tuple[str, ...] = ()
