"""The parts of `topics` that register through the plugin hooks, like anybody's."""

from collections.abc import Iterable

from django.conf import settings

from focusweb.hookspecs import hookimpl
from focusweb.run_folder import RunFolder
from topics.search.backend import SearchBackend
from topics.search.whoosh.backend import WhooshBackend


@hookimpl
def pages_posted(run_id: int) -> None:
    """Have the timer bring the index up to date now, and not at its next look."""
    RunFolder(settings.RUN_DIR).posted.touch()


@hookimpl
def search_backends() -> Iterable[type[SearchBackend]]:
    """Offer Whoosh."""
    return [WhooshBackend]
