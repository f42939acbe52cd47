"""The Whoosh engine: what it keeps, finds, and does when its files are bad."""

import os
import random
import re
import resource
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from whoosh import index as whoosh_index

from topics.search.backend import SearchBackend
from topics.search.document import Document
from topics.search.errors import (
    IndexBusyError,
    IndexUnusableError,
    QueryError,
    QueryTooSlowError,
)
from topics.search.query import parse_query
from topics.search.whoosh.backend import WhooshBackend

#: Whoosh leaves files to the garbage collector when it stumbles over them.
leaky = pytest.mark.filterwarnings("ignore::ResourceWarning")


def found(backend: SearchBackend, text: str, topics: Collection[str] | None = None) -> list[int]:
    return sorted(hit.id for hit in backend.search(parse_query(text), topics=topics).hits)


def test_an_empty_index_finds_nothing_and_is_sound(backend: SearchBackend) -> None:
    backend.check()

    assert (backend.count(), backend.ids(), found(backend, "grid")) == (0, [], [])


def test_index_replaces_what_stood_under_an_id(backend: SearchBackend) -> None:
    backend.index([Document(1, "old", ""), Document(2, "other", "")])

    backend.index([Document(1, "new", "")])

    assert (found(backend, "old"), found(backend, "new")) == ([], [1])
    assert sorted(backend.ids()) == [1, 2]


def test_of_two_documents_with_one_id_the_later_counts(backend: SearchBackend) -> None:
    backend.index([Document(1, "first", ""), Document(1, "second", "")])

    assert (backend.ids(), found(backend, "second")) == ([1], [1])


def test_delete_takes_documents_out(backend: SearchBackend) -> None:
    backend.index([Document(1, "grid", ""), Document(2, "grid", "")])

    backend.delete([1, 999])

    assert (found(backend, "grid"), backend.count()) == ([2], 1)


def test_delete_of_unknown_ids_writes_nothing(tmp_path: Path) -> None:
    """Most pages of a crawl are never indexed; a commit for each batch of them was half of it."""
    backend = WhooshBackend.create(tmp_path)
    backend.index([Document(1, "grid", "")])
    files = {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()}

    backend.delete([998, 999])

    assert {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == files


def test_search_finds_only_pages_of_the_topics(backend: SearchBackend) -> None:
    backend.index(
        [
            Document(1, "grid", "", topics=("power",)),
            Document(2, "grid", "", topics=("power", "电网")),
            Document(3, "grid", ""),
        ]
    )

    assert found(backend, "grid", ["电网"]) == [2]
    assert found(backend, "grid", ["电网", "power"]) == [1, 2]
    assert found(backend, "grid", ["pow"]) == []
    assert found(backend, "grid", []) == []
    assert found(backend, "grid") == [1, 2, 3]


def test_search_counts_all_and_gives_a_screen(backend: SearchBackend) -> None:
    backend.index([Document(number, "grid", "x " * number) for number in range(30)])

    whole = backend.search(parse_query("grid"), limit=30)
    screen = backend.search(parse_query("grid"), limit=10, offset=10)

    assert (whole.total, screen.total) == (30, 30)
    assert screen.hits == whole.hits[10:20]
    assert [hit.score for hit in whole.hits] == sorted((h.score for h in whole.hits), reverse=True)


_TEXT = st.text(alphabet="电网中ab， ", max_size=12)
_RUN = st.text(alphabet="电网中", min_size=1, max_size=4)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(texts=st.lists(_TEXT, min_size=1, max_size=8), phrase=_RUN, unwanted=_RUN)
def test_a_chinese_phrase_is_found_exactly_where_it_stands(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], phrase: str, unwanted: str
) -> None:
    backend = WhooshBackend.create(tmp_path_factory.mktemp("property"))
    middle = len(texts) // 2
    for batch in (range(middle), range(middle, len(texts))):
        backend.index([Document(number, "", texts[number]) for number in batch])
    joined = [re.sub("(?<=[电网中]) +(?=[电网中])", "", text) for text in texts]
    holding = {number for number, text in enumerate(joined) if phrase in text}
    refused = {number for number, text in enumerate(joined) if unwanted in text}

    assert set(found(backend, f'"{phrase}"')) == holding
    assert set(found(backend, f'"{phrase}" -"{unwanted}"')) == holding - refused
    # As a plain word it is found at least there.
    assert set(found(backend, phrase)) >= holding


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

    assert len(list((tmp_path / "a").glob("*.seg"))) < 15
    backend.check()
    for text in ("grid", '"网调度"', "页 17", "网"):
        merged = backend.search(parse_query(text), limit=300, topics=["t2"]).hits
        fresh = whole.search(parse_query(text), limit=300, topics=["t2"]).hits
        # Scores move a little: Whoosh rounds lengths anew in every segment.
        assert {hit.id: hit.score for hit in merged} == pytest.approx(
            {hit.id: hit.score for hit in fresh}, rel=0.05
        )


