"""Plugins declare settings: values are checked wherever they come from, then handed over."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from focusweb.hookspecs import hookimpl
from focusweb.plugin_settings import setting, settings_kind
from focusweb.plugins import MAX_FAILURES, Plugins, load, offers


@dataclass(frozen=True)
class Settings:
    most: int = setting(10, "addresses of a run", lowest=1, highest=50)
    share: float = setting(0.5, "of all addresses")
    folder: str = setting("lists", "where the lists are")
    sorted: bool = setting(False, "best first")

    def __post_init__(self) -> None:
        if self.sorted and self.most > 40:
            raise ValueError("at most 40 addresses can be sorted")


class Lists:
    """A plugin whose part and listener keep the settings that they get."""

    Settings = Settings

    def __init__(self) -> None:
        self.heard: list[Any] = []

    @hookimpl
    def sources(self, settings: Any) -> list[Any]:
        return [SimpleNamespace(name="lists", find=print, settings=settings)]

    @hookimpl
    def run_ended(self, settings: Any) -> None:
        self.heard.append(settings)


def loaded_with(plugin: object, folder: Path, /, **stored: Any) -> Plugins:
    loaded = load((), folder)
    loaded.add(plugin, "lists")
    loaded.states.set_up("lists", stored)
    return loaded


def settings_of_part(loaded: Plugins, **topic: Any) -> Any:
    return offers("sources", loaded, {"lists": topic})["lists"].item.settings


def test_the_topic_goes_before_the_installation_and_that_before_the_default(
    tmp_path: Path,
) -> None:
    loaded = loaded_with(Lists(), tmp_path, most=20, share=0.25)

    assert settings_of_part(loaded, most=30) == Settings(most=30, share=0.25)
    assert settings_of_part(loaded) == Settings(most=20, share=0.25)
    assert loaded.failures == []


def test_a_listener_gets_the_settings_of_the_installation_and_may_leave_out_news(
    tmp_path: Path,
) -> None:
    plugin = Lists()
    loaded = loaded_with(plugin, tmp_path, most=20)

    loaded.notify("run_ended", run_id=7)

    assert plugin.heard == [Settings(most=20)]
    assert loaded.failures == []


@pytest.mark.parametrize(
    ("stored", "sentence"),
    [
        ({"most": 51}, "most must be in [1, 50], got 51"),
        ({"most": 1.5}, "most must be a whole number, got 1.5"),
        ({"most": "ten"}, "most must be a number, got ten"),
        ({"most": True}, "most must be a number, got True"),
        ({"share": float("nan")}, "share must be a number, got nan"),
        ({"sorted": 1}, "sorted must be true or false, got 1"),
        ({"folder": "a\nb"}, "folder must be one line of text of at most 200 characters"),
        ({"folder": 201 * "x"}, "folder must be one line of text of at most 200 characters"),
        ({"depth": 3}, "unknown parameter depth; available: most, share, folder, sorted"),
    ],
)
def test_a_stored_value_of_another_version_is_left_out_and_said(
    tmp_path: Path, stored: dict[str, Any], sentence: str
) -> None:
    loaded = loaded_with(Lists(), tmp_path, **stored)

    for _ in range(MAX_FAILURES):
        assert settings_of_part(loaded) == Settings()

    state = loaded.states.of("lists")
    assert (state.hook, state.error) == ("settings", f"{sentence}; not used")
    assert not state.paused


def test_a_wrong_value_of_a_topic_leaves_the_value_of_the_installation(tmp_path: Path) -> None:
    loaded = loaded_with(Lists(), tmp_path, most=20)

    assert settings_of_part(loaded, most=99) == Settings(most=20)


def test_values_that_do_not_fit_together_give_the_defaults(tmp_path: Path) -> None:
    loaded = loaded_with(Lists(), tmp_path, most=45)

    assert settings_of_part(loaded, sorted=True) == Settings()
    assert loaded.states.of("lists").error == (
        "the settings do not fit together: at most 40 addresses can be sorted; not used"
    )


def test_switching_a_plugin_off_and_on_keeps_its_settings(tmp_path: Path) -> None:
    loaded = loaded_with(Lists(), tmp_path, most=20)

    loaded.states.switch("lists", on=True)
    loaded.states.try_again("lists")

    assert settings_of_part(loaded) == Settings(most=20)


def test_a_file_of_states_with_other_settings_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "states.json").write_text('{"lists": {"on": true, "settings": 7}}')
    loaded = load((), tmp_path)

    assert loaded.states.all() == {}


@dataclass
class Plain:
    most: int = 3


@dataclass
class Foreign:
    # A type that no setting may have.
    most: Any = setting(cast("Any", None), "a list")  # noqa: RUF009  # makes a field


@dataclass
class OutOfRange:
    most: int = setting(60, "too many", highest=50)


@dataclass
class Silent:
    most: int = setting(1, "")


@dataclass
class Required:
    most: int = field(metadata={"focusweb": ("no default", 0, 1)})


@pytest.mark.parametrize(
    ("declared", "error"),
    [
        (7, "Settings must be a dataclass"),
        (Plain, "Settings.most must be made by focusweb.plugin_settings.setting"),
        (Foreign, "Settings.most must be a number, a text, or true or false"),
        (OutOfRange, "Settings: the default of most must be in [0, 50], got 60"),
        (Silent, "Settings.most does not say what it means"),
        (Required, "Settings.most must be a number, a text, or true or false"),
    ],
)
def test_a_plugin_with_settings_that_cannot_work_is_not_loaded(
    tmp_path: Path, declared: object, error: str
) -> None:
    loaded = load((), tmp_path)

    loaded.add(SimpleNamespace(Settings=declared), "lists")

    assert not loaded.manager.has_plugin("lists")
    assert loaded.states.of("lists").error == f"TypeError: {error}"


def test_a_plugin_without_settings_gets_none(tmp_path: Path) -> None:
    class Bare:
        sources = Lists.sources

    loaded = load((), tmp_path)
    loaded.add(Bare(), "lists")

    assert settings_of_part(loaded) is None
    assert settings_kind(Bare()) is None
