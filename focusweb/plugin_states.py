"""Which plugins are switched on or paused, and their last error; one file for all processes."""

import fcntl
import json
import logging
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PluginState:
    """What is stored about a plugin.

    Attributes
    ----------
    on : bool
        Whether a superuser switched it on.
    paused : bool
        Whether it is paused: not called until a user tries it again.
    hook, error : str
        Its last error, and where.
    since_s : float
        When that was, in seconds since 1970.
    settings : dict
        The installation's settings of the plugin, by name.
    """

    on: bool = False
    paused: bool = False
    hook: str = ""
    error: str = ""
    since_s: float = 0.0
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.settings, dict):
            raise TypeError(f"settings must be an object, got {self.settings!r}")


#: A plugin that nothing is stored about.
UNKNOWN = PluginState()


class PluginStates:
    """The file of the states. A file, as plugins load before the tables are up to date."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._version: tuple[int, int] | None = None
        self._states: dict[str, PluginState] = {}

    def of(self, name: str) -> PluginState:
        """Return the state of a plugin, as it is now."""
        return self.all().get(name, UNKNOWN)

    def all(self) -> dict[str, PluginState]:
        """Return every stored state, by the plugin's name."""
        try:
            status = self._file.stat()
        except FileNotFoundError:
            self._version, self._states = None, {}
            return {}
        version = status.st_mtime_ns, status.st_ino
        if version != self._version:
            self._states, self._version = self._read(), version
        return self._states

    def _read(self) -> dict[str, PluginState]:
        try:
            stored = json.loads(self._file.read_text("utf-8"))
            return {str(name): PluginState(**state) for name, state in stored.items()}
        except (ValueError, TypeError, AttributeError) as error:
            logger.error("%s is damaged, so no plugin is on: %s", self._file, error)
            return {}

    def switch(self, name: str, *, on: bool) -> None:
        """Switch a plugin on or off; its errors are forgotten."""
        self._change(name, lambda state: PluginState(on=on, settings=state.settings))

    def try_again(self, name: str) -> None:
        """End a pause."""
        self._change(name, lambda state: PluginState(on=state.on, settings=state.settings))

    def set_up(self, name: str, settings: dict[str, Any]) -> None:
        """Store the installation's settings of a plugin."""
        self._change(name, lambda state: replace(state, settings=settings))

    def note(self, name: str, hook: str, error: str, *, paused: bool = False) -> None:
        """Store a plugin's last error; `paused` stops further calls."""
        before = self.of(name)
        if (before.hook, before.error) == (hook, error) and before.paused >= paused:
            return
        self._change(
            name,
            lambda state: replace(
                state,
                paused=state.paused or paused,
                hook=hook,
                error=error,
                since_s=round(time.time(), 1),
            ),
        )

    def _change(self, name: str, change: Callable[[PluginState], PluginState]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.with_suffix(".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            states = self._read() if self._file.exists() else {}
            states[name] = change(states.get(name, UNKNOWN))
            fresh = self._file.with_suffix(".new")
            fresh.write_text(json.dumps({key: asdict(state) for key, state in states.items()}))
            fresh.replace(self._file)
