"""The codec writes what Whoosh's own does."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from whoosh import index as whoosh_index
from whoosh.writing import SegmentWriter

from tests.topics.search.test_golden_queries import TEXTS
from topics.search.document import Document
from topics.search.whoosh.backend import _fields, _Writer
from topics.search.whoosh.fields import make_schema

#: More pages than Whoosh keeps in one block, with tokens that stand in all, some and one of them.
DOCUMENTS = [
    Document(number, title, f"{body} 电网 page{number} {'grid ' * (number % 9)}", ("t",))
    for number, (title, body) in enumerate(list(TEXTS.values()) * 15)
]


def written(folder: Path, writer_of: Any) -> Any:
    folder.mkdir()
    writer = writer_of(whoosh_index.create_in(folder, make_schema()))
    for document in [*DOCUMENTS, Document(999, "", "")]:
        writer.add_document(**_fields(document))
    assert bool(writer.pool.runs) == (writer_of is spilling)
    writer.commit()
    return whoosh_index.open_dir(folder, schema=make_schema()).reader()


def everything(reader: Any) -> Iterator[tuple[Any, ...]]:
    """Each posting with all that is known of it, and each token with what it says of its pages."""
    for field, token in reader.all_terms():
        info = reader.term_info(field, token)
        yield (
            *(field, token, info.weight(), info.doc_frequency(), info.max_weight()),
            *(info.min_length(), info.max_length(), info.min_id(), info.max_id()),
        )
        matcher = reader.postings(field, token)
        while matcher.is_active():
            yield matcher.id(), matcher.weight(), matcher.value(), matcher.block_max_weight()
            matcher.next()


def spilling(index: Any) -> _Writer:
    """A writer that keeps few postings in memory."""
    writer = _Writer(index)
    writer.pool.limit = 300_000
    return writer


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("writer_of", [_Writer, spilling])
def test_postings_are_those_of_whooshs_own_codec(tmp_path: Path, writer_of: Any) -> None:
    ours = list(everything(written(tmp_path / "ours", writer_of)))
    theirs = list(everything(written(tmp_path / "theirs", SegmentWriter)))

    assert len(ours) > 10_000
    assert ours == theirs
