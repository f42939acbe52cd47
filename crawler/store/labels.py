"""Pages a person labelled, as they are handed to the crawl."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from crawler.models import Crawl
from crawler.models.values import load_value, save_value


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page that a person labelled, as handed to the crawler.

    Attributes
    ----------
    good : bool
        It is on topic, or a bad example.
    weight : float
        Trust beside a seed's 1.
    page : int
        Number of the stored page; 0 if `terms` are given.
    terms : bytes
        Packed terms of a page that is not stored.
    decided : bool
        The person's word on this very page stands, whatever the judge says of it.
    answers : bool
        It answers a question.
    """

    good: bool
    weight: float
    page: int = 0
    terms: bytes = b""
    decided: bool = False
    answers: bool = False

    @property
    def is_rated(self) -> bool:
        """True for a thumb or a bad example: the judge does not learn from it."""
        return self.decided or not self.good


def load_labels(crawl: Crawl) -> list[LabelledPage]:
    """Return the pages that a person labelled."""
    packed = load_value(crawl, "examples")
    return msgspec.msgpack.decode(packed, type=list[LabelledPage]) if packed else []


def decided_pages(crawl: Crawl) -> dict[int, bool]:
    """Pages on which a person's word stands, by number: kept, or not."""
    return decisions_of(load_labels(crawl))


def decisions_of(labels: Sequence[LabelledPage]) -> dict[int, bool]:
    """Return the same of labels that are given."""
    return {row.page: row.good for row in labels if row.decided}


def save_labels(crawl: Crawl, labels: Sequence[LabelledPage]) -> bool:
    """Store the pages that a person labelled; return False if nothing changed."""
    packed = msgspec.msgpack.encode(list(labels))
    if packed == (load_value(crawl, "examples") or msgspec.msgpack.encode([])):
        return False
    save_value(crawl, "examples", packed, new_version=True)
    return True
