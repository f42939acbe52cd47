"""The plugins that are found, and the state of each, for the users who may switch them."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from importlib import metadata
from pathlib import Path

from django.conf import settings

from focusweb.plugin_files import ENTRY_POINTS
from focusweb.plugin_states import PluginState
from focusweb.plugins import chosen_plugins, plugins

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


class PluginStatus(StrEnum):
    """What a plugin does at the moment."""

    OFF = "off"
    ON = "on"
    #: It is not called until a user tries it again.
    PAUSED = "paused"
    #: It could not be loaded.
    FAILED = "failed"
    #: It is wanted, and there is no such file or package.
    MISSING = "missing"
    #: Safe mode: it is switched on, and not loaded.
    SAFE = "safe"


@dataclass(frozen=True, slots=True)
class PluginRow:
    """One plugin.

    Attributes
    ----------
    name, about : str
        `about` is the first line of its docstring.
    package : str
        The installed package and its version; "" for a file.
    hook, error : str
        Its last error, and in which hook.
    since : datetime or None
        When that was.
    has_settings : bool
        Whether it is loaded and declares settings.
    """

    name: str
    about: str
    package: str
    state: PluginStatus
    hook: str
    error: str
    since: datetime | None
    has_settings: bool

    @property
    def is_wanted(self) -> bool:
        """Whether it is switched on."""
        return self.state is not PluginStatus.OFF


def plugin_rows() -> list[PluginRow]:
    """Return every plugin that is found or wanted, by name."""
    known = plugins()
    found = {name: (about, package) for name, about, package in _found(known.folder)}
    stored = known.states.all()
    wanted = set(chosen_plugins())
    return [
        _row(name, found.get(name), stored.get(name, PluginState()), is_wanted=name in wanted)
        for name in sorted(found.keys() | wanted)
    ]


def plugins_in_trouble() -> list[PluginRow]:
    """Wanted plugins that are paused, missing, or had an error since the last *try again*."""
    stored = plugins().states.all()
    named = set(settings.LOAD_PLUGINS)
    if not any(state.error and (state.on or name in named) for name, state in stored.items()):
        return []
    return [row for row in plugin_rows() if row.error and row.is_wanted]


def _row(
    name: str, found: tuple[str, str] | None, stored: PluginState, *, is_wanted: bool
) -> PluginRow:
    about, package = found or ("", "")
    if not is_wanted:
        state = PluginStatus.OFF
    elif settings.SAFE_MODE:
        state = PluginStatus.SAFE
    elif found is None:
        state = PluginStatus.MISSING
    elif stored.paused:
        state = PluginStatus.PAUSED
    else:
        state = PluginStatus.ON if plugins().manager.has_plugin(name) else PluginStatus.FAILED
    has = name in plugins().settings
    since = datetime.fromtimestamp(stored.since_s, UTC) if stored.error else None
    return PluginRow(name, about, package, state, stored.hook, stored.error, since, has)


def _found(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Name, first line and package of each plugin. A file replaces a package of its name."""
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        if _NAME.fullmatch(entry.name):
            package = entry.dist
            about = (package.metadata["Summary"] or "") if package else ""
            yield entry.name, about, f"{package.name} {package.version}" if package else ""
    for file in sorted(folder.glob("*.py")) if folder.is_dir() else ():
        if _NAME.fullmatch(file.stem):
            yield file.stem, _first_line(file), ""


def _first_line(file: Path) -> str:
    """A file's description of itself, without running it."""
    try:
        docstring = ast.get_docstring(ast.parse(file.read_bytes())) or ""
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ""  # Its error is shown when a user switches it on.
    return docstring.partition("\n")[0][:200]
