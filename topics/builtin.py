"""The parts of `topics` that register through the plugin hooks."""

import importlib.util
from collections.abc import Iterable

from django.conf import settings

from focusweb import database
from focusweb.hookspecs import hookimpl
from focusweb.runtime.run_folder import RunFolder
from topics.delivery.channels.base import ChannelKind
from topics.delivery.channels.mail import Mail
from topics.delivery.channels.webhook import Webhook
from topics.pages.blocks import HomeTile, PagePanel
from topics.pages.paths import PathPanel
from topics.pages.saved_searches import SavedSearchTile
from topics.pages.search_export import OUR_EXPORTERS, Exporter
from topics.profile.suggest import OUR_SUGGESTERS, TermSuggester
from topics.search.backend import SearchBackend
from topics.search.fts5.backend import Fts5Backend
from topics.search.postgres.backend import PostgresBackend
from topics.search.whoosh.backend import WhooshBackend


@hookimpl
def pages_posted(run_id: int) -> None:
    """Have the timer bring the index up to date now, and not at its next look."""
    RunFolder(settings.RUN_DIR).posted.touch()


@hookimpl
def run_ended(run_id: int) -> None:
    """Have the timer index what the end of the run changed, make its alerts and count anew."""
    folder = RunFolder(settings.RUN_DIR)
    folder.posted.touch()
    folder.ended.touch()


@hookimpl
def exporters() -> Iterable[Exporter]:
    """CSV, JSON and Markdown."""
    return OUR_EXPORTERS


@hookimpl
def term_suggesters() -> Iterable[TermSuggester]:
    """Example pages, ontologies and key words."""
    return OUR_SUGGESTERS


@hookimpl
def page_panels() -> Iterable[PagePanel]:
    """The path from a seed."""
    return (PathPanel(),)


@hookimpl
def home_tiles() -> Iterable[HomeTile]:
    """Saved searches."""
    return (SavedSearchTile(),)


@hookimpl
def search_backends() -> Iterable[type[SearchBackend]]:
    """Offer Whoosh and SQLite's FTS5, and what else this installation has."""
    engines: list[type[SearchBackend]] = [WhooshBackend, Fts5Backend]
    if not database.is_sqlite():
        engines.append(PostgresBackend)
    if importlib.util.find_spec("tantivy") is not None:
        # Imported here, as the package is optional.
        from topics.search.tantivy.backend import TantivyBackend

        engines.append(TantivyBackend)
    return engines


@hookimpl
def channels() -> Iterable[ChannelKind]:
    """Offer mail and webhooks, and chat services if the package apprise is installed."""
    kinds: list[ChannelKind] = [Mail(), Webhook()]
    if importlib.util.find_spec("apprise") is not None:
        from topics.delivery.channels.chat import Chat

        kinds.append(Chat())
    return kinds
