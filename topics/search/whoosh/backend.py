"""Whoosh as a search engine."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Self

from whoosh import index as whoosh_index
from whoosh.collectors import TimeLimit, TopCollector, WrappingCollector
from whoosh.query import Every, Or, Term
from whoosh.query import Query as WhooshQuery
from whoosh.searching import Searcher
from whoosh.util.filelock import try_for
from whoosh.writing import SegmentWriter

from focusweb.failpoints import pass_point
from topics.search.analysis import analysis_version
from topics.search.backend import Hit, SearchResult
from topics.search.document import Document
from topics.search.errors import IndexBusyError, IndexUnusableError, QueryTooSlowError
from topics.search.query import Query
from topics.search.whoosh import checksums
from topics.search.whoosh.damage import Reading, is_damage, reading_while_writing
from topics.search.whoosh.fields import LAYOUT, make_schema
from topics.search.whoosh.query import topics_query, unwanted_query, wanted_query

MEMORY_MB = 64
#: Whoosh's files, without its lock.
_OF_WHOOSH = re.compile(r"_?MAIN_.+\.(?:toc|seg)")
_BETWEEN_LOOKS = 64


class _Collector(WrappingCollector):  # type: ignore[misc]
    """Keep the best allowed pages, until the time is over.

    Whoosh's own time limit needs a thread or a signal.
    """

    def __init__(
        self, limit: int, deadline: float, *, allowed: set[int] | None, refused: set[int]
    ) -> None:
        # Without `replace` no match is passed over, so that the total is exact.
        super().__init__(TopCollector(limit, usequality=False, replace=0))
        self._allowed = allowed
        self._refused = refused
        self._deadline = deadline

    def collect_matches(self) -> None:
        """Look at each match of one segment."""
        for number, document in enumerate(self.child.matches()):
            if number % _BETWEEN_LOOKS == 0 and monotonic() > self._deadline:
                raise TimeLimit
            key = self.offset + document
            if key not in self._refused and (self._allowed is None or key in self._allowed):
                self.child.collect(document)


class _Writer(SegmentWriter):  # type: ignore[misc]
    """Passes the places where a crash would meet half an index."""

    def _commit_toc(self, segments: list[Any]) -> None:
        pass_point("index.segment")
        super()._commit_toc(segments)
        pass_point("index.toc")


class WhooshBackend:
    """A Whoosh index; holds nothing open between calls, so threads and forks are fine."""

    name: ClassVar[str] = "whoosh"
    version: ClassVar[str] = f"whoosh 2.7.4, layout {LAYOUT}, {analysis_version()}"
    #: Longest a search may take, in seconds.
    search_limit_s: ClassVar[float] = 2.0
    #: How long to wait for another writer, in seconds; Whoosh would not wait at all.
    lock_wait_s: ClassVar[float] = 15.0

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def create(cls, folder: Path) -> Self:
        """Make an empty index in an existing, empty folder."""
        whoosh_index.create_in(folder, make_schema())
        backend = cls(folder)
        backend._write_down()
        return backend

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the index of a folder."""
        backend = cls(folder)
        backend._refuse_altered()
        with Reading(folder):
            backend._index()
        return backend

    def index(self, documents: Sequence[Document]) -> None:
        """Put documents in, in one commit; each replaces what stands under its id."""
        # Whoosh keeps both of two documents with one id if one writer adds them.
        latest = {document.id: document for document in documents}
        if not latest:
            return
        with self._writer() as writer:
            _delete(writer, latest)
            for document in latest.values():
                writer.add_document(**_fields(document))
            pass_point("index.added")

    def delete(self, ids: Collection[int]) -> None:
        """Take documents out, in one commit; unknown ids are not an error."""
        # A commit costs far more than this query, and most pages of a crawl were never indexed.
        if ids and self._holds_any(ids):
            with self._writer() as writer:
                _delete(writer, ids)

    def _holds_any(self, ids: Collection[int]) -> bool:
        with Reading(self.folder), self._index().searcher() as searcher:
            return next(iter(searcher.docs_for_query(_with_ids(ids))), None) is not None

    def search(
        self,
        query: Query,
        *,
        topics: Collection[str] | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> SearchResult:
        """Find the pages that hold what the query says, in any of some topics."""
        if topics is not None and not topics:
            return SearchResult(0, ())
        deadline = monotonic() + self.search_limit_s
        # Built here, so that no mistake of ours is taken for damaged files.
        wanted, unwanted = wanted_query(query), unwanted_query(query)
        in_topics = None if topics is None else topics_query(topics)
        with Reading(self.folder), self._index().searcher() as searcher:
            collector = _Collector(
                offset + limit,
                deadline,
                allowed=_matching(searcher, in_topics),
                refused=_matching(searcher, unwanted) or set(),
            )
            try:
                searcher.search_with_collector(wanted, collector)
            except TimeLimit as error:
                raise QueryTooSlowError(
                    f"the search took longer than {self.search_limit_s:g} s; use rarer words"
                ) from error
            found = [Hit(int(hit["id"]), hit.score) for hit in collector.results()]
        return SearchResult(collector.child.total, tuple(found[offset:]))

    def count(self) -> int:
        """Return how many documents the index holds."""
        with Reading(self.folder):
            return int(self._index().doc_count())

    def ids(self) -> list[int]:
        """Return the id of each document; one that is in twice comes twice."""
        with Reading(self.folder), self._index().searcher() as searcher:
            return [int(stored["id"]) for stored in searcher.reader().all_stored_fields()]

    def check(self) -> None:
        """Read every byte of the files to notice damage; raise `IndexUnusableError`."""
        self._refuse_altered(thorough=True)
        with Reading(self.folder), self._index().searcher() as searcher:
            reader = searcher.reader()
            n_documents = reader.doc_count()
            n_read = sum(1 for _ in searcher.docs_for_query(Every("id")))
            for field in ("words", "exact"):
                word = next(iter(reader.field_terms(field)), None)
                if word is not None:
                    searcher.search(Term(field, word), limit=1)
        if n_read != n_documents:
            raise IndexUnusableError(
                f"the search index in {self.folder.name} says it holds {n_documents} pages but "
                f"gives {n_read}; it has to be built anew"
            )

    def _refuse_altered(self, *, thorough: bool = False) -> None:
        with Reading(self.folder):
            name = checksums.altered(self.folder, thorough=thorough)
        if name:
            raise IndexUnusableError(
                f"the search index in {self.folder.name} was changed from outside ({name}); "
                "it has to be built anew"
            )

    def _write_down(self) -> None:
        """Sum up the files that a commit has made final."""
        names = (file.name for file in self.folder.iterdir() if _OF_WHOOSH.fullmatch(file.name))
        checksums.record(self.folder, names)

    def _index(self) -> Any:
        # The schema is ours, so the pickled one in the file is never read.
        return whoosh_index.open_dir(self.folder, schema=make_schema())

    @contextmanager
    def _writer(self) -> Iterator[SegmentWriter]:
        """Give a writer; commit it, or on any error leave the index as it was."""
        with Reading(self.folder):
            index = self._index()
        lock = index.lock("WRITELOCK")
        if not try_for(lock.acquire, timeout=self.lock_wait_s, delay=0.1):
            raise IndexBusyError(
                f"another process has been writing to the search index in {self.folder.name} "
                f"for {self.lock_wait_s:g} s"
            )
        # The lock is ours, not the writer's: on a full disk the writer cannot even
        # be cancelled, and would keep its lock until the process ends.
        try:
            with reading_while_writing(self.folder):
                writer = _Writer(index, limitmb=MEMORY_MB, _lk=False)
            try:
                yield writer
                writer.commit()
            except BaseException:
                _abandon(writer)
                raise
            self._write_down()
        finally:
            lock.release()


def _abandon(writer: SegmentWriter) -> None:
    """Close what a writer has open; its files are swept by the next good commit."""
    try:
        writer.cancel()
    except Exception as error:
        if not is_damage(error):
            raise


def _matching(searcher: Searcher, query: WhooshQuery | None) -> set[int] | None:
    """Numbers of the pages that a query finds; None without a query."""
    return None if query is None else set(searcher.docs_for_query(query))


def _delete(writer: SegmentWriter, ids: Collection[int]) -> None:
    # One query for all: Whoosh opens a searcher per call.
    writer.delete_by_query(_with_ids(ids))


def _with_ids(ids: Collection[int]) -> WhooshQuery:
    return Or([Term("id", str(number)) for number in ids])


def _fields(document: Document) -> dict[str, Any]:
    text = (document.title, document.body)
    return {
        "id": str(document.id),
        "words": text,
        "exact": text,
        "topics": ",".join(document.topics),
        "site": document.site,
        "language": document.language,
        "score": document.score,
        "first_seen": document.first_seen,
        "published": document.published,
    }
