"""The dispatcher: calls each plugin alone, names the one that fails, goes on.

pluggy keeps the list of plugins and checks their signatures. It would stop at the
first error, so its calls are not used: `collect` asks plugin after plugin.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module, metadata
from typing import Any

import pluggy

from focusweb import hookspecs

logger = logging.getLogger(__name__)

ENTRY_POINTS = "focusweb.plugins"

#: Our own parts register through the same hooks as anybody's.
BUILT_IN = ("crawler.builtin", "topics.builtin")


@dataclass(frozen=True, slots=True)
class Failure:
    """A plugin that raised, or answered with something of the wrong shape."""

    plugin: str
    hook: str
    error: str


@dataclass(slots=True)
class Plugins:
    """The plugins that are loaded, and what went wrong with any of them."""

    manager: pluggy.PluginManager
    failures: list[Failure] = field(default_factory=list)

    def collect(self, hook: str, accepts: Callable[[Any], bool] = lambda item: True) -> list[Any]:
        """Everything the plugins offer for a hook, in order of registration.

        An item that `accepts` refuses is left out and named, like a plugin that raises.
        """
        found: list[Any] = []
        for name, plugin in self.manager.list_name_plugin():
            function = getattr(plugin, hook, None)
            if function is None or not hasattr(function, f"{hookspecs.MARKER}_impl"):
                continue
            found.extend(item for item in self._ask(name, hook, function) if self._fits(
                name, hook, item, accepts))  # fmt: skip
        return found

    def tell(self, hook: str, **news: Any) -> None:
        """Tell each plugin that listens to a hook; one that fails is named."""
        for name, plugin in self.manager.list_name_plugin():
            function = getattr(plugin, hook, None)
            if function is not None and hasattr(function, f"{hookspecs.MARKER}_impl"):
                self._ask(name, hook, partial(_tell, function, news))

    def _ask(self, name: str, hook: str, function: Callable[[], Iterable[Any]]) -> list[Any]:
        try:
            return list(function())
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may even raise SystemExit
            logger.exception("plugin %s failed in %s", name, hook)
            self._note(name, hook, f"{type(error).__name__}: {error}")
            return []

    def _fits(self, name: str, hook: str, item: Any, accepts: Callable[[Any], bool]) -> bool:
        if accepts(item):
            return True
        self._note(name, hook, f"{item!r} is not what {hook} needs")
        return False

    def _note(self, plugin: str, hook: str, error: str) -> None:
        failure = Failure(plugin, hook, error)
        if failure not in self.failures:
            logger.error("plugin %s: %s: %s", plugin, hook, error)
            self.failures.append(failure)

    def add(self, plugin: object, name: str) -> None:
        """Register a plugin; one with a misspelt or misshapen hook is named and skipped."""
        try:
            self.manager.register(plugin, name)
        except (ValueError, pluggy.PluginValidationError) as error:
            self._note(name, "register", str(error))


def ask_alone(
    name: str, function: Callable[[], Any], *, let_through: tuple[type[Exception], ...] = ()
) -> tuple[Any, str]:
    """What an object that a plugin offered answers, and ""; or None, and what went wrong.

    `let_through` are errors that are not the plugin's, such as those of the database.
    """
    try:
        return function(), ""
    except let_through:
        raise
    except Exception as error:  # whatever a plugin does
        logger.exception("%s failed", name)
        return None, f"{type(error).__name__}: {error}"


def _tell(function: Callable[..., None], news: Mapping[str, Any]) -> Iterable[Any]:
    function(**news)
    return ()


def load(*, safe_mode: bool = False, enabled: frozenset[str] = frozenset()) -> Plugins:
    """Load our own parts and, unless in safe mode, the plugins that are enabled by name."""
    manager = pluggy.PluginManager(hookspecs.MARKER)
    manager.add_hookspecs(hookspecs)
    plugins = Plugins(manager)
    for module in BUILT_IN:
        plugins.add(import_module(module), module)
    if safe_mode:
        return plugins
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        if entry.name not in enabled:
            continue
        try:
            plugin = entry.load()
        except Exception as error:  # whatever a foreign module does on import
            logger.exception("plugin %s could not be loaded", entry.name)
            plugins.failures.append(Failure(entry.name, "import", f"{error}"))
            continue
        plugins.add(plugin, entry.name)
    return plugins


_loaded: Plugins | None = None


def plugins() -> Plugins:
    """The plugins of this process, loaded once."""
    global _loaded
    if _loaded is None:
        _loaded = load()
    return _loaded


def by_name(hook: str) -> dict[str, Any]:
    """What the plugins offer for a hook, by each item's `name`; the first of a name wins."""
    items: dict[str, Any] = {}
    for item in plugins().collect(hook, lambda item: isinstance(getattr(item, "name", None), str)):
        items.setdefault(item.name, item)
    return items
