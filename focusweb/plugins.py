"""The dispatcher: calls each plugin alone, names the one that fails, goes on.

pluggy keeps the list of plugins and checks their signatures. It would stop at the first error, so
its calls are not used: `collect` calls plugin after plugin.

A plugin is a file `NAME.py` in the plugin folder, or an installed package with an entry
point NAME. Neither is imported until `FOCUSWEB_LOAD_PLUGINS` names it.
"""

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module, metadata, util
from pathlib import Path
from traceback import format_exception
from typing import Any, Final

import pluggy
from django.conf import settings

from focusweb import hookspecs

logger = logging.getLogger(__name__)

ENTRY_POINTS = "focusweb.plugins"

#: Of what a plugin says, so much is written down.
MAX_TOLD_CHARS: Final = 2000
#: Of the calls that led to an error, so many are logged; the last ones.
MAX_FRAMES: Final = 10

#: Our own parts register through the same hooks as anybody's.
BUILT_IN = ("crawler.builtin", "topics.builtin")


@dataclass(frozen=True, slots=True)
class Failure:
    """A plugin that raised, or answered with something of the wrong shape."""

    plugin: str
    hook: str
    error: str


@dataclass(frozen=True, slots=True)
class Offer:
    """What a plugin offers for a hook."""

    plugin: str
    item: Any

    @property
    def is_foreign(self) -> bool:
        """True unless it is a part of our own."""
        return self.plugin not in BUILT_IN


@dataclass(slots=True)
class Plugins:
    """The plugins that are loaded, and what went wrong with any of them."""

    manager: pluggy.PluginManager
    failures: list[Failure] = field(default_factory=list)

    def collect(self, hook: str, accepts: Callable[[Any], bool] = lambda item: True) -> list[Offer]:
        """Everything the plugins offer for a hook, in order of registration.

        An item that `accepts` refuses is left out and named, like a plugin that raises.
        """
        return [
            Offer(name, item)
            for name, function in self._with(hook)
            for item in self._ask(name, hook, lambda: list(function())) or ()  # noqa: B023
            if self._fits(name, hook, item, accepts)
        ]

    def notify(self, hook: str, **news: Any) -> None:
        """Notify each plugin that listens to a hook; one that fails is named."""
        for name, function in self._with(hook):
            self._ask(name, hook, partial(function, **news))

    def _with(self, hook: str) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Each plugin that has a hook, with its function."""
        for name, plugin in self.manager.list_name_plugin():
            function = getattr(plugin, hook, None)
            if function is not None and hasattr(function, f"{hookspecs.MARKER}_impl"):
                yield name, function

    def _ask(self, name: str, hook: str, function: Callable[[], Any]) -> Any:
        answer, error = call_plugin(f"plugin {name} in {hook}", function)
        if error:
            self.note(name, hook, error)
        return answer

    def _fits(self, name: str, hook: str, item: Any, accepts: Callable[[Any], bool]) -> bool:
        if accepts(item):
            return True
        self.note(name, hook, f"{shown(item)} is not what {hook} needs")
        return False

    def note(self, plugin: str, hook: str, error: str) -> None:
        """Remember what went wrong with a plugin; the same thing once."""
        failure = Failure(plugin, hook, error)
        if failure not in self.failures:
            logger.error("plugin %s: %s: %s", plugin, hook, error)
            self.failures.append(failure)

    def add(self, plugin: object, name: str) -> None:
        """Register a plugin; one with a misspelt or misshapen hook is named and skipped."""
        try:
            self.manager.register(plugin, name)
        except (ValueError, pluggy.PluginValidationError) as error:
            self.note(name, "register", str(error))
            return
        try:
            self.manager.check_pending()
        except pluggy.PluginValidationError as error:
            self.manager.unregister(plugin)
            self.note(name, "register", str(error))


def call_plugin(
    name: str, function: Callable[[], Any], *, let_through: tuple[type[Exception], ...] = ()
) -> tuple[Any, str]:
    """What an object that a plugin offered answers, and ""; or None, and what went wrong.

    `let_through` are errors that are not the plugin's, such as those of the database.
    """
    try:
        return function(), ""
    except KeyboardInterrupt:
        raise
    except let_through:
        raise
    except BaseException as error:  # noqa: BLE001  # a plugin may even raise SystemExit
        logger.error("%s failed: %s", name, _traceback(error))
        return None, _told(error)


def _told(error: BaseException) -> str:
    """Name an error and what it says, cut, even if it fails to say it."""
    message = _said(lambda: str(error), "its message raises")
    return _cut(f"{type(error).__name__}: {message}")


def shown(item: Any) -> str:
    """What an item looks like, cut, even if it fails to say it."""
    return _cut(_said(lambda: repr(item), f"a {type(item).__name__} whose repr raises"))


def _said(function: Callable[[], str], failing: str) -> str:
    """A text that a plugin's own code makes, or `failing` and the name of its error."""
    try:
        # A plain copy: the text may be of a class with a length or format of its own.
        return str.__str__(function())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # as in `call_plugin`
        return f"{failing} {type(error).__name__}"


