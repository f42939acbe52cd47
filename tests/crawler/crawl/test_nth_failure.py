"""Let the n-th call to the database or the network fail, for every n, until none does."""

import random
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError, connection

from crawler.checks import invariants
from crawler.crawl import manager
from crawler.crawl.collector import collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.errors import FetchError
from crawler.fetch.config import FetchConfig, build_user_agent, parse_connect_to
from crawler.fetch.deadline import Deadline
from crawler.fetch.door import Door
from crawler.fetch.route import open_socket
from crawler.models import Crawl, Harvest, IndexOutbox, Page, Run, Site
from crawler.reasons import Reason
from crawler.store.frontier import leases
from tests.crawler.conftest import make_run
from tests.crawler.fetch.bad_server import BadServer
from tests.crawler.web import NOON, PAGES, SEED, PaperWeb

WRITES = ("INSERT", "UPDATE", "DELETE")
READS = ("SELECT",)


class NthStatementFails:
    """An execute wrapper that raises once, at the n-th statement of a kind."""

    def __init__(self, nth: int, verbs: tuple[str, ...]) -> None:
        self._nth = nth
        self._verbs = verbs
        self.n_seen = 0

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        if sql.startswith(self._verbs):
            self.n_seen += 1
            if self.n_seen == self._nth:
                raise OperationalError("disk I/O error (on purpose)")
        return execute(sql, params, many, context)


class _FullAtCommit:
    """The database's connection, with a disk that is full at the n-th COMMIT."""

    def __init__(self, real: Any, nth: int) -> None:
        # Past our own __setattr__.
        self.__dict__.update(real=real, nth=nth, n_seen=0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.real, name, value)

    def commit(self) -> None:
        self.__dict__["n_seen"] += 1
        if self.n_seen == self.nth:
            # Django's stubs do not know the module of the driver.
            database: Any = connection
            raise database.Database.OperationalError("disk is full (on purpose)")
        self.real.commit()


@contextmanager
def full_at_commit(nth: int) -> Iterator[_FullAtCommit]:
    """Have the n-th COMMIT from here on fail."""
    connection.ensure_connection()
    real = connection.connection
    connection.connection = fault = _FullAtCommit(real, nth)
    try:
        yield fault
    finally:
        connection.connection = real


def crawl_with_failure(run: Run, fault: AbstractContextManager[Any]) -> int:
    """Crawl by turns; who fails is dead, and what it held is taken back. How many failed."""
    now, n_failed = NOON, 0
    with fault:
        for turn in range(60):
            now += timedelta(seconds=1)
            try:
                board = DatabaseBlackboard(run, "manager")
                manager.start(board, [SEED], now)
                manager.integrate(board, now)
                manager.plan(board, now, BatchLimits(), random.Random(turn))
                taken = collect(board, PaperWeb(), f"collector {turn}", partial(_same, now))
                run.refresh_from_db()
                if taken is None and run.ended is not None:
                    return n_failed
            except OperationalError:
                n_failed += 1
                assert_no_page_is_half_there()
                leases.expire(now, lambda owner: True, lambda site: 0.0)
    raise AssertionError("the crawl does not end")


def _same(now: datetime) -> datetime:
    return now


def check_after_failure(nth: int, verbs: tuple[str, ...]) -> int:
    """Crawl with one failure, then forget it all; how many statements there were."""
    fault = NthStatementFails(nth, verbs)

    n_failed = crawl_with_failure(make_run(), connection.execute_wrapper(fault))

    assert n_failed == (nth <= fault.n_seen), f"{verbs} {nth} of {fault.n_seen}"
    assert_all_is_there_and_forget_it()
    return fault.n_seen


def assert_no_page_is_half_there() -> None:
    """A page, its judgement and its place in the index's outbox come together."""
    pages = set(Page.objects.values_list("pk", flat=True))
    assert set(IndexOutbox.objects.values_list("page_id", flat=True)) == pages
    assert set(Harvest.objects.values_list("url_id", flat=True)) == pages


