"""Whoosh as a search engine."""

import gc
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Self

import numpy as np
from whoosh import index as whoosh_index
from whoosh.util.filelock import try_for

from focusweb.failpoints import pass_point
from topics.search import checksums
from topics.search.analysis import analysis_version
from topics.search.backend import Hit, SearchResult
from topics.search.document import Document
from topics.search.errors import IndexBusyError, IndexUnusableError, QueryTooSlowError
from topics.search.query import Query
from topics.search.whoosh.damage import reading, reading_while_writing
from topics.search.whoosh.fields import LAYOUT, make_schema
from topics.search.whoosh.postings import IndexSnapshot
from topics.search.whoosh.query import Finder
from topics.search.whoosh.writer import Writer

#: Whoosh's files, without its lock.
_OF_WHOOSH = re.compile(r"_?MAIN_.+\.(?:toc|trm|pst|pos|col)")


class WhooshBackend:
    """A `SearchBackend` of Whoosh; nothing is open between calls, so it survives a fork."""

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
        whoosh_index.create_in(folder, make_schema())
        backend = cls(folder)
        backend._write_down()
        return backend

    @classmethod
    def open(cls, folder: Path) -> Self:
        backend = cls(folder)
        with reading(folder):
            checksums.refuse_altered(folder)
            backend._index()
        return backend

    def index(self, documents: Sequence[Document]) -> None:
        # Whoosh keeps both of two documents with one id if one writer adds them.
        latest = {document.id: document for document in documents}
        if not latest:
            return
        with self._writer() as writer:
            writer.delete(latest)
            for document in latest.values():
                writer.add(document)
            pass_point("index.added")

    def delete(self, ids: Collection[int]) -> None:
        # A commit costs far more than this query, and most pages of a crawl were never indexed.
        if ids and self._holds_any(ids):
            with self._writer() as writer:
                writer.delete(ids)

    def _holds_any(self, ids: Collection[int]) -> bool:
        with reading(self.folder), closing(self._index().reader()) as reader:
            return bool(np.isin(IndexSnapshot(reader).keys, np.array(list(ids), np.int64)).any())

    def search(
        self,
        query: Query,
        *,
        topics: Collection[str] | None = None,
        limit: int | None = 20,
        offset: int = 0,
    ) -> SearchResult:
        if topics is not None and not topics:
            return SearchResult(0, ())
        deadline = monotonic() + self.search_limit_s
        with reading(self.folder), closing(self._index().reader()) as reader:
            index = IndexSnapshot(reader, partial(self._refuse_late, deadline))
            if not index.n_pages:
                return SearchResult(0, ())
            found = Finder(index).find(query)
            if topics is not None:
                found = found.within(index.of_topics(topics))
            pages = np.flatnonzero(found.pages)
            keys, scores = index.keys[pages], found.scores[pages]
        # Of equals the one with the smaller key comes first, as segments come and go.
        best = np.lexsort((keys, -scores))[offset : None if limit is None else offset + limit]
        hits = map(Hit, keys[best].tolist(), scores[best].tolist())
        return SearchResult(len(pages), tuple(hits))

    def _refuse_late(self, deadline: float) -> None:
        if monotonic() > deadline:
            raise QueryTooSlowError(
                f"the search took longer than {self.search_limit_s:g} s; use rarer words"
            )

    def count(self) -> int:
        with reading(self.folder):
            return int(self._index().doc_count())

    def ids(self) -> list[int]:
        with reading(self.folder), closing(self._index().reader()) as reader:
            index = IndexSnapshot(reader)
            return [int(key) for key in index.keys[index.live]]

    def check(self) -> None:
        """Read every byte of the files to notice damage; raise `IndexUnusableError`."""
        with reading(self.folder):
            checksums.refuse_altered(self.folder, thorough=True)
        with reading(self.folder), closing(self._index().reader()) as reader:
            index, n_documents = IndexSnapshot(reader), reader.doc_count()
            n_read = int(np.count_nonzero(index.live))
            if n_read:
                n_read = len(index.keys[index.live])
        if n_read != n_documents:
            raise IndexUnusableError(
                f"the search index in {self.folder.name} says it holds {n_documents} pages but "
                f"gives {n_read}; it has to be built anew"
            )

    def _write_down(self) -> None:
        """Sum up the files that a commit has made final."""
        names = (file.name for file in self.folder.iterdir() if _OF_WHOOSH.fullmatch(file.name))
        checksums.record(self.folder, names)

    def _index(self) -> Any:
        # The schema is ours, so the pickled one in the file is never read.
        return whoosh_index.open_dir(self.folder, schema=make_schema())

    @contextmanager
    def _writer(self) -> Iterator[Writer]:
        """Give a writer and commit it; on any error the index stays as it was."""
        with reading(self.folder):
            index = self._index()
        lock = index.lock("WRITELOCK")
        if not try_for(lock.acquire, timeout=self.lock_wait_s, delay=0.1):
            raise IndexBusyError(
                f"another process has been writing to the search index in {self.folder.name} "
                f"for {self.lock_wait_s:g} s"
            )
        collects = gc.isenabled()
        try:
            # A commit holds 100,000 objects and no cycles: looking for garbage took a fifth of it.
            gc.disable()
            with reading_while_writing(self.folder):
                writer = Writer(index)
            yield writer
            with reading_while_writing(self.folder):
                writer.commit()
            self._write_down()
        finally:
            if collects:
                gc.enable()
            lock.release()
