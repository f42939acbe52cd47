"""Hostile plugins on every hook: the plugin is named, and the parts of others are still there."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_django import Settings

from crawler.models import Site
from focusweb import hookspecs
from focusweb.hookspecs import hookimpl
from focusweb.plugins import MAX_FAILURES, Plugins, load, offers
from tests.crawler.web import NOON


class SilentError(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


def raising(error: BaseException) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


def hang() -> Any:
    while True:
        pass


def write() -> Any:
    return Site.objects.all().delete()


class Failing:
    """A part whose name cannot be read."""

    @property
    def name(self) -> str:
        raise RuntimeError("no name")

    def __repr__(self) -> str:
        return "Failing"


class Bare:
    """A part with a name and nothing else; what else a search provider needs is checked later."""

    name = "bare"
    title = property(lambda self: 1 / 0)

    def __repr__(self) -> str:
        return "Bare"


LONG = "x" * 10_000
#: What each plugin does, and the beginning of what is noted.
EVIL: dict[str, tuple[Callable[[], Any], str]] = {
    "raises": (raising(RuntimeError("no")), "RuntimeError: no"),
    "exits": (raising(SystemExit(3)), "SystemExit: 3"),
    "silent": (raising(SilentError()), "SilentError: its message raises ValueError"),
    "deep": (raising(RecursionError()), "RecursionError"),
    "out of memory": (lambda: bytearray(1 << 62), "MemoryError"),
    "wrong type": (lambda: 7, "TypeError: 'int' object is not iterable"),
    "nameless": (lambda: [SimpleNamespace()], "namespace() is not what"),
    "named by its code": (lambda: [Failing()], "RuntimeError: no name"),
    "bare": (lambda: [Bare()], "Bare is not what"),
    "long name": (lambda: [SimpleNamespace(name=LONG)], "namespace(name='xxx"),
    "without end": (lambda: (Bare() for _ in count()), "ValueError: more than 1000 parts"),
    "writes": (write, "PluginWriteError"),
}
#: What a listener returns is not read.
OF_OFFERS = ("bare", "long name", "named by its code", "nameless", "without end", "wrong type")


def hostile(hook: str, deed: Callable[[], Any]) -> object:
    """A plugin that does this when its hook is called."""
    if hook in hookspecs.OFFERING:
        return SimpleNamespace(**{hook: hookimpl(lambda: deed())})
    names = ", ".join(hookspecs.NEWS[hook])
    space: dict[str, Any] = {"deed": deed}
    return SimpleNamespace(**{hook: hookimpl(eval(f"lambda {names}: deed()", space))})


def call(loaded: Plugins, hook: str) -> None:
    if hook in hookspecs.OFFERING:
        offers(hook, loaded)
    else:
        loaded.notify(hook, **dict.fromkeys(hookspecs.NEWS[hook], 7))


HOOKS = (*hookspecs.OFFERING, *hookspecs.NEWS)


CASES = [
    (hook, evil)
    for hook in HOOKS
    for evil in EVIL
    if (hook in hookspecs.OFFERING or evil not in OF_OFFERS)
    and (hook, evil) != ("search_providers", "bare")  # its shape is checked where it is used
]


@pytest.mark.parametrize(("hook", "evil"), CASES)
def test_the_plugin_is_named_and_paused_and_others_stay(
    tmp_path: Path, db: None, settings: Settings, hook: str, evil: str
) -> None:
    settings.RUN_DIR = tmp_path
    Site.objects.create(name="a.test", domain="a.test", first_seen=NOON)
    deed, noted = EVIL[evil]
    loaded = load((), tmp_path)
    ours = list(offers(hook, loaded)) if hook in hookspecs.OFFERING else []
    loaded.add(hostile(hook, deed), "evil")

    for _ in range(MAX_FAILURES):
        call(loaded, hook)

    state = loaded.states.of("evil")
    assert state.error.startswith(noted)
    assert (state.hook, state.paused) == (hook, True)
    assert {failure.plugin for failure in loaded.failures} == {"evil"}
    if ours:
        assert list(offers(hook, loaded)) == ours
    assert Site.objects.count() == 1


def test_a_text_of_a_gigabyte_is_neither_kept_nor_logged(tmp_path: Path) -> None:
    loaded = load((), tmp_path)
    huge = "x" * (1 << 30)
    for hook in hookspecs.OFFERING:
        loaded.add(hostile(hook, lambda: [huge]), hook)

        call(loaded, hook)

        assert 0 < len(loaded.states.of(hook).error) < 3000


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hang_is_ended_and_counted(tmp_path: Path, hook: str) -> None:
    loaded = load((), tmp_path)
    loaded.time_limit_s = lambda hook: 0.05
    loaded.add(hostile(hook, hang), "evil")

    call(loaded, hook)

    state = loaded.states.of("evil")
    assert (state.hook, state.error) == (hook, "PluginTimeoutError: the call lasted too long")
