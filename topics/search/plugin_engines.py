"""Search engines of plugins: each call alone, its answer checked, its failure a search error."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from django.db import DatabaseError

from focusweb.plugin_calls import require_fit
from focusweb.plugins import Offer
from topics.search.backend import Hit, SearchBackend, SearchResult
from topics.search.document import Document
from topics.search.errors import EngineFailedError, SearchError
from topics.search.query import Query

#: What an engine may raise: callers know what to do then, as with our own engines.
_ITS_ERRORS = (SearchError, OSError, DatabaseError)


def guarded_engine(offer: Offer) -> type[SearchBackend]:
    """The engine of a plugin, whose methods raise what a search engine may, and nothing else."""

    class Engine(_Guarded):
        plugin = offer
        name = str(offer.item.name)
        version = str(offer.item.version)

    return Engine


class _Guarded:
    plugin: ClassVar[Offer]
    name: ClassVar[str]
    version: ClassVar[str]

    def __init__(self, made: Any) -> None:
        self._made = made

    @classmethod
    def create(cls, folder: Path) -> Self:
        return cls(cls._call(lambda: cls.plugin.item.create(folder)))

    @classmethod
    def open(cls, folder: Path) -> Self:
        return cls(cls._call(lambda: cls.plugin.item.open(folder)))

    def index(self, documents: Sequence[Document]) -> None:
        self._call(lambda: self._made.index(documents))

    def delete(self, ids: Collection[int]) -> None:
        self._call(lambda: self._made.delete(ids))

    def search(
        self,
        query: Query,
        *,
        topics: Collection[str] | None = None,
        limit: int | None = 20,
        offset: int = 0,
    ) -> SearchResult:
        found: SearchResult = self._call(
            lambda: self._made.search(query, topics=topics, limit=limit, offset=offset), _is_result
        )
        return found

    def count(self) -> int:
        n_documents: int = self._call(lambda: self._made.count(), _is_count)
        return n_documents

    def ids(self) -> list[int]:
        found: list[int] = self._call(lambda: self._made.ids(), _are_ids)
        return found

    def check(self) -> None:
        self._call(lambda: self._made.check())

    @classmethod
    def _call(
        cls, function: Callable[[], Any], fits: Callable[[Any], bool] = lambda answer: True
    ) -> Any:
        answer, error = cls.plugin.call(partial(require_fit, function, fits), _ITS_ERRORS)
        if error:
            raise EngineFailedError(f"the search engine {cls.name} failed: {error}")
        return answer


def _is_count(answer: Any) -> bool:
    return type(answer) is int and answer >= 0


def _are_ids(answer: Any) -> bool:
    return isinstance(answer, list) and all(map(_is_count, answer))


def _is_result(answer: Any) -> bool:
    if not isinstance(answer, SearchResult):
        return False
    hits: Any = answer.hits
    return (
        _is_count(answer.total)
        and isinstance(hits, tuple)
        and all(isinstance(hit, Hit) and _is_count(hit.id) for hit in hits)
    )