@pytest.fixture(scope="module")
def some_pages(tmp_path_factory: pytest.TempPathFactory) -> SearchBackend:
    backend = WhooshBackend.create(tmp_path_factory.mktemp("some"))
    backend.index([Document(1, "grid", "电网调度 5月10日 C++"), Document(2, "ßﾞ①", "e\u0301")])
    return backend


@given(text=st.one_of(st.text(max_size=40), st.text("电网 g3ﾞ①㍿々_-+#\"'.：", max_size=20)))
def test_whatever_is_typed_gives_an_answer_or_a_sentence(
    some_pages: SearchBackend, text: str
) -> None:
    try:
        query = parse_query(text)
    except QueryError as error:
        assert 0 <= error.position <= len(text)
        return
    result = some_pages.search(query, topics=None)
    assert result.total == len(result.hits)
    assert len(result.hits) <= 2


def test_search_stops_a_query_that_takes_too_long(backend: SearchBackend) -> None:
    class Hurried(WhooshBackend):
        search_limit_s = -1.0

    backend.index([Document(1, "grid", "")])

    with pytest.raises(QueryTooSlowError):
        Hurried(backend.folder).search(parse_query("grid"))  # type: ignore[attr-defined]


@contextmanager
def _writer_elsewhere(folder: Path) -> Iterator[None]:
    lock = whoosh_index.open_dir(folder).lock("WRITELOCK")
    assert lock.acquire()
    try:
        yield
    finally:
        lock.release()


def test_a_second_writer_is_told_so(tmp_path: Path) -> None:
    class Impatient(WhooshBackend):
        lock_wait_s = 0.1

    backend = Impatient.create(tmp_path)

    with _writer_elsewhere(tmp_path), pytest.raises(IndexBusyError):
        backend.index([Document(1, "grid", "")])
    backend.index([Document(1, "grid", "")])
    assert backend.count() == 1


def test_an_error_while_writing_leaves_the_index_as_it_was(backend: SearchBackend) -> None:
    backend.index([Document(1, "grid", "")])
    broken = Document(2**70, "grid", "")

    with pytest.raises(ValueError, match="out of range"):
        backend.index([Document(1, "new", ""), broken])

    backend.check()
    assert found(backend, "grid") == [1]
    backend.index([Document(3, "grid", "")])
    assert found(backend, "grid") == [1, 3]


def _index_many(backend: SearchBackend) -> None:
    rng = random.Random(3)
    backend.index(
        [
            Document(number, "many", " ".join(f"w{rng.randrange(9**9)}" for _ in range(500)))
            for number in range(10)
        ]
    )


@leaky
def test_a_full_disk_is_an_os_error_and_writing_goes_on_when_space_returns(
    backend: SearchBackend, request: pytest.FixtureRequest
) -> None:
    backend.index([Document(100, "grid", "")])
    # As good as a full disk: no file of this process may grow past 4 KiB.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    request.addfinalizer(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard)))
    with pytest.raises(OSError, match="File too large"):
        _index_many(backend)
    assert found(backend, "grid") == [100]

    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    _index_many(backend)

    assert backend.count() == 11


def test_a_missing_index_is_unusable(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusableError):
        WhooshBackend.open(tmp_path)
    with pytest.raises(IndexUnusableError):
        WhooshBackend.open(tmp_path / "nowhere")


@leaky
@pytest.mark.parametrize("suffix", [".toc", ".seg"])
@pytest.mark.parametrize("kept", [0, 10, 200])
def test_check_notices_a_file_that_was_cut(tmp_path: Path, suffix: str, kept: int) -> None:
    backend = WhooshBackend.create(tmp_path)
    backend.index([Document(number, f"grid {number}", "电网调度") for number in range(50)])
    (file,) = tmp_path.glob(f"*{suffix}")
    os.truncate(file, kept)

    with pytest.raises(IndexUnusableError):
        backend.check()


@leaky
def test_check_notices_a_segment_that_is_gone(tmp_path: Path) -> None:
    backend = WhooshBackend.create(tmp_path)
    backend.index([Document(1, "grid", "")])
    for file in tmp_path.glob("*.seg"):
        file.unlink()

    with pytest.raises(IndexUnusableError):
        backend.check()


@leaky
def test_flipped_bits_give_the_right_answer_or_say_damaged(tmp_path: Path) -> None:
    backend = WhooshBackend.create(tmp_path)
    backend.index([Document(number, f"grid {number}", "电网调度 " * 5) for number in range(40)])
    rng = random.Random(5)
    (segment,) = tmp_path.glob("*.seg")
    whole = segment.read_bytes()
    n_noticed = 0
    for _ in range(40):
        spoilt = bytearray(whole)
        spoilt[rng.randrange(len(spoilt))] ^= 1 << rng.randrange(8)
        segment.write_bytes(spoilt)
        try:
            backend.check()
            found(backend, '"电网调度"')
        except IndexUnusableError:
            n_noticed += 1
    segment.write_bytes(whole)

    assert n_noticed > 0
    assert len(backend.search(parse_query("电网"), limit=100).hits) == 40
