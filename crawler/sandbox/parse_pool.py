"""Parsing behind a wall: a few long-lived children that may die of a page."""

import logging
import os
import queue
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock
from typing import Self

import msgspec

from crawler.errors import ParseError
from crawler.page.parse import parse_page
from crawler.page.parsed import ParsedPage
from crawler.reasons import Reason
from crawler.sandbox.process import Cause, ChildError, ChildProcess, ChildStartError
from crawler.sandbox.wire import (
    ChildLimits,
    PageSetup,
    ParseAnswer,
    ParseRequest,
    PluginFailure,
    with_blocks,
)
from focusweb.hookspecs import OF_PAGES
from focusweb.plugins import LOADING, plugins

logger = logging.getLogger(__name__)

#: A child that does not start is tried again, so often in all.
START_TRIES = 3
#: A child is replaced when pages have left this share of its free memory in use: what a page
#: leaves is in pieces, of which the next large page may find none that is large enough.
WORN_SHARE = 0.25

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ParseAnswer).decode


@dataclass(frozen=True, slots=True)
class ParseLimits(ChildLimits):
    """What one page may cost.

    Attributes
    ----------
    pages_per_child : int
        A child is replaced after so many pages, against slow growth.
    plugin_cpu_s, plugin_wall_s : float
        Processor time, and time by the clock, that one call of a plugin may take.
    """

    pages_per_child: int = 2500
    plugin_cpu_s: float = 2.0
    plugin_wall_s: float = 5.0


class ParseChild(ChildProcess):
    """A child that parses pages by one set-up; `failures` are errors of plugins at its start."""

    def __init__(self, limits: ParseLimits, setup: PageSetup) -> None:
        self.n_pages = 0
        self.setup = setup
        super().__init__("page_handler", limits, _encode(setup))
        at_start = self.address_space_bytes()
        self._max_pages = limits.pages_per_child
        # Plugins may take much from the start: that is not a reason to replace it.
        self._worn_bytes = at_start + WORN_SHARE * (limits.memory_bytes - at_start)
        self.failures = msgspec.msgpack.decode(self.ready, type=list[PluginFailure])

    def parse(self, request: ParseRequest) -> ParseAnswer:
        """Send a page and return the answer; a ParseError if the child died of the page."""
        self.n_pages += 1
        try:
            return _decode(self.request(_encode(request)))
        except ChildError as error:
            crashed = error.cause is Cause.CRASH
            reason = Reason.PARSER_CRASHED if crashed else Reason.PARSER_LIMIT
            raise ParseError(reason, error.detail) from error
        except msgspec.MsgspecError as error:
            self.kill()
            raise ParseError(Reason.PARSER_CRASHED, f"unreadable answer: {error}") from error

    def is_worn(self) -> bool:
        """True if it has read its share of pages, or they have left too little free memory."""
        return self.n_pages >= self._max_pages or self.address_space_bytes() > self._worn_bytes


