"""Whoosh reads from our files what it reads from files that it wrote itself."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from whoosh import fields
from whoosh import index as whoosh_index
from whoosh.formats import Format
from whoosh.writing import SegmentWriter

from tests.topics.search.test_golden_queries import TEXTS
from topics.search.analysis import exact_tokens, index_words, title_names
from topics.search.document import Document
from topics.search.whoosh.backend import WhooshBackend
from topics.search.whoosh.fields import TITLE_WEIGHT, make_schema

#: Tokens that stand in all of the pages, in some and in one of them.
DOCUMENTS = [
    Document(
        number, title, f"{body} 电网 page{number} {'grid ' * (number % 9)}", ("t", f"t{number % 3}")
    )
    for number, (title, body) in enumerate(list(TEXTS.values()) * 8)
] + [Document(999, "", ""), Document(1000, "\ud800 x", "x\ud800y", ("a\ud800", "a?"))]


class Plain(fields.FieldType):  # type: ignore[misc]
    """A field as Whoosh wants it, filled from words with their counts or from tokens."""

    indexed = scorable = True
    analyzer = vector = column_type = None
    stored = unique = False

    def __init__(self, layout: Format) -> None:
        self.format = layout

    def index(self, value: Any, **_: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        if isinstance(value, Counter):
            for word, n_times in value.items():
                yield word.encode("utf-8", "replace"), n_times, float(n_times), b""
            return
        places: defaultdict[bytes, array[int]] = defaultdict(lambda: array("I"))
        for token, place in value:
            places[token.encode("utf-8", "replace")].append(place)
        for spelt, found in places.items():
            yield spelt, len(found), float(len(found)), found.tobytes()


def as_whoosh_wants_it(document: Document) -> dict[str, Any]:
    title_words, words = Counter(index_words(document.title)), Counter(index_words(document.body))
    for word, n_times in title_words.items():
        words[word] += TITLE_WEIGHT * n_times
    return {
        "words": words,
        "exact": list(exact_tokens(f"{document.title}\n{document.body}")),
        "title": title_words,
        "title_exact": list(exact_tokens(document.title)),
        "name": Counter(title_names(document.title)),
        "topics": Counter(set(document.topics)),
        "key": document.id,
    }


def whooshs_own(folder: Path) -> Any:
    """An index that Whoosh wrote, of one segment."""
    folder.mkdir()
    schema = make_schema()
    for name in ("words", "exact", "title", "title_exact", "name", "topics"):
        layout = schema[name].format
        # Left unsaid, empty values are written and lost.
        layout.posting_size = -1 if "exact" in name else 0
        schema.remove(name)
        schema.add(name, Plain(layout))
    index = whoosh_index.create_in(folder, schema)
    with SegmentWriter(index, compound=False) as writer:
        for document in DOCUMENTS:
            writer.add_document(**as_whoosh_wants_it(document))
    return index.reader()


def everything(reader: Any) -> Iterator[tuple[Any, ...]]:
    """Each posting with all that is known of it, and each page with its key and its lengths."""
    for field, token in reader.all_terms():
        if field == "key":
            continue
        info = reader.term_info(field, token)
        yield (
            *(field, token, info.weight(), info.doc_frequency(), info.max_weight()),
            *(info.min_id(), info.max_id()),
        )
        matcher = reader.postings(field, token)
        while matcher.is_active():
            yield matcher.id(), matcher.weight(), matcher.value() if "exact" in field else b""
            matcher.next()
    keys = reader.column_reader("key")
    for page in range(reader.doc_count_all()):
        lengths = [reader.doc_field_length(page, field) for field in ("words", "exact", "name")]
        yield keys[page], *lengths


def by_key(reader: Any) -> list[tuple[Any, ...]]:
    """Each posting with the key of its page, in an order that does not depend on segments."""
    keys = reader.column_reader("key")
    found = []
    for field, token in reader.all_terms():
        if field == "key":
            continue
        matcher = reader.postings(field, token)
        while matcher.is_active():
            places = matcher.value() if "exact" in field else b""
            found.append((field, token, keys[matcher.id()], matcher.weight(), places))
            matcher.next()
    return sorted(found)


def test_whoosh_reads_the_same_from_our_files_as_from_its_own(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    WhooshBackend.create(tmp_path / "ours").index(DOCUMENTS)

    with (
        closing(whooshs_own(tmp_path / "theirs")) as theirs,
        closing(whoosh_index.open_dir(tmp_path / "ours").reader()) as ours,
    ):
        assert len(list(everything(theirs))) > 10_000
        assert list(everything(ours)) == list(everything(theirs))


def test_merged_segments_without_deleted_pages_hold_the_same(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    backend, n_commits = WhooshBackend.create(tmp_path / "ours"), 0
    for start in range(0, len(DOCUMENTS), 25):
        old = [Document(page.id, "grid old", "网 gone") for page in DOCUMENTS[start : start + 5]]
        backend.index([*old, Document(5000 + start, "gone 电网", "grid " * start)])
        backend.index(DOCUMENTS[start : start + 25])
        n_commits += 2
    backend.delete(range(5000, 9000))

    with (
        closing(whooshs_own(tmp_path / "theirs")) as theirs,
        closing(whoosh_index.open_dir(tmp_path / "ours").reader()) as ours,
    ):
        assert 1 < len(ours.leaf_readers()) < n_commits / 2
        assert by_key(ours) == by_key(theirs)
