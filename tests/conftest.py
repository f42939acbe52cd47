"""What every test starts with."""

import gc

import pytest
from django.utils import translation

from crawler.text.noun_table import must_make_noun_table, noun_table

#: Folders whose tests take seconds each; they also start programs that their tests share.
LONG = frozenset({"browser", "crashes", "simulation"})


def pytest_configure(config: pytest.Config) -> None:
    """Make what all processes of the tests read, before there are many."""
    if not hasattr(config, "workerinput") and must_make_noun_table():
        noun_table()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the long tests first, in the random order they have.

    One process then gets most of them and starts what they share once, and no process is left
    with a long test when all others have ended.
    """
    items.sort(key=lambda item: item.path.parent.name not in LONG)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leave all that is loaded by now out of every later search for garbage.

    That is a large heap: going through it takes time, and makes a process that a test forks copy
    it. Tests that compare times would also measure it.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def language() -> None:
    """Each test begins in the default language.

    A request activates its reader's language for the whole thread, and nothing takes it back
    before the next request: the test after one in Chinese, in whatever order, would read
    Chinese sentences.
    """
    translation.deactivate()
