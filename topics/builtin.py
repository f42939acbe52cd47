"""The parts of `topics` that register through the plugin hooks, like anybody's."""

from collections.abc import Iterable

from focusweb.hookspecs import hookimpl
from topics.search.backend import SearchBackend
from topics.search.whoosh_backend import WhooshBackend


@hookimpl
def search_backends() -> Iterable[type[SearchBackend]]:
    """Offer Whoosh."""
    return [WhooshBackend]
