"""An index in PostgreSQL: what the server may say, pages that are very long, tables that go."""

import json
from pathlib import Path

import pytest
from django.db import DatabaseError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from focusweb import database
from tests import databases
from tests.topics.search.conftest import Library
from tests.topics.search.reference import Reference
from tests.topics.search.test_golden_queries import TEXTS
from topics.search.consistency import rebuild_differences
from topics.search.document import Document
from topics.search.errors import IndexBusyError, IndexUnusableError, QueryError, QueryTooSlowError
from topics.search.outbox import drain_all
from topics.search.postgres import rows
from topics.search.postgres.backend import PostgresBackend
from topics.search.query import parse_query
from topics.search.store import IndexStore, default_store

pytestmark = [databases.postgres_only, pytest.mark.django_db]

GRID = Document(1, "grid", "")


@pytest.fixture
def backend(tmp_path: Path, db: None) -> PostgresBackend:
    """An empty index, in the transaction of the test."""
    return PostgresBackend.create(tmp_path)


def found(backend: PostgresBackend, text: str) -> list[int]:
    return sorted(hit.id for hit in backend.search(parse_query(text)).hits)


def n_tables() -> int:
    ours = "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'focusweb_search_%%'"
    return int(database.select(ours, [])[0][0])


def refuse_with(backend: PostgresBackend, code: str) -> None:
    """Let the server refuse every new row with the code of an error."""
    database.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION 'on purpose' USING ERRCODE = '{code}'; END $$"
    )
    database.execute(
        f"CREATE TRIGGER refuse BEFORE INSERT ON {backend.table} EXECUTE FUNCTION refuse()"
    )


@pytest.mark.parametrize(
    ("code", "raised"),
    [
        ("53100", OSError),
        ("55P03", IndexBusyError),
        ("XX001", IndexUnusableError),
        ("XX002", IndexUnusableError),
        ("23505", DatabaseError),
    ],
)
def test_what_the_server_says_is_said_as_every_engine_says_it(
    backend: PostgresBackend, code: str, raised: type[Exception]
) -> None:
    backend.index([Document(2, "grid", "")])
    refuse_with(backend, code)

    with pytest.raises(raised):
        backend.index([GRID, Document(2, "new", "")])

    assert found(backend, "grid") == [2]
    database.execute(f"DROP TRIGGER refuse ON {backend.table}")
    backend.index([GRID])
    assert found(backend, "grid") == [1, 2]
    backend.check()


def test_a_search_that_takes_too_long_is_stopped(backend: PostgresBackend) -> None:
    backend.index([Document(number, "", "grid power " * 10_000) for number in range(50)])
    backend.search_limit_s = 0.001  # type: ignore[misc]

    with pytest.raises(QueryTooSlowError, match=r"longer than 0\.001 s"):
        backend.search(parse_query('"power power"'))

    assert database.select("SHOW statement_timeout") == [("0",)]


def test_a_table_that_is_gone_is_an_unusable_index(backend: PostgresBackend) -> None:
    backend.index([GRID])
    database.execute(f"DROP TABLE {backend.table}")

    for use in (
        lambda: PostgresBackend.open(backend.folder),
        lambda: found(backend, "grid"),
        lambda: backend.index([GRID]),
        backend.check,
        backend.count,
        backend.ids,
    ):
        with pytest.raises(IndexUnusableError, match="has to be built anew"):
            use()


def test_a_row_that_was_removed_by_hand_is_noticed(backend: PostgresBackend) -> None:
    backend.index([GRID])
    database.execute(f"DELETE FROM {backend.table}")

    with pytest.raises(IndexUnusableError, match="0 pages, 1 were put in"):
        backend.check()


@pytest.mark.parametrize("table", ["auth_user", "focusweb_search_xyz", "", 3, None])
def test_a_file_that_names_another_table_is_refused(tmp_path: Path, table: object) -> None:
    (tmp_path / "tables.json").write_text(json.dumps({"table": table}))

    with pytest.raises(IndexUnusableError):
        PostgresBackend.open(tmp_path)
    PostgresBackend.discard(tmp_path)


def test_the_tables_of_an_old_index_go_with_its_folder(library: Library, store: IndexStore) -> None:
    in_postgres = IndexStore(store.root, PostgresBackend, (store.kind,))
    before = n_tables()
    for _ in range(2):
        in_postgres.begin_anew().index([GRID])
        in_postgres.put_in_place()

    assert n_tables() == before + 2

    store.begin_anew()
    store = default_store()
    store.put_in_place()

    assert n_tables() == before


def test_a_check_of_the_index_leaves_no_tables(library: Library, store: IndexStore) -> None:
    in_postgres = IndexStore(store.root, PostgresBackend)
    library.page(library.crawl("power"), "a", "Grid")
    drain_all(60, in_postgres)
    before = n_tables()

    assert list(rebuild_differences(in_postgres)) == []

    assert n_tables() == before


def test_an_index_is_built_from_the_tables_and_kept_up_to_date(
    library: Library, store: IndexStore
) -> None:
    in_postgres = IndexStore(store.root, PostgresBackend)
    page = library.page(library.crawl("power"), "a", "Grid")
    drain_all(60, in_postgres)
    before = in_postgres.open().search(parse_query("grid"), topics=["power"]).total

    page.title = "Crawler"
    page.save()
    library.queue(page)
    drain_all(60, in_postgres)

    assert before == 1
    assert in_postgres.open().search(parse_query("grid")).total == 0
    assert in_postgres.open().search(parse_query("crawler"), topics=["power"]).total == 1


def test_counts_of_words_are_right_after_changes(backend: PostgresBackend) -> None:
    backend.index([GRID, Document(2, "grid power", ""), Document(3, "power", "")])
    backend.index([Document(2, "flow", "flow")])
    backend.delete([3, 4])

    counted = database.select(f"SELECT word, n FROM {backend.table}_words WHERE n > 0")

    assert dict(counted) == {-1: 2, -2: 3, rows.number_of("grid"): 1, rows.number_of("flow"): 1}


LONG = " ".join(f"w{number}" for number in range(rows.MAX_BYTES // 10))
PAGES = [
    Document(100, "Grid 电网", f"{LONG} grid operators {LONG[:99]} 深度学习的方法"),
    *(Document(number, *texts) for number, texts in TEXTS.items()),
]
SAYS = st.sampled_from(
    [
        *(
            "grid",
            '"grid operators"',
            "电网",
            "深度学习",
            '"学习的方法"',
            "w777",
            "w77*",
            "title:grid",
        ),
        *('"operators grid"', "电*", "title:电*", "title:深度学习", "nowhere", "crawler", "力"),
    ]
)


@pytest.fixture(scope="module")
def reference() -> Reference:
    """What every query finds among the pages."""
    return Reference(PAGES)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(parts=st.lists(st.tuples(st.sampled_from(["", "-", "OR "]), SAYS), min_size=1, max_size=5))
def test_pages_too_long_for_a_vector_are_found_like_all_others(
    backend: PostgresBackend, reference: Reference, parts: list[tuple[str, str]]
) -> None:
    if not backend.count():
        backend.index(PAGES)
    try:
        query = parse_query(" ".join(sign + says for sign, says in parts))
    except QueryError:
        return

    result = backend.search(query, limit=None)

    assert {hit.id for hit in result.hits} == reference.find(query.tree)


def test_a_search_may_be_a_part_of_a_transaction(backend: PostgresBackend) -> None:
    with transaction.atomic():
        backend.index([GRID])
        assert found(backend, "grid") == [1]
        assert database.select("SHOW enable_seqscan") == [("on",)]

    assert backend.count() == 1
