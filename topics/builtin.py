"""The parts of `topics` that register through the plugin hooks, like anybody's."""

import importlib.util
from collections.abc import Iterable

from django.conf import settings

from focusweb.hookspecs import hookimpl
from focusweb.run_folder import RunFolder
from topics.search.backend import SearchBackend
from topics.search.fts5.backend import Fts5Backend
from topics.search.whoosh.backend import WhooshBackend


@hookimpl
def pages_posted(run_id: int) -> None:
    """Have the timer bring the index up to date now, and not at its next look."""
    RunFolder(settings.RUN_DIR).posted.touch()


@hookimpl
def search_backends() -> Iterable[type[SearchBackend]]:
    """Offer Whoosh and SQLite's FTS5, and tantivy if its package is installed."""
    engines: list[type[SearchBackend]] = [WhooshBackend, Fts5Backend]
    if importlib.util.find_spec("tantivy") is not None:
        # Imported here, as the package is optional.
        from topics.search.tantivy.backend import TantivyBackend

        engines.append(TantivyBackend)
    return engines
