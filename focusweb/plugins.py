"""The dispatcher: calls each plugin alone, names the one that fails, goes on.

pluggy keeps the list of plugins and checks their signatures. It would stop at the first error, so
its calls are not used: `collect` calls plugin after plugin.

A plugin is a file `NAME.py` in the plugin folder, or an installed package with an entry
point NAME. Neither is imported until it is switched on, or `FOCUSWEB_LOAD_PLUGINS` names it.
"""

import logging
import os
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pluggy
from django.conf import settings

from focusweb import hookspecs
from focusweb.parameters import ParameterProblem, find_problems
from focusweb.part_shapes import shape_problem
from focusweb.plugin_calls import CallMarks, TimeLimit, call_plugin, short_repr
from focusweb.plugin_files import PluginSource, find_plugin
from focusweb.plugin_reads import read_only
from focusweb.plugin_settings import SettingsKind, Values, settings_kind
from focusweb.plugin_states import PluginState, PluginStates

logger = logging.getLogger(__name__)

#: In the plugin folder.
STATES_FILE = "states.json"

#: Our own parts register through the same hooks as plugins.
BUILT_IN = ("crawler.builtin", "crawler.page.builtin", "topics.builtin")

#: A plugin that fails this often within this time is paused. A slow call counts as a failure.
MAX_FAILURES: Final = 5
FAILURES_WITHIN_S: Final = 600.0
#: A call that lasts longer than this share of its time limit is slow.
SLOW_SHARE: Final = 0.2
#: Most parts that a plugin may offer for a hook.
MAX_PARTS: Final = 1000
#: What a call of a paused plugin answers as its error.
PAUSED: Final = "the plugin is paused"
#: The hook of an error that came before any hook was called.
LOADING: Final = "import"
#: The hook of a stored setting that the plugin does not allow.
SETTINGS: Final = "settings"
#: Settings of one topic, by the name of the plugin.
TopicSettings = Mapping[str, Values]

