"""Hostile plugins on every hook: the plugin is named, and the parts of others are still there."""

from collections.abc import Callable
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


#: What each plugin does, and the beginning of what is noted.
EVIL: dict[str, tuple[Callable[[], Any], str]] = {
    "raises": (raising(RuntimeError("no")), "RuntimeError: no"),
    "exits": (raising(SystemExit(3)), "SystemExit: 3"),
    "silent": (raising(SilentError()), "SilentError: its message raises ValueError"),
    "deep": (raising(RecursionError()), "RecursionError"),
    "out of memory": (lambda: bytearray(1 << 62), "MemoryError"),
    "wrong type": (lambda: 7, "TypeError: 'int' object is not iterable"),
    "nameless": (lambda: [SimpleNamespace()], "namespace() is not what"),
    "writes": (write, "PluginWriteError"),
}
#: What a listener returns is not read.
OF_OFFERS = ("nameless", "wrong type")


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


@pytest.mark.parametrize("evil", EVIL)
@pytest.mark.parametrize("hook", HOOKS)
def test_the_plugin_is_named_and_paused_and_others_stay(
    tmp_path: Path, db: None, settings: Settings, hook: str, evil: str
) -> None:
    if hook in hookspecs.NEWS and evil in OF_OFFERS:
        pytest.skip("what a listener returns is not read")
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
    loaded.add(hostile("judges", lambda: ["x" * (1 << 30)]), "evil")

    call(loaded, "judges")

    assert len(loaded.states.of("evil").error) < 3000


def test_a_hang_is_ended_and_counted(tmp_path: Path) -> None:
    loaded = load((), tmp_path)
    loaded.time_limit_s = lambda hook: 0.1

    _, error = loaded.call("evil", "home_tiles", hang)

    assert error == "PluginTimeoutError: the call lasted too long"
    assert loaded.states.of("evil").error == error
