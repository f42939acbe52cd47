"""What only the Whoosh engine does: its segments, its lock, its files."""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from whoosh import index as whoosh_index

from topics.search.backend import SearchBackend
from topics.search.document import Document
from topics.search.errors import (
    IndexBusyError,
    IndexUnusableError,
    QueryTooSlowError,
)
from topics.search.query import parse_query
from topics.search.whoosh.backend import WhooshBackend

#: Whoosh leaves files to the garbage collector when it stumbles over them.
leaky = pytest.mark.filterwarnings("ignore::ResourceWarning")


def found(backend: SearchBackend, text: str, topics: Collection[str] | None = None) -> list[int]:
    return sorted(hit.id for hit in backend.search(parse_query(text), topics=topics).hits)


def test_merged_segments_answer_like_fresh_ones(tmp_path: Path) -> None:
    """Many small commits make Whoosh merge; nothing may change by that."""
    for name in "ab":
        (tmp_path / name).mkdir()
    backend, whole = WhooshBackend.create(tmp_path / "a"), WhooshBackend.create(tmp_path / "b")
    documents = [
        Document(
            number, f"页 {number}", "电网调度 grid " * (number % 7 + 1), topics=(f"t{number % 3}",)
        )
        for number in range(300)
    ]
    for start in range(0, 300, 10):
        backend.index(documents[start : start + 10])
    whole.index(documents)

    assert len(list((tmp_path / "a").glob("*.pst"))) < 15
    backend.check()
    for text in ("grid", '"网调度"', "页 17", "网"):
        merged = backend.search(parse_query(text), limit=300, topics=["t2"]).hits
        fresh = whole.search(parse_query(text), limit=300, topics=["t2"]).hits
        # Scores move a little: Whoosh rounds lengths anew in every segment.
        assert {hit.id: hit.score for hit in merged} == pytest.approx(
            {hit.id: hit.score for hit in fresh}, rel=0.05
        )


def test_search_stops_a_query_that_takes_too_long(tmp_path: Path) -> None:
    class Hurried(WhooshBackend):
        search_limit_s = -1.0

    WhooshBackend.create(tmp_path).index([Document(1, "grid", "")])

    with pytest.raises(QueryTooSlowError):
        Hurried(tmp_path).search(parse_query("grid"))


@contextmanager
def _writer_elsewhere(folder: Path) -> Iterator[None]:
    lock = whoosh_index.open_dir(folder).lock("WRITELOCK")
    assert lock.acquire()
    try:
        yield
    finally:
        lock.release()


def test_a_second_writer_is_reported_so(tmp_path: Path) -> None:
    class Impatient(WhooshBackend):
        lock_wait_s = 0.1

    backend = Impatient.create(tmp_path)

    with _writer_elsewhere(tmp_path), pytest.raises(IndexBusyError):
        backend.index([Document(1, "grid", "")])
    backend.index([Document(1, "grid", "")])
    assert backend.count() == 1


@leaky
@pytest.mark.parametrize("suffix", [".toc", ".pst", ".trm", ".pos", ".col"])
@pytest.mark.parametrize("kept", [0, 10, 200])
def test_check_notices_a_file_that_was_cut(tmp_path: Path, suffix: str, kept: int) -> None:
    backend = WhooshBackend.create(tmp_path)
    backend.index([Document(number, f"grid {number}", "电网调度") for number in range(50)])
    (file,) = tmp_path.glob(f"*{suffix}")
    os.truncate(file, kept)

    with pytest.raises(IndexUnusableError):
        backend.check()


@leaky
@pytest.mark.parametrize("part", [".trm", ".pst", ".pos", ".col"])
def test_a_file_that_is_gone_is_noticed(tmp_path: Path, part: str) -> None:
    backend = WhooshBackend.create(tmp_path)
    backend.index([Document(1, "grid", "")])
    for file in tmp_path.glob(f"*{part}"):
        file.unlink()

    with pytest.raises(IndexUnusableError):
        backend.check()
    with pytest.raises(IndexUnusableError):
        backend.search(parse_query("grid"))