class ParsePool:
    """Parse pages in child processes, as many at once as there are children.

    Children are plain subprocesses on pipes, because the task queue's workers
    are daemonic and may have no multiprocessing children. They start when
    first needed, are replaced when a page kills them, and end with this
    process: the end of their input is the end of them.

    Parameters
    ----------
    n_children : int, optional
        One less than the cores this process may use if not given, and at least one: the process
        that hands pages out takes as much time as one child.
    limits : ParseLimits
        What one page may cost.
    setup : function, optional
        Says by what pages are read now; a child of another set-up is replaced. The usual one
        names our own readers and those of the plugins that are on.
    """

    def __init__(
        self,
        n_children: int | None = None,
        limits: ParseLimits | None = None,
        setup: Callable[[], PageSetup] | None = None,
    ) -> None:
        if n_children is None:
            n_children = max(1, len(os.sched_getaffinity(0)) - 1)
        if n_children < 1:
            raise ValueError(f"a parse pool needs at least 1 child, got {n_children}")
        self._limits = limits or ParseLimits()
        self._setup = setup or page_setup
        self._owner = os.getpid()
        self._closed = False
        self._lock = Lock()
        self._children: set[ParseChild] = set()
        # A place is a right to parse: with a child already, or None to start one.
        # Last in, first out keeps the work on children that are warm.
        self._places: queue.LifoQueue[ParseChild | None] = queue.LifoQueue()
        for _ in range(n_children):
            self._places.put(None)

    def parse(
        self,
        body: bytes,
        url: str,
        content_type: str = "",
        robots_header: str = "",
        site_frame: frozenset[int] = frozenset(),
    ) -> ParsedPage:
        """Parse a page as `parse_page` does; waits for a free child. Thread-safe.

        Raises
        ------
        ParseError
            EMPTY, NO_TEXT; PARSER_LIMIT if it took too much time or memory,
            PARSER_CRASHED if the child died of it.
        """
        request = ParseRequest(body, url, content_type, robots_header, site_frame)
        child = self._places.get()
        try:
            child = self._usable(child)
            answer = self._parsed(child, request)
        finally:
            self._give_back(child)
        _report(answer.failures)
        if answer.page is None:
            assert answer.reason is not None  # An answer has one or the other.
            raise ParseError(answer.reason, answer.detail)
        return with_blocks(answer.page)

    def _parsed(self, child: ParseChild, request: ParseRequest) -> ParseAnswer:
        """What a child answers; if it ended and has plugins, what one without them answers."""
        try:
            return child.parse(request)
        except ParseError as error:
            if not child.setup.has_plugins:
                raise
            if child.calling:
                plugin, _, hook = child.calling.partition("\n")
                _report([(plugin, hook, f"the process ended during the call: {error.detail}")])
        plain = ParseChild(self._limits, child.setup.without_plugins())
        try:
            return plain.parse(request)
        finally:
            plain.close()

    def child_pids(self) -> list[int]:
        """Process ids of the children, idle and busy."""
        with self._lock:
            return [child.pid for child in self._children]

    def _usable(self, child: ParseChild | None) -> ParseChild:
        if self._closed:
            raise RuntimeError("this parse pool is closed")
        if self._owner != os.getpid():
            raise RuntimeError("this parse pool was made before a fork; make one after it")
        if child is not None and child.is_usable() and child.setup == self._wanted():
            return child
        if child is not None:
            self._drop(child)
        fresh = self._start_child()
        with self._lock:
            self._children.add(fresh)
        return fresh

    def _start_child(self) -> ParseChild:
        for _ in range(START_TRIES - 1):
            try:
                return self._started(self._wanted())
            except ChildStartError as error:
                # Killed while it loaded, as by a system short of memory: that may pass.
                logger.warning("%s; it is started again", error)
                if error.calling:
                    plugins().pause(error.calling.partition("\n")[0], LOADING)
        return self._started(self._wanted().without_plugins())

    def _wanted(self) -> PageSetup:
        cpu_s, wall_s = self._limits.plugin_cpu_s, self._limits.plugin_wall_s
        return replace(self._setup(), cpu_limit_s=cpu_s, time_limit_s=wall_s)

    def _started(self, setup: PageSetup) -> ParseChild:
        child = ParseChild(self._limits, setup)
        _report(child.failures)
        return child

    def _give_back(self, child: ParseChild | None) -> None:
        if child is not None and (self._closed or not child.is_usable() or child.is_worn()):
            self._drop(child)
            child = None
        self._places.put(child)

    def _drop(self, child: ParseChild) -> None:
        with self._lock:
            self._children.discard(child)
        child.close()

    def end_idle_children(self) -> None:
        """Give the memory of idle children back. The next pages start others."""
        for _ in range(self._drop_idle()):
            self._places.put(None)

    def _drop_idle(self) -> int:
        """End all idle children and take their places. Return how many places were free."""
        idle: list[ParseChild | None] = []
        with suppress(queue.Empty):
            while True:
                idle.append(self._places.get_nowait())
        for child in filter(None, idle):
            self._drop(child)
        return len(idle)

    def close(self) -> None:
        """End all idle children; a busy one ends after its page."""
        self._closed = True
        self._drop_idle()
        self._places.put(None)  # Whoever still waits wakes up, and wakes the next.

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def page_setup() -> PageSetup:
    """Our own readers, and those of the plugins that are on."""
    known = plugins()
    return PageSetup(str(known.folder), known.sources_of(OF_PAGES))


def _report(failures: Sequence[PluginFailure]) -> None:
    for failure in failures:
        plugins().count_failure(*failure)


class InProcessParser:
    """Parses in this process, for snapshots and tests: their bytes are not hostile."""

    def parse(
        self,
        body: bytes,
        url: str,
        content_type: str = "",
        robots_header: str = "",
        site_frame: frozenset[int] = frozenset(),
    ) -> ParsedPage:
        """Parse a page. Raises ParseError EMPTY or NO_TEXT."""
        return parse_page(body, url, content_type, robots_header, site_frame)
