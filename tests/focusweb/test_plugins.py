"""Each plugin is called alone; one that fails is named and the others go on."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pluggy
import pytest

from focusweb import hookspecs, plugin_calls, plugins
from focusweb.hookspecs import hookimpl
from focusweb.plugins import Failure, Plugins

ZIGZAG = SimpleNamespace(
    name="zigzag", start=print, rate_seed=print, rate_links=print, integrate=print, choose=print
)


class Good:
    @hookimpl
    def strategies(self) -> Iterable[Any]:
        return [ZIGZAG]


class Raising:
    def __init__(self, error: BaseException) -> None:
        self._error = error

    @hookimpl
    def strategies(self) -> Iterable[Any]:
        raise self._error

    @hookimpl
    def pages_posted(self, run_id: int) -> None:
        raise self._error


class Listening:
    def __init__(self) -> None:
        self.run_ids: list[int] = []

    @hookimpl
    def pages_posted(self, run_id: int) -> None:
        self.run_ids.append(run_id)


class Misshapen:
    @hookimpl
    def strategies(self, colour: str) -> Iterable[Any]:
        return [colour]


class Misspelt:
    @hookimpl
    def strategy(self) -> Iterable[Any]:
        return [ZIGZAG]


class MuteError(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


class MuteItem:
    def __repr__(self) -> str:
        raise ValueError("no looks")


class OddText(str):
    """A text that fails when it is cut or formatted."""

    def __len__(self) -> int:
        raise ValueError("no length")

    def __format__(self, how: str) -> str:
        raise ValueError("no format")


class OddItem:
    def __repr__(self) -> str:
        return OddText("odd")


class Offering:
    def __init__(self, item: object) -> None:
        self._item = item

    @hookimpl
    def strategies(self) -> Iterable[Any]:
        return [self._item]


@pytest.fixture
def loaded(tmp_path: Path) -> Plugins:
    manager = pluggy.PluginManager(hookspecs.MARKER)
    manager.add_hookspecs(hookspecs)
    return Plugins(manager, tmp_path)


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), RecursionError("deep")])
def test_a_plugin_that_raises_is_named_and_skipped(loaded: Plugins, error: BaseException) -> None:
    loaded.add(Raising(error), "bad")
    loaded.add(Good(), "good")

    assert [offer.item.name for offer in loaded.collect("strategies")] == ["zigzag"]
    assert [(failure.plugin, failure.hook) for failure in loaded.failures] == [
        ("bad", "strategies")
    ]


def test_an_error_that_cannot_say_what_it_is_is_named_all_the_same(loaded: Plugins) -> None:
    loaded.add(Raising(MuteError()), "bad")

    assert loaded.collect("strategies") == []
    assert plugin_calls.call_plugin("bad", partial(fail_with, MuteError())) == (
        None,
        "MuteError: its message raises ValueError",
    )
    assert [one.error for one in loaded.failures] == ["MuteError: its message raises ValueError"]


def test_an_item_that_cannot_be_shown_is_left_out_and_named(loaded: Plugins) -> None:
    loaded.add(Offering(MuteItem()), "bad")

    assert loaded.collect("strategies", lambda item: "it is odd") == []
    assert loaded.failures[0].error == (
        "a MuteItem whose repr raises ValueError is not what strategies needs: it is odd"
    )


def test_a_text_with_methods_of_its_own_is_taken_as_plain_text(loaded: Plugins) -> None:
    assert plugin_calls.short_repr(OddItem()) == "odd"
    assert plugin_calls.call_plugin("bad", partial(fail_with, ValueError(OddText("odd"))))[1] == (
        "ValueError: odd"
    )


@pytest.mark.parametrize("character", ["x", "\ud800", "电"])
def test_of_a_long_message_only_the_beginning_is_logged_and_kept(
    loaded: Plugins, caplog: pytest.LogCaptureFixture, character: str
) -> None:
    loaded.add(Raising(ValueError(character * 1_000_000)), "bad")

    loaded.collect("strategies")
    _, problem = plugin_calls.call_plugin(
        "bad", partial(fail_with, ValueError(character * 1_000_000))
    )

    limit = 6 * plugin_calls.MAX_MESSAGE_CHARS + 100
    assert len(problem.encode()) <= limit
    assert len(loaded.failures[0].error.encode()) <= limit
    assert all(len(record.getMessage().encode()) <= 2 * limit for record in caplog.records)
    assert "1000012 characters" in problem


def fail_with(error: BaseException) -> None:
    raise error


def test_ctrl_c_is_no_fault_of_a_plugin(loaded: Plugins) -> None:
    loaded.add(Raising(KeyboardInterrupt()), "bad")

    with pytest.raises(KeyboardInterrupt):
        loaded.collect("strategies")


def test_an_item_of_the_wrong_shape_is_left_out_and_named(loaded: Plugins) -> None:
    loaded.add(Good(), "good")

    assert loaded.collect("strategies", lambda item: "" if isinstance(item, str) else "no") == []
    assert loaded.failures[0].plugin == "good"


@pytest.mark.parametrize("plugin", [Misshapen(), Misspelt()])
def test_a_plugin_with_an_unknown_hook_or_argument_is_named_and_left_out(
    loaded: Plugins, plugin: object
) -> None:
    loaded.add(plugin, "odd")
    loaded.add(Good(), "good")

    assert [offer.plugin for offer in loaded.collect("strategies")] == ["good"]
    assert [(one.plugin, one.hook) for one in loaded.failures] == [("odd", "register")]


def test_news_reaches_every_listener_whatever_another_does(loaded: Plugins) -> None:
    listener = Listening()
    loaded.add(Raising(OSError("away")), "bad")
    loaded.add(listener, "good")

    loaded.notify("pages_posted", run_id=7)

    assert listener.run_ids == [7]
    assert [failure.plugin for failure in loaded.failures] == ["bad"]


def test_of_two_parts_with_one_name_the_first_is_taken_and_the_other_named(
    loaded: Plugins,
) -> None:
    loaded.add(Good(), "first")
    loaded.add(Good(), "second")

    assert plugins.offers("strategies", loaded)["zigzag"].plugin == "first"
    assert loaded.failures == [Failure("second", "strategies", "zigzag is taken by first")]


def test_the_same_failure_is_kept_once(loaded: Plugins) -> None:
    loaded.add(Raising(ValueError("no")), "bad")

    loaded.collect("strategies")
    loaded.collect("strategies")

    assert len(loaded.failures) == 1


@pytest.mark.parametrize("hook", hookspecs.OFFERING)
def test_our_own_parts_register_like_anybodys(hook: str) -> None:
    assert plugins.by_name(hook)
    assert plugins.plugins().failures == []
