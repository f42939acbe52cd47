"""tantivy as a search engine."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar, Self

import tantivy

from focusweb.failpoints import pass_point
from topics.search import checksums
from topics.search.analysis import Analysed, analyse, analysis_version, title_names
from topics.search.backend import Hit, SearchResult
from topics.search.document import Document
from topics.search.errors import IndexBusyError, IndexUnusableError
from topics.search.query import Query
from topics.search.tantivy.query import make_query

#: Raise this when fields change: indexes are rebuilt.
LAYOUT = 2
#: Stands for the topic of a page that has none.
_NO_TOPIC = "\0"
HEAP_BYTES = 64_000_000
_STATE = "meta.json"
#: Written in place; the other files never change.
_CHANGING = (_STATE, ".managed.json")
_OF_TANTIVY = re.compile(r"[0-9a-f]{32}\..+|meta\.json|\.managed\.json")
#: More pages than an index can hold: tantivy wants a limit.
_NO_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """One state of an index, how its file can be recognised, and the topics of its pages."""

    written: tuple[int, int, int]
    searcher: tantivy.Searcher
    topics: frozenset[str]


class TantivyBackend:
    """A `SearchBackend` of tantivy; it keeps files open for reading, and none for writing."""

    name: ClassVar[str] = "tantivy"
    version: ClassVar[str] = f"tantivy {version('tantivy')}, layout {LAYOUT}, {analysis_version()}"

    def __init__(self, folder: Path, index: tantivy.Index) -> None:
        self.folder = folder
        self._index = index
        self._snapshot: _Snapshot | None = None
        # Otherwise a thread per instance watches the folder, and reads files as they change.
        index.config_reader("manual")

    @classmethod
    def create(cls, folder: Path) -> Self:
        backend = cls(folder, tantivy.Index(_schema(), path=str(folder)))
        backend._write_down()
        return backend

    @classmethod
    def open(cls, folder: Path) -> Self:
        with _reading(folder):
            checksums.refuse_altered(folder)
            return cls(folder, tantivy.Index.open(str(folder)))

    def index(self, documents: Sequence[Document]) -> None:
        latest = {document.id: document for document in documents}
        if not latest:
            return
        with self._writer() as writer:
            _delete(writer, latest)
            for document in latest.values():
                writer.add_document(_document(document))
            pass_point("index.added")

    def delete(self, ids: Collection[int]) -> None:
        # A commit costs far more than this query, and most pages of a crawl were never indexed.
        if not ids:
            return
        with _reading(self.folder):
            searcher = self._newest().searcher
            found = tantivy.Query.term_set_query(self._index.schema, "id", sorted(ids))
            n_held = _n_found(searcher.search(found, 1))
        if n_held:
            with self._writer() as writer:
                _delete(writer, ids)

    def search(
        self,
        query: Query,
        *,
        topics: Collection[str] | None = None,
        limit: int | None = 20,
        offset: int = 0,
    ) -> SearchResult:
        """Find the pages for which the query holds, in any of some topics.

        No time limit: the slowest query takes milliseconds on 50,000 pages.
        """
        if topics is not None and not topics:
            return SearchResult(0, ())
        with _reading(self.folder):
            snapshot = self._newest()
        if topics is not None and snapshot.topics.issubset(topics):
            # No page is ruled out: to look for the topics of each took up to half of the time.
            topics = None
        # Built here, so that no mistake of ours is taken for damaged files.
        wanted = make_query(query, topics, self._index.schema)
        searcher = snapshot.searcher
        with _reading(self.folder):
            n_wanted = _NO_LIMIT if limit is None else max(limit, 1)
            most = max(min(n_wanted, searcher.num_docs), 1)
            found = searcher.search(wanted, most, count=True, offset=offset)
            hits = found.hits if limit != 0 else []
            ids = searcher.fast_field_values("id", [address for _, address in hits])
        ranked = [
            Hit(int(page or 0), float(score)) for page, (score, _) in zip(ids, hits, strict=True)
        ]
        ranked.sort(key=lambda hit: (-hit.score, hit.id))
        return SearchResult(_n_found(found), tuple(ranked))

    def count(self) -> int:
        with _reading(self.folder):
            return int(self._newest().searcher.num_docs)

    def ids(self) -> list[int]:
        with _reading(self.folder):
            searcher = self._newest().searcher
            found = searcher.search(tantivy.Query.all_query(), max(searcher.num_docs, 1))
            addresses = [address for _, address in found.hits]
            return [int(page or 0) for page in searcher.fast_field_values("id", addresses)]

    def check(self) -> None:
        """Read every byte of the files to notice damage; raise `IndexUnusableError`."""
        with _reading(self.folder):
            checksums.refuse_altered(self.folder, thorough=True)
            searcher = self._newest().searcher
        if len(self.ids()) != searcher.num_docs:
            raise IndexUnusableError(
                f"the search index in {self.folder.name} does not give all of its "
                f"{searcher.num_docs} pages; it has to be built anew"
            )
        if checksums.is_unfinished(self.folder):
            self._write_down()

    def _newest(self) -> _Snapshot:
        """The state of the last commit; loading it is a third of a search."""
        # A commit puts a new file in its place.
        status = (self.folder / _STATE).stat()
        written = (status.st_ino, status.st_size, status.st_mtime_ns)
        snapshot = self._snapshot
        if snapshot is None or snapshot.written != written:
            self._index.reload()
            searcher = self._index.searcher()
            topics = frozenset(topic for topic, _ in searcher.terms_with_prefix("topics", ""))
            # In one step: another thread must not take these topics for those of other pages.
            snapshot = self._snapshot = _Snapshot(written, searcher, topics)
        return snapshot

    def _write_down(self) -> None:
        """Sum up the files of the last commit."""
        names = {file.name for file in self.folder.iterdir() if _OF_TANTIVY.fullmatch(file.name)}
        checksums.record(self.folder, names, changing=[name for name in _CHANGING if name in names])

    @contextmanager
    def _writer(self) -> Iterator[tantivy.IndexWriter]:
        """Give a writer; commit it, or on any error leave the index as it was."""
        with _reading(self.folder):
            writer = self._index.writer(HEAP_BYTES, num_threads=1)
        checksums.mark_writing(self.folder)
        with _reading(self.folder):
            try:
                yield writer
                pass_point("index.segment")
                writer.commit()
                pass_point("index.toc")
            except BaseException:
                writer.rollback()
                raise
            finally:
                # Merges go on in threads of their own, and the lock is held until they end.
                writer.wait_merging_threads()
        self._write_down()


@contextmanager
def _reading(folder: Path) -> Iterator[None]:
    """Turn whatever tantivy raises over damaged files into the one error for that."""
    try:
        yield
    except IndexUnusableError:
        raise
    except BaseException as error:
        if "LockBusy" in str(error):
            raise IndexBusyError(
                f"another process is writing to the search index in {folder.name}"
            ) from error
        if "No space left" in str(error) or "File too large" in str(error):
            raise OSError(str(error)) from error
        # Its errors are plain ValueErrors; a broken file may also make its code panic.
        if isinstance(error, ValueError | OSError) or type(error).__name__ == "PanicException":
            raise IndexUnusableError(
                f"the search index in {folder.name} cannot be read "
                f"({type(error).__name__}: {error}); it has to be built anew"
            ) from error
        raise


def _schema() -> tantivy.Schema:
    """Lay the index out; nothing of a page is stored but its id."""
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("id", indexed=True, fast=True)
    builder.add_text_field("topics", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("name", tokenizer_name="raw", index_option="basic")
    for words in ("words", "title"):
        builder.add_text_field(words, tokenizer_name="whitespace", index_option="freq")
    for exact in ("exact", "title_exact"):
        builder.add_text_field(exact, tokenizer_name="whitespace", index_option="position")
    return builder.build()


def _n_found(result: tantivy.SearchResult) -> int:
    # Its types do not name the count.
    return int(result.count or 0)  # type: ignore[attr-defined]


def _delete(writer: tantivy.IndexWriter, ids: Iterable[int]) -> None:
    for page in ids:
        writer.delete_documents_by_term("id", page)


def _document(document: Document) -> tantivy.Document:
    row = tantivy.Document()
    row.add_integer("id", document.id)
    for topic in dict.fromkeys(document.topics or (_NO_TOPIC,)):
        row.add_text("topics", topic)
    for name in sorted(title_names(document.title)):
        row.add_text("name", name)
    title, body = analyse(document.title), analyse(document.body)
    row.add_text("title", " ".join(title.words))
    row.add_text("words", " ".join([*title.words, *body.words]))
    in_title = _placed(title)
    row.add_pre_tokenized_text("title_exact", tantivy.PreTokenizedString("", in_title))
    # A new line parts the title from the body.
    exact = [*in_title, *_placed(body, title.n_positions + 1)]
    row.add_pre_tokenized_text("exact", tantivy.PreTokenizedString("", exact))
    return row


def _placed(text: Analysed, shift: int = 0) -> list[tantivy.Token]:
    return [
        tantivy.Token(token, place + shift, 0, 0)
        for token, place in zip(text.tokens, text.positions, strict=True)
    ]
