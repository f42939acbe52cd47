"""Plugins in a process that parses pages: each is called alone, within a time, and checked.

No Django here, and no tables: the process is confined. What goes wrong is sent to the parent.
"""

import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import pluggy

from crawler.page.extractors import (
    MAX_MARKUP_CHARS,
    Document,
    Extract,
    Extractor,
    LanguageReader,
    PageReaders,
)
from crawler.sandbox.wire import PageSetup, PluginFailure
from focusweb import hookspecs
from focusweb.plugin_calls import PluginTimeoutError, call_plugin, short_repr
from focusweb.plugin_files import PluginSource, find_plugin, load_file
from focusweb.plugin_settings import settings_kind

#: The hook of an error that came before any hook was called.
LOADING: Final = "import"
_LOADING_LIMIT_S: Final = 10.0
#: A call that takes more than this share of its processor time is slow.
_SLOW_SHARE: Final = 0.2
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}|")

T = TypeVar("T")
Part = TypeVar("Part", Extractor, LanguageReader)


class PagePlugins:
    """The readers of pages that a set-up names, and what went wrong with those of plugins."""

    def __init__(self, setup: PageSetup, announce: Callable[[bytes], None]) -> None:
        self._setup, self._announce = setup, announce
        self._failures: list[PluginFailure] = []
        #: The plugin, and its hook, whose answer is being read; b"" for none.
        self._at_fault = b""
        self._manager = pluggy.PluginManager(hookspecs.MARKER)
        self._manager.add_hookspecs(hookspecs)
        self._settings: dict[str, Any] = {}
        signal.signal(signal.SIGALRM, _end_call)
        signal.signal(signal.SIGPROF, _end_call)
        for source in setup.plugins:
            self._load(source)
        self.readers = PageReaders(
            self._offered("extractors", _GuardedExtractor),
            self._offered("language_readers", _GuardedLanguageReader),
        )

    def new_failures(self) -> list[PluginFailure]:
        """Return what went wrong since the last call of this."""
        failures, self._failures = self._failures, []
        return failures

    def end_page(self) -> None:
        """Say that no answer of a plugin is being read any more, if one was."""
        if self._at_fault:
            self._at_fault = b""
            self._announce(b"")

    def call(
        self, plugin: str, hook: str, function: Callable[[], T], *, read_later: bool = False
    ) -> T | None:
        """Return what a plugin answers; None if it fails, which is noted.

        With `read_later` it is at fault if the process ends before `end_page`, outside of other
        calls: of the answers of extractors the first is read.
        """
        limit_s = _LOADING_LIMIT_S if hook == LOADING else self._setup.cpu_limit_s
        within = partial(_within, function, limit_s, self._setup.time_limit_s)
        name = f"{plugin}\n{hook}".encode(errors="replace")
        self._announce(name)
        began_s = time.process_time()
        answer, error = call_plugin(f"plugin {plugin} in {hook}", within)
        if not error and time.process_time() - began_s > _SLOW_SHARE * limit_s:
            error = f"slow: more than {_SLOW_SHARE * limit_s:g} s"
        if error:
            self._failures.append((plugin, hook, error))
        if read_later and answer is not None:
            self._at_fault = self._at_fault or name
        self._announce(self._at_fault)
        return answer

    def _load(self, source: PluginSource) -> None:
        if source.is_own:
            self._manager.register(import_module(source.name), source.name)
            return

        def load() -> bool:
            plugin = _found(source, Path(self._setup.folder))
            kind = settings_kind(plugin)
            self._settings[source.name] = kind and kind.read(source.settings, {})[0]
            self._manager.register(plugin, source.name)
            return True

        self.call(source.name, LOADING, load)

    def _offered(self, hook: str, guard: "_Guard[Part]") -> list[Part]:
        """The parts for a hook: those of plugins, guarded, and then our own."""
        own: list[Part] = []
        foreign: list[Part] = []
        for one in getattr(self._manager.hook, hook).get_hookimpls():
            if self._is_own(one.plugin_name):
                own += cast("list[Part]", one.function())
        taken = {part.name for part in own}
        for plugin, part in self._foreign(hook):
            guarded = self.call(plugin, hook, partial(_guarded, self, hook, plugin, guard, part))
            if guarded and guarded.name in taken:
                self._failures.append((plugin, hook, f"{guarded.name} is taken"))
            elif guarded:
                taken.add(guarded.name)
                foreign.append(guarded)
        return foreign + own

    def _foreign(self, hook: str) -> Iterator[tuple[str, object]]:
        for one in getattr(self._manager.hook, hook).get_hookimpls():
            name = one.plugin_name
            if not self._is_own(name):
                given = {"settings": self._settings[name]} if "settings" in one.argnames else {}
                parts = self.call(name, hook, partial(_as_list, partial(one.function, **given)))
                yield from ((name, part) for part in parts or ())

    def _is_own(self, name: str) -> bool:
        return any(source.is_own for source in self._setup.plugins if source.name == name)


@dataclass(slots=True)
class _GuardedExtractor:
    plugins: PagePlugins
    plugin: str
    name: str
    part: Extractor

    def extract(self, document: Document) -> Extract | None:
        """Return what the plugin's extractor answers, if that is an `Extract` of plain strings."""

        def checked() -> Extract | None:
            answer = self.part.extract(document)
            return None if answer is None else _checked_extract(answer)

        return self.plugins.call(self.plugin, "extractors", checked, read_later=True)


@dataclass(slots=True)
class _GuardedLanguageReader:
    plugins: PagePlugins
    plugin: str
    name: str
    part: LanguageReader

    def language(self, text: str, declared: str) -> str:
        """Return what the plugin's reader answers, if that is the code of a language or ""."""

        def checked() -> str:
            answer = self.part.language(text, declared)
            if type(answer) is not str or not _LANGUAGE.fullmatch(answer):
                raise TypeError(
                    f"{short_repr(answer)[:100]} is not a code of ISO 639 in lower case"
                )
            return answer

        return self.plugins.call(self.plugin, "language_readers", checked) or ""


_Guard = Callable[[PagePlugins, str, str, Part], Part]


def _as_list(function: Callable[[], Iterable[object]]) -> list[object]:
    return list(function())


def _guarded(
    plugins: PagePlugins, hook: str, plugin: str, guard: _Guard[Part], part: object
) -> Part:
    name = getattr(part, "name", None)
    if type(name) is not str:
        raise TypeError(f"{short_repr(part)[:100]} is not what {hook} needs: it has no name")
    # What else it can do shows when it is called.
    return guard(plugins, plugin, name, cast("Part", part))


def _checked_extract(answer: object) -> Extract:
    if type(answer) is not Extract:
        raise TypeError(f"{short_repr(answer)[:100]} is not an Extract")
    for one in fields(answer):
        value = getattr(answer, one.name)
        if type(value) is not str:
            raise TypeError(f"{one.name} must be a string, got {short_repr(value)[:100]}")
    if len(answer.markup) > MAX_MARKUP_CHARS:
        raise ValueError(f"an Extract of {len(answer.markup)} characters is too long")
    return answer


def _found(source: PluginSource, folder: Path) -> object:
    try:
        return find_plugin(source.name, folder)
    except LookupError:
        if not source.file:
            raise
        return load_file(source.name, Path(source.file))


def _within(function: Callable[[], T], cpu_s: float, wall_s: float) -> T:
    """Return what the function returns within so much processor time, and time by the clock."""
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    signal.setitimer(signal.ITIMER_REAL, max(cpu_s, wall_s))
    try:
        return function()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _end_call(number: int, frame: object) -> None:
    raise PluginTimeoutError