def assert_all_is_there_and_forget_it() -> None:
    """The crawl is whole; the tables are empty afterwards."""
    assert_no_page_is_half_there()
    assert list(invariants.frontier_breaches(NOON + timedelta(hours=1))) == []
    assert list(invariants.silent_ends()) == []
    assert set(Page.objects.values_list("url__url", flat=True)) == set(PAGES)
    assert Harvest.objects.count() == len(PAGES)
    for model in (IndexOutbox, Crawl, Site):
        model.objects.all().delete()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("verbs", "step"),
    [
        (WRITES, 7),
        (READS, 150),
        pytest.param(WRITES, 1, marks=pytest.mark.torture),
        pytest.param(READS, 1, marks=pytest.mark.torture),
    ],
)
def test_any_failing_statement_leaves_a_crawl_that_ends_whole(
    verbs: tuple[str, ...], step: int
) -> None:
    n_statements = check_after_failure(10_000, verbs)
    assert n_statements > 50

    for nth in range(1, n_statements + 1, step):
        check_after_failure(nth, verbs)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.torture)])
def test_a_disk_full_at_any_commit_leaves_nothing_half_saved(step: int) -> None:
    n_commits = commits_of_a_crawl(failing=0)
    assert n_commits > 15

    for nth in range(1, n_commits + 1, step):
        commits_of_a_crawl(failing=nth)


def commits_of_a_crawl(failing: int) -> int:
    """Crawl with one commit failing, or none for 0, then forget it all; how many there were."""
    run = make_run()
    with full_at_commit(failing) as fault:
        n_failed = crawl_with_failure(run, nullcontext())

    assert n_failed == (failing > 0), f"commit {failing} of {fault.n_seen}"
    assert_all_is_there_and_forget_it()
    return int(fault.n_seen)


class NthCallFails:
    """A socket whose n-th send or receive, counted over all sockets, fails."""

    def __init__(self, nth: int) -> None:
        self.nth = nth
        self.n_seen = 0

    def open(self, address: str, port: int, budget: Deadline) -> socket.socket:
        self.pass_call()
        return _Failing(open_socket(address, port, budget), self)

    def pass_call(self) -> None:
        self.n_seen += 1
        if self.n_seen == self.nth:
            raise OSError("connection reset (on purpose)")


class _Failing(socket.socket):
    def __init__(self, real: socket.socket, plan: NthCallFails) -> None:
        super().__init__(real.family, real.type, real.proto, fileno=real.detach())
        self._plan = plan

    def recv_into(self, *args: Any, **options: Any) -> int:
        self._plan.pass_call()
        return super().recv_into(*args, **options)

    def recv(self, *args: Any, **options: Any) -> bytes:
        self._plan.pass_call()
        return super().recv(*args, **options)

    def sendall(self, *args: Any, **options: Any) -> None:
        self._plan.pass_call()
        super().sendall(*args, **options)


@pytest.fixture
def server() -> Iterator[BadServer]:
    with BadServer() as server:
        server.page("/", b"solar cells " * 40_000)
        yield server


def test_any_failing_socket_call_is_a_reason_or_a_second_try(server: BadServer) -> None:
    config = FetchConfig(
        user_agent=build_user_agent("https://contact.example/about"),
        connect_to=parse_connect_to(f"*.test=127.0.0.1:{server.port}"),
    )
    seen: list[int | Reason] = []
    for nth in range(1, 200):
        plan = NthCallFails(nth)
        with Door(config, opener=plan.open) as door:
            for _ in range(2):  # the second time on a kept connection
                try:
                    seen.append(door.fetch("http://a.test/").status)
                except FetchError as error:
                    seen.append(error.reason)
            n_calls, plan.nth = plan.n_seen, 0
            assert door.fetch("http://a.test/").status == 200, "the door still works"
        if n_calls < nth:
            break
    else:
        raise AssertionError("there is no end of calls")

    assert nth > 6
    assert set(seen) <= {200, Reason.CONNECT_FAILED, Reason.INCOMPLETE, Reason.BAD_RESPONSE}
    assert set(seen) > {200}
