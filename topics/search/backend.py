"""What a search engine is, for everything that uses one."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol, Self, runtime_checkable

from topics.search.document import Document
from topics.search.query import Query


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found, and how well its text fits (more is better)."""

    id: int
    score: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How many pages were found, and those of one screen, best first."""

    total: int
    hits: tuple[Hit, ...]


class SearchBackend(Protocol):
    """A full-text index in a folder of its own.

    An instance may be used from any thread and after a fork. One process
    writes at a time: the caller holds a lock. Every method may
    raise `IndexUnusableError` when the files turn out missing or damaged, and
    `OSError` when the disk refuses to be written.
    """

    name: ClassVar[str]
    #: Changes whenever older files cannot be used any more.
    version: ClassVar[str]

    @classmethod
    def create(cls, folder: Path) -> Self:
        """Make an empty index in an existing, empty folder."""
        ...

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the index of a folder."""
        ...

    def index(self, documents: Sequence[Document]) -> None:
        """Put documents in, in one commit; each replaces the one with its id.

        Of two documents with the same id the later one counts.
        """
        ...

    def delete(self, ids: Collection[int]) -> None:
        """Remove documents, in one commit; unknown ids are ignored."""
        ...

    def search(
        self,
        query: Query,
        *,
        topics: Collection[str] | None = None,
        limit: int | None = 20,
        offset: int = 0,
    ) -> SearchResult:
        """Find the pages for which the query holds, in any of some topics.

        The query's facts have become `Ids`. Of equally good pages the one with the
        smaller id comes first. With no limit every page found is a hit.

        Raises `QueryTooSlowError` when it takes longer than two seconds.
        """
        ...

    def count(self) -> int:
        """Return how many documents the index holds."""
        ...

    def ids(self) -> list[int]:
        """Return the id of each document; one that is in twice comes twice."""
        ...

    def check(self) -> None:
        """Read enough of the files to notice damage; raise `IndexUnusableError`."""
        ...


@runtime_checkable
class StoresOutsideFolder(Protocol):
    """An engine whose index is not in its folder alone."""

    def discard(self, folder: Path) -> None:
        """Remove what belongs to an index, as its folder is about to be removed.

        The folder may also be another engine's, or damaged: then this does nothing.
        """
        ...