_TIME_LIMIT = TimeLimit()


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
    folder: Path
    failures: list[Failure] = field(default_factory=list)
    states: PluginStates = field(init=False)
    marks: CallMarks = field(init=False)
    process: int = field(default_factory=os.getpid)
    #: How long a call of each hook may last.
    time_limit_s: Callable[[str], float] = hookspecs.time_limit_s
    #: Of the loaded plugins that declare settings.
    settings: dict[str, SettingsKind] = field(default_factory=dict)
    _failed_at: dict[str, deque[float]] = field(
        default_factory=lambda: defaultdict(lambda: deque(maxlen=MAX_FAILURES))
    )
    _tried: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.states = PluginStates(self.folder / STATES_FILE)
        self.marks = CallMarks(self.folder / "calls")

    def collect(
        self,
        hook: str,
        problem_with: Callable[[Any], str] = lambda item: "",
        topic: TopicSettings = MappingProxyType({}),
    ) -> list["Offer"]:
        """Return everything the plugins offer for a hook, in order of registration.

        An item with a problem is left out and named, like a plugin that raises. A plugin
        that declares settings gets those of the `topic`, or of the installation.
        """
        return [
            Offer(name, item, hook, self)
            for name, function in self._with(hook, topic, {})
            for item in self.call(name, hook, partial(_as_list, function))[0] or ()
            if self._fits(name, hook, item, problem_with)
        ]

    def notify(self, hook: str, **news: Any) -> None:
        """Notify each plugin that listens to a hook; one that fails is named."""
        for name, function in self._with(hook, {}, news):
            self.call(name, hook, function)

    def call(
        self,
        plugin: str,
        hook: str,
        function: Callable[[], Any],
        let_through: tuple[type[Exception], ...] = (),
    ) -> tuple[Any, str]:
        """Return what a part of a plugin answers, and ""; or None, and what went wrong."""
        name = f"plugin {plugin} in {hook}"
        if plugin in BUILT_IN:
            answer, error = call_plugin(name, function, let_through=let_through)
        elif (state := self.states.of(plugin)).paused and hook != LOADING:
            return None, f"{PAUSED}: {state.error}"
        else:
            limit_s, began_s = self.time_limit_s(hook), time.monotonic()
            limited = partial(self._alone, plugin, hook, function, limit_s)
            answer, error = call_plugin(name, limited, let_through=let_through)
            took_s = time.monotonic() - began_s
            if not error and took_s > SLOW_SHARE * limit_s:
                self.count_failure(plugin, hook, f"slow: more than {SLOW_SHARE * limit_s:.0f} s")
        if error:
            self.count_failure(plugin, hook, error)
        return answer, error

    def _alone(self, plugin: str, hook: str, function: Callable[[], Any], limit_s: float) -> Any:
        with self.marks.marked(plugin, hook), read_only():
            return _TIME_LIMIT.run(function, limit_s)

    def _with(
        self, hook: str, topic: TopicSettings, news: Mapping[str, Any]
    ) -> Iterator[tuple[str, Callable[[], Any]]]:
        """Each plugin that has a hook, with its function and the arguments that it takes."""
        for name, plugin in self.manager.list_name_plugin():
            for one in getattr(self.manager.hook, hook).get_hookimpls():
                if one.plugin is plugin:
                    yield name, partial(self._answer, name, one, topic, news)

    def _answer(
        self, name: str, one: pluggy.HookImpl, topic: TopicSettings, news: Mapping[str, Any]
    ) -> Any:
        given = {key: value for key, value in news.items() if key in one.argnames}
        if "settings" in one.argnames:
            given["settings"] = self._settings_of(name, topic)
        return one.function(**given)

    def _settings_of(self, name: str, topic: TopicSettings) -> Any:
        """What a plugin declares as its settings, with the values that hold for a topic."""
        kind = self.settings.get(name)
        if kind is None:
            return None
        made, problems = kind.read(self.states.of(name).settings, topic.get(name, {}))
        for problem in problems:
            failure = Failure(name, SETTINGS, f"{problem}; not used")
            if failure not in self.failures:
                self.note(*astuple(failure))
        return made

    def _fits(self, name: str, hook: str, item: Any, problem_with: Callable[[Any], str]) -> bool:
        # To read an item may run code of its plugin, too.
        problem, error = self.call(name, hook, partial(_unfit, hook, item, problem_with))
        if problem:
            self.count_failure(name, hook, problem)
        return not problem and not error

    def note(self, plugin: str, hook: str, error: str) -> None:
        """Remember what went wrong with a plugin; the same thing once."""
        failure = Failure(plugin, hook, error)
        if failure not in self.failures:
            logger.error("plugin %s: %s: %s", plugin, hook, error)
            self.failures.append(failure)
        if plugin not in BUILT_IN:
            self.states.note(plugin, hook, error)

    def count_failure(self, plugin: str, hook: str, error: str) -> None:
        """Note a failure, and pause the plugin if it fails too often."""
        self.note(plugin, hook, error)
        if plugin in BUILT_IN:
            return
        failed_at, now_s = self._failed_at[plugin], time.monotonic()
        failed_at.append(now_s)
        often = len(failed_at) == MAX_FAILURES and now_s - failed_at[0] < FAILURES_WITHIN_S
        if often:
            logger.error("plugin %s is paused", plugin)
            self.states.note(plugin, hook, error, paused=True)
            failed_at.clear()

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
            return
        kind, wrong = self.call(name, LOADING, lambda: settings_kind(plugin))
        if wrong:
            self.manager.unregister(plugin)
        elif kind is not None:
            self.settings[name] = kind

    def choose(self, wanted: Sequence[str]) -> None:
        """Load the plugins that are wanted by name, and drop the others.

        One that could not be loaded is tried again once its error was cleared.
        """
        for name in [name for name in self.loaded() if name not in wanted]:
            self.manager.unregister(name=name)
            self.settings.pop(name, None)
        for name in wanted:
            if self.manager.has_plugin(name):
                continue
            state = self.states.of(name)
            if name not in self._tried or not state.error:
                self._tried.add(name)
                self._load(name)
                if self.manager.has_plugin(name) and state.hook in (LOADING, "register"):
                    self.states.try_again(name)

    def _load(self, name: str) -> None:
        plugin, error = self.call(name, LOADING, partial(find_plugin, name, self.folder))
        if not error:
            self.add(plugin, name)

    def loaded(self) -> list[str]:
        """Return the names of the loaded plugins, without our own parts."""
        return [name for name, _ in self.manager.list_name_plugin() if name not in BUILT_IN]

    def with_topic_settings(self) -> dict[str, SettingsKind]:
        """The declared settings of loaded plugins that offer parts of a topic, by their name."""
        return {
            name: self.settings[name]
            for name, plugin in self.manager.list_name_plugin()
            if name in self.settings
            and not hookspecs.OF_TOPIC.isdisjoint(
                caller.name for caller in self.manager.get_hookcallers(plugin) or ()
            )
        }

    def sources_of(self, hooks: Iterable[str]) -> tuple[PluginSource, ...]:
        """Return what another process needs to load the plugins with one of these hooks.

        A paused plugin is left out.
        """
        found: dict[str, PluginSource] = {}
        for hook in hooks:
            for one in getattr(self.manager.hook, hook).get_hookimpls():
                name = one.plugin_name
                if name in BUILT_IN:
                    found[name] = PluginSource(name, is_own=True)
                elif not (state := self.states.of(name)).paused:
                    file = getattr(one.plugin, "__file__", None) or ""
                    found[name] = PluginSource(name, file=file, settings=state.settings)
        return tuple(found.values())

    def pause(self, plugin: str, hook: str) -> None:
        """Pause a plugin in whose call a process ended: it would end the next one, too."""
        self.states.note(plugin, hook, "the process ended during the call", paused=True)

    def pause_after_crash(self) -> None:
        """Pause each plugin in whose call a process ended."""
        for plugin, hook in self.marks.of_ended_processes():
            self.pause(plugin, hook)


