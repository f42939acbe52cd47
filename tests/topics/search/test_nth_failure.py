"""Let the n-th touch of an index file fail, for every n, until none does."""

import errno
import sys
from pathlib import Path
from typing import Any

import pytest

from crawler.models import IndexOutbox
from tests.topics.search.conftest import Library
from topics.search.consistency import differences
from topics.search.errors import IndexUnusableError
from topics.search.outbox import drain_all, rebuild
from topics.search.query import parse_query
from topics.search.store import IndexStore

EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.symlink")


class NthTouchFails:
    """Fails the n-th time that a file under a folder is opened, renamed or removed."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.nth = self.n_seen = 0

    def watch(self, folder: Path, nth: int) -> None:
        self.folder, self.nth, self.n_seen = folder, nth, 0

    def rest(self) -> None:
        self.folder = None

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.folder is None or event not in EVENTS:
            return
        if not str(arguments[0]).startswith(str(self.folder)):
            return
        self.n_seen += 1
        if self.n_seen == self.nth:
            raise OSError(errno.EIO, "input/output error (on purpose)", str(arguments[0]))


_fault = NthTouchFails()


@pytest.fixture(scope="session")
def _hooked() -> None:
    # A hook can never be taken off again, so there is one for the whole session.
    sys.addaudithook(_fault)


@pytest.fixture
def fault(_hooked: None) -> NthTouchFails:
    _fault.rest()
    return _fault


def change(library: Library, number: int) -> None:
    """A new page and a changed one, for the writer to bring over."""
    crawl = library.crawl(f"crawl {number}")
    library.queue(library.page(crawl, f"new {number}", "Grid", "电网 power"))
    library.page(crawl, "changed", f"Grid {number}")


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("work", [drain_all, rebuild])
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.torture)])
def test_any_failing_touch_leaves_an_index_that_answers_or_is_healed(
    library: Library, store: IndexStore, fault: NthTouchFails, work: Any, step: int
) -> None:
    drain_all(60, store)
    for nth in range(1, 10_000, step):
        change(library, nth)
        fault.watch(store.root, nth)
        try:
            _run(work, store)
        except (OSError, IndexUnusableError):
            pass  # A clear end; the next tick tries again.
        finally:
            n_seen = fault.n_seen
            fault.rest()

        drain_all(60, store)

        assert differences(store.open()) == [], f"touch {nth} of {n_seen}"
        assert IndexOutbox.objects.count() == 0
        assert store.open().search(parse_query("电网")).total == len(range(1, nth + 1, step))
        if n_seen < nth:
            break
    assert nth > 20


def _run(work: Any, store: IndexStore) -> None:
    if work is drain_all:
        drain_all(60, store)
    else:
        rebuild(store)
