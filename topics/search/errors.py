"""What can go wrong in search: one class per reaction a caller can have."""

from pathlib import Path
from typing import Self

from topics.errors import TopicError
from topics.search.problems import QueryProblem


class SearchError(TopicError):
    """Root of every error that search raises on purpose."""


class QueryError(SearchError):
    """A query cannot be understood; the person who wrote it has to change it.

    Attributes
    ----------
    problem : QueryProblem
        What is wrong.
    position : int
        Index of the first offending character of the query, from 0.
    found : str
        The offending piece of the query.
    hint : str
        What could stand there instead; "" if nothing can be suggested.
    """

    def __init__(self, problem: QueryProblem, position: int, found: str, *, hint: str = "") -> None:
        super().__init__(f"{problem} at character {position + 1}: {found!r}")
        self.problem = problem
        self.position = position
        self.found = found
        self.hint = hint


class QueryTooSlowError(SearchError):
    """A query was stopped because it took too long; a narrower one may do."""


class IndexUnusableError(SearchError):
    """The index is missing, damaged or made by another version; it has to be built anew."""

    @classmethod
    def of(cls, folder: Path, why: object) -> Self:
        """Make the error of the index in a folder."""
        return cls(
            f"the search index in {folder.name} cannot be used ({why}); it has to be built anew"
        )


class IndexBusyError(SearchError):
    """Another process writes to the index; try again later."""


class IndexExposedError(SearchError):
    """Other users may write to the index; a person has to check it."""


class EngineMissingError(SearchError):
    """The settings name an engine that is not there; the operator has to change them."""


class EngineFailedError(SearchError):
    """The engine of a plugin failed; the operator has to check the plugin."""