@dataclass(frozen=True, slots=True)
class Offer:
    """What a plugin offers for a hook."""

    plugin: str
    item: Any
    hook: str
    plugins: Plugins

    @property
    def is_foreign(self) -> bool:
        """True unless it is a part of our own."""
        return self.plugin not in BUILT_IN

    def call(
        self, function: Callable[[], Any], let_through: tuple[type[Exception], ...] = ()
    ) -> tuple[Any, str]:
        """Return what the item answers, and ""; or None, and what went wrong."""
        return self.plugins.call(self.plugin, self.hook, function, let_through)

    def problems_with(self, given: Values) -> list[ParameterProblem]:
        """Hold values against the parameters of a strategy or judge, whatever its rules raise."""
        problems, error = self.call(lambda: list(find_problems(self.item, given)))
        return [ParameterProblem("", "%(error)s", {"error": error})] if error else problems


def _as_list(function: Callable[[], Iterable[Any]]) -> list[Any]:
    """Return what a hook answers; a generator runs here, within the plugin's call."""
    parts = list(islice(function(), MAX_PARTS + 1))
    if len(parts) > MAX_PARTS:
        raise ValueError(f"more than {MAX_PARTS} parts")
    return parts


def _unfit(hook: str, item: Any, problem_with: Callable[[Any], str]) -> str:
    """Say why an item is left out; "" if it is not."""
    problem = problem_with(item)
    return f"{short_repr(item)} is not what {hook} needs: {problem}" if problem else ""


def load(wanted: Sequence[str], folder: Path) -> Plugins:
    """Load our own parts, then the plugins that are wanted by name, in that order."""
    manager = pluggy.PluginManager(hookspecs.MARKER)
    manager.add_hookspecs(hookspecs)
    plugins = Plugins(manager, folder)
    for module in BUILT_IN:
        plugins.add(import_module(module), module)
    plugins.pause_after_crash()
    plugins.choose(wanted)
    return plugins


_loaded: Plugins | None = None


def plugins() -> Plugins:
    """Return the plugins of this process; in safe mode only our own parts."""
    global _loaded
    here = (os.getpid(), settings.PLUGINS_DIR)
    if _loaded is None or (_loaded.process, _loaded.folder) != here:
        _loaded = load((), settings.PLUGINS_DIR)
    _loaded.choose(_wanted(_loaded.states))
    return _loaded


def chosen_plugins() -> list[str]:
    """Return the plugins that the operator named, else those that are switched on."""
    return _chosen(PluginStates(settings.PLUGINS_DIR / STATES_FILE).all())


def wanted_plugins() -> list[str]:
    """Return the plugins to load: the chosen ones, but none in safe mode."""
    return _wanted(PluginStates(settings.PLUGINS_DIR / STATES_FILE))


def _wanted(states: PluginStates) -> list[str]:
    if settings.SAFE_MODE:
        return []
    stored = states.all()
    # Importing one in which a process ended would end this one, too.
    deadly = {name for name, state in stored.items() if state.paused and state.hook == LOADING}
    return [name for name in _chosen(stored) if name not in deadly]


def _chosen(stored: Mapping[str, PluginState]) -> list[str]:
    return settings.LOAD_PLUGINS or [name for name, state in stored.items() if state.on]


def offers(
    hook: str, known: Plugins | None = None, topic: TopicSettings = MappingProxyType({})
) -> dict[str, Offer]:
    """Return what the plugins offer for a hook, by each item's `name`; the first of a name wins."""
    registry = known or plugins()
    found: dict[str, Offer] = {}
    for offer in registry.collect(hook, partial(shape_problem, hook), topic):
        name = str(offer.item.name)
        if found.setdefault(name, offer) is not offer:
            registry.note(offer.plugin, hook, f"{name} is taken by {found[name].plugin}")
    return found


def by_name(hook: str) -> dict[str, Any]:
    """Return the items of `offers`."""
    return {name: offer.item for name, offer in offers(hook).items()}
