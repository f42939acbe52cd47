"""Where indexes lie: one folder per build, and two links that say which is which.

``current`` is searched and kept up to date, ``next`` is being built. A finished
build is put in place by renaming ``next`` to ``current``: that is one step, so
a reader finds the old index or the new one, never none.
"""

import fcntl
import json
import logging
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings

from focusweb.plugins import offers
from topics.search.backend import SearchBackend, StoresOutsideFolder
from topics.search.errors import (
    EngineFailedError,
    EngineMissingError,
    IndexBusyError,
    IndexExposedError,
    IndexUnusableError,
)
from topics.search.plugin_engines import guarded_engine

logger = logging.getLogger(__name__)

_LABEL = "focusweb.json"
_DAMAGED = "damaged"
_LOOKED_AT = "compared"


@dataclass(frozen=True, slots=True)
class IndexStore:
    """The folder of indexes, for one kind of search engine.

    `others` are the engines there are besides: an index of theirs is searched until one of
    the chosen kind is built.
    """

    root: Path
    kind: type[SearchBackend]
    others: tuple[type[SearchBackend], ...] = ()

    def trouble(self) -> str:
        """Say why the current index cannot be used; "" if it can."""
        try:
            self.open().check()
        except IndexUnusableError as error:
            return str(error)
        return ""

    def is_new(self) -> bool:
        """True if no index was ever built here, which is not a fault."""
        return self._target("current") is None

    def open(self) -> SearchBackend:
        """Open the current index; `IndexUnusableError` if there is none that fits."""
        folder = self._target("current")
        if folder is None:
            raise IndexUnusableError("there is no search index yet; it has to be built")
        if self._is_foreign(folder):
            raise IndexUnusableError(
                "the search index was made by another version; it has to be built anew"
            )
        if (folder / _DAMAGED).exists():
            raise IndexUnusableError("the search index is damaged; it has to be built anew")
        return self.kind.open(folder)

    def open_to_search(self) -> SearchBackend:
        """Open the current index, whichever engine made it; raises as `open` does."""
        folder = self._target("current")
        for kind in self.others:
            if folder is not None and _label_of(folder) == _label(kind):
                return kind.open(folder)
        return self.open()

    def n_rebuilt(self) -> int | None:
        """Pages that are in the index which is to replace one that does not fit; None if it fits.

        An index of another engine or version does not fit, nor does a damaged one.
        """
        current = self._target("current")
        if current is None or not (self._is_foreign(current) or (current / _DAMAGED).exists()):
            return None
        coming = self._target("next")
        if coming is None or self._is_foreign(coming):
            return 0
        try:
            return self.kind.open(coming).count()
        except (EngineFailedError, IndexUnusableError, IndexBusyError):
            return 0

    def mark_damaged(self) -> None:
        """Note that the current index failed in use, so that it is built anew."""
        folder = self._target("current")
        if folder is not None:
            (folder / _DAMAGED).touch()

    def is_sweep_due(self, now: datetime, every: timedelta) -> bool:
        """True unless the current index was compared with the tables less than `every` ago."""
        folder = self._target("current")
        if folder is None:
            return False
        try:
            last_s = (folder / _LOOKED_AT).stat().st_mtime
        except FileNotFoundError:
            return True
        # A clock that was set back must not put it off for years.
        return abs(now.timestamp() - last_s) >= every.total_seconds()

    def note_sweep(self, now: datetime) -> None:
        """Note that the current index was compared with the tables."""
        folder = self._target("current")
        if folder is not None:
            (folder / _LOOKED_AT).touch()
            os.utime(folder / _LOOKED_AT, (now.timestamp(), now.timestamp()))

    def begin(self) -> SearchBackend:
        """Return the index being built: the one that was begun, or else a new one."""
        self._make_root()
        folder = self._target("next")
        if folder is not None and not self._is_foreign(folder):
            try:
                return self.kind.open(folder)
            except IndexUnusableError:
                logger.warning("search index: the half-built one is damaged, starting again")
        return self.begin_anew()

    def begin_anew(self) -> SearchBackend:
        """Return a new index to build, forgetting one that was begun."""
        self._make_root()
        (self.root / "next").unlink(missing_ok=True)
        self._sweep()
        folder = self.root / f"g-{secrets.token_hex(6)}"
        folder.mkdir(mode=0o700)
        backend = self.kind.create(folder)
        (folder / _LABEL).write_text(json.dumps(_label(self.kind)), encoding="utf-8")
        (self.root / "next").symlink_to(folder.name)
        return backend

    def forget_begun(self) -> None:
        """Remove the index that is being built, if there is one."""
        if (self.root / "next").is_symlink():
            (self.root / "next").unlink()
            self._sweep()

    def put_in_place(self) -> None:
        """Make the built index the current one, and remove the old one's files."""
        os.replace(self.root / "next", self.root / "current")
        self._sweep()

    def _target(self, link: str) -> Path | None:
        """Return the folder a link names; None if it is not there."""
        self._refuse_exposed()
        folder = (self.root / link).resolve()
        return folder if folder.parent == self.root.resolve() and folder.is_dir() else None

    def _is_foreign(self, folder: Path) -> bool:
        return _label_of(folder) != _label(self.kind)

    def _make_root(self) -> None:
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._refuse_exposed()

    def _refuse_exposed(self) -> None:
        # Whoosh's files hold pickles: who may write here can run code as us.
        if not self.root.exists():
            return
        status = self.root.stat()
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise IndexExposedError(
                f"other users may write to {self.root} (mode {status.st_mode & 0o777:o}). "
                "Remove the folder; the index is built anew in a private one."
            )

    def _sweep(self) -> None:
        """Remove builds that no link names."""
        kept = {self._target("current"), self._target("next")}
        for folder in self.root.glob("g-*"):
            if folder.resolve() not in kept:
                for kind in (self.kind, *self.others):
                    if isinstance(kind, StoresOutsideFolder):
                        kind.discard(folder)
                shutil.rmtree(folder)


def _label(kind: type[SearchBackend]) -> dict[str, str]:
    return {"backend": kind.name, "version": kind.version}


def _label_of(folder: Path) -> object:
    """What is noted of the engine that made an index; None if that cannot be read."""
    try:
        return json.loads((folder / _LABEL).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def known_engines() -> dict[str, type[SearchBackend]]:
    """Return the engines that are there, by name; those of plugins are guarded."""
    return {
        name: guarded_engine(offer) if offer.is_foreign else offer.item
        for name, offer in offers("search_backends").items()
    }


def default_store() -> IndexStore:
    """Return the site's indexes.

    Raises
    ------
    EngineMissingError
        If the engine that the settings name is not there.
    """
    kinds = known_engines()
    name = settings.SEARCH_ENGINE
    if name not in kinds:
        raise EngineMissingError(
            f"the search engine {name!r} of FOCUSWEB_SEARCH could not be loaded; "
            f"there are {', '.join(sorted(kinds))}"
        )
    others = tuple(kind for key, kind in kinds.items() if key != name)
    return IndexStore(Path(settings.INDEX_DIR), kinds[name], others)


@contextmanager
def writer_lock() -> Iterator[bool]:
    """Hold the right to write indexes; gives False if another process holds it.

    The system lets go when the holder dies, so no lock is ever left behind.
    """
    handle = os.open(Path(settings.RUN_DIR) / "index.lock", os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(handle)