def _traceback(error: BaseException) -> str:
    """Say what an error says and where it was raised, both cut."""
    # Python's own formatter survives an error that fails to say what it is.
    return f"{_told(error)}\n{_cut(''.join(format_exception(error, limit=-MAX_FRAMES)))}"


def writable(text: str) -> str:
    """Return a text with what no file or table takes, lone surrogates and NUL, written out."""
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode("utf-8")


def _cut(text: str) -> str:
    if len(text) <= MAX_TOLD_CHARS:
        return writable(text)
    return f"{writable(text[:MAX_TOLD_CHARS])}... ({len(text)} characters)"


def load(wanted: Sequence[str], folder: Path) -> Plugins:
    """Load our own parts, then the plugins that are wanted by name, in that order."""
    manager = pluggy.PluginManager(hookspecs.MARKER)
    manager.add_hookspecs(hookspecs)
    plugins = Plugins(manager)
    for module in BUILT_IN:
        plugins.add(import_module(module), module)
    for name in wanted:
        plugin, error = call_plugin(f"plugin {name}", partial(_found, name, folder))
        if error:
            plugins.note(name, "import", error)
            continue
        plugins.add(plugin, name)
    return plugins


def _found(name: str, folder: Path) -> object:
    """A plugin by its name: the file of the folder, else what an installed package calls so.

    Raises
    ------
    LookupError
        If there is neither.
    """
    file = folder / f"{name}.py"
    if file.is_file():
        # A name of its own, so that the file takes no other module's place.
        spec = util.spec_from_file_location(f"focusweb_plugin_{name}", file)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[spec.name] = util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    for entry in metadata.entry_points(group=ENTRY_POINTS, name=name):
        plugin: object = entry.load()
        return plugin
    raise LookupError(f"no file {file}, and no installed package offers a plugin of this name")


_loaded: Plugins | None = None


def plugins() -> Plugins:
    """The plugins of this process, loaded once; in safe mode only our own parts."""
    global _loaded
    if _loaded is None:
        wanted = () if settings.SAFE_MODE else settings.LOAD_PLUGINS
        _loaded = load(wanted, settings.PLUGINS_DIR)
    return _loaded


def offers(hook: str, known: Plugins | None = None) -> dict[str, Offer]:
    """What the plugins offer for a hook, by each item's `name`; the first of a name wins."""
    asked = known or plugins()
    found: dict[str, Offer] = {}
    for offer in asked.collect(hook, _has_name):
        name = offer.item.name
        if found.setdefault(name, offer) is not offer:
            asked.note(offer.plugin, hook, f"{name} is taken by {found[name].plugin}")
    return found


def by_name(hook: str) -> dict[str, Any]:
    """The items of `offers`."""
    return {name: offer.item for name, offer in offers(hook).items()}


def _has_name(item: Any) -> bool:
    return isinstance(getattr(item, "name", None), str)
