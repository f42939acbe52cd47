"""What every engine keeps, finds, and does when it is killed or its files are bad."""

import os
import random
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import databases
from tests.topics.search.engines import EngineMaker
from tests.topics.search.reference import Reference
from tests.topics.search.test_golden_queries import TEXTS
from topics.search.backend import SearchBackend
from topics.search.document import Document
from topics.search.errors import IndexUnusableError, QueryError
from topics.search.postgres.backend import PostgresBackend
from topics.search.query import parse_query
from topics.search.tree import Fact, leaves

#: Whoosh leaves files to the garbage collector when it stumbles over them.
leaky = pytest.mark.filterwarnings("ignore::ResourceWarning")
QUERIES = [
    "农业银行",
    "电网 调度",
    "crawler OR 处理器",
    '"its own cache"',
    "the -grid",
    "王",
    "电*",
]


def found(backend: SearchBackend, text: str, topics: Collection[str] | None = None) -> list[int]:
    return sorted(hit.id for hit in backend.search(parse_query(text), topics=topics).hits)


def folder_of(backend: SearchBackend) -> Path:
    return backend.folder  # type: ignore[attr-defined,no-any-return]


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


@pytest.mark.parametrize(
    ("beginning", "text"),
    [("caf*", "café"), ("caf*", "Café,"), ("café*", "cafés"), ("佐", "佐々木"), ("野", "野𠮷家")],
)
def test_a_beginning_is_found_whatever_characters_follow_it(
    backend: SearchBackend, beginning: str, text: str
) -> None:
    backend.index([Document(1, text, ""), Document(2, "", f"x {text}"), Document(3, "grid", "")])

    assert found(backend, beginning) == [1, 2]


def test_delete_takes_documents_out(backend: SearchBackend) -> None:
    backend.index([Document(1, "grid", ""), Document(2, "grid", "")])

    backend.delete([1, 999])

    assert (found(backend, "grid"), backend.count()) == ([2], 1)


def test_delete_of_unknown_ids_writes_nothing(backend: SearchBackend) -> None:
    """Most pages of a crawl are never indexed; a commit for each batch of them was half of it."""
    backend.index([Document(1, "grid", "")])
    files = {file.name: file.stat().st_mtime_ns for file in folder_of(backend).iterdir()}

    backend.delete([998, 999])

    now = {file.name: file.stat().st_mtime_ns for file in folder_of(backend).iterdir()}
    assert now == files


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
    make_engine: EngineMaker, texts: list[str], phrase: str, unwanted: str
) -> None:
    backend = make_engine()
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


@pytest.fixture(scope="module")
def some_pages(make_engine: EngineMaker) -> SearchBackend:
    backend = make_engine()
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
    if any(isinstance(leaf, Fact) for leaf, _ in leaves(query.tree)):
        return
    result = some_pages.search(query, topics=None)
    assert result.total == len(result.hits)
    assert len(result.hits) <= 2


def test_an_error_while_writing_leaves_the_index_as_it_was(backend: SearchBackend) -> None:
    backend.index([Document(1, "grid", "")])
    broken = Document(2**70, "grid", "")

    with pytest.raises((ValueError, OverflowError)):
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
    if isinstance(backend, PostgresBackend):
        pytest.skip("the disk is the server's: see tests/topics/search/postgres")
    backend.index([Document(100, "grid", "")])
    # As good as a full disk: no file of this process may grow past 4 KiB.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    request.addfinalizer(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard)))
    with pytest.raises(OSError):
        _index_many(backend)
    assert found(backend, "grid") == [100]

    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    _index_many(backend)

    assert backend.count() == 11


def test_a_missing_index_is_unusable(engine: type[SearchBackend], tmp_path: Path) -> None:
    with pytest.raises(IndexUnusableError):
        engine.open(tmp_path)
    with pytest.raises(IndexUnusableError):
        engine.open(tmp_path / "nowhere")


def answers(backend: SearchBackend) -> list[list[int]]:
    return [found(backend, text) for text in QUERIES]


def flip_bits(backend: SearchBackend, n_flips: int, seed: int) -> int:
    """Flip one bit at a time; each time the answers stay right or are refused. How many were."""
    rng, n_refused = random.Random(seed), 0
    folder, wanted = folder_of(backend), answers(backend)
    for _ in range(n_flips):
        victim = rng.choice([file for file in sorted(folder.iterdir()) if file.stat().st_size])
        whole, times = victim.read_bytes(), victim.stat()
        damaged = bytearray(whole)
        place = rng.randrange(8 * len(damaged))
        damaged[place // 8] ^= 1 << place % 8
        put(victim, bytes(damaged))
        try:
            opened = type(backend).open(folder)
            opened.check()
            assert answers(opened) == wanted, (victim.name, place)
        except IndexUnusableError:
            n_refused += 1
        put(victim, whole)
        os.utime(victim, ns=(times.st_atime_ns, times.st_mtime_ns))
    return n_refused


def put(file: Path, data: bytes) -> None:
    """Write a file anew: tantivy has files in memory, and a file cut there ends the process."""
    new = file.with_name("new")
    new.write_bytes(data)
    new.replace(file)


@pytest.fixture
def well_filled(make_engine: EngineMaker) -> SearchBackend:
    backend = make_engine()
    documents = [Document(number, *texts) for number, texts in TEXTS.items()]
    backend.index(documents[:8])
    backend.index(documents[4:])
    return backend


@leaky
def test_flipped_bits_give_the_right_answer_or_a_refusal(well_filled: SearchBackend) -> None:
    assert flip_bits(well_filled, 16, seed=5) > 0


@pytest.mark.torture
@leaky
def test_two_hundred_flipped_bits_give_the_right_answer_or_a_refusal(
    well_filled: SearchBackend,
) -> None:
    assert flip_bits(well_filled, 200, seed=6) > 100


#: Puts pages in, ten a commit, and says each time how many are in.
WRITER = """
import sys
from pathlib import Path
import django
django.setup()
from tests.topics.search.engines import ENGINES
from topics.search.document import Document
backend = next(e for e in ENGINES if e.name == sys.argv[1]).open(Path(sys.argv[2]))
for start in range(int(sys.argv[3]), 100_000, 10):
    backend.index([Document(n, f"grid {n}", "电网调度 " * 50) for n in range(start, start + 10)])
    print(start + 10, flush=True)
"""


def kill_writers(backend: SearchBackend, n_kills: int, seed: int) -> None:
    """Kill a writer after some commits and some milliseconds; every commit stays, in whole."""
    rng, n_printed = random.Random(seed), 0
    settings_module = {"DJANGO_SETTINGS_MODULE": "focusweb.settings"}
    environment = os.environ | settings_module | databases.own_environment()
    name, folder = type(backend).name, folder_of(backend)
    for _ in range(n_kills):
        command = [sys.executable, "-c", WRITER, name, str(folder), str(n_printed)]
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            for _ in range(rng.randrange(1, 4)):
                n_printed = int(writer.stdout.readline())
            try:
                writer.wait(timeout=rng.random() * 0.05)
            except subprocess.TimeoutExpired:
                writer.send_signal(signal.SIGKILL)
            n_printed = max([n_printed, *map(int, writer.stdout.read().split())])
        opened = type(backend).open(folder)
        # A busy machine may take longer than a person would wait.
        opened.search_limit_s = 3600.0  # type: ignore[attr-defined]
        opened.check()
        n_pages = opened.count()
        assert n_pages in (n_printed, n_printed + 10)
        assert sorted(opened.ids()) == list(range(n_pages))
        result = opened.search(parse_query('grid "网调度"'), limit=None)
        assert {hit.id for hit in result.hits} == set(range(n_pages))
        n_printed = n_pages


def test_a_killed_writer_leaves_the_last_commit(backend: SearchBackend) -> None:
    kill_writers(backend, 2, seed=7)


@pytest.mark.torture
def test_a_hundred_killed_writers_leave_the_last_commit(backend: SearchBackend) -> None:
    kill_writers(backend, 100, seed=8)


def test_a_copied_index_is_still_good(well_filled: SearchBackend) -> None:
    """Restored files have other times, and the same bytes."""
    wanted = Reference([Document(n, *texts) for n, texts in TEXTS.items()])
    for file in folder_of(well_filled).iterdir():
        data = file.read_bytes()
        file.unlink()
        file.write_bytes(data)

    opened = type(well_filled).open(folder_of(well_filled))
    opened.check()
    assert answers(opened) == [sorted(wanted.find(parse_query(text).tree)) for text in QUERIES]
