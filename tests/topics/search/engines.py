"""The engines that one suite of tests is run on."""

from collections.abc import Callable

from topics.search.backend import SearchBackend
from topics.search.fts5.backend import Fts5Backend
from topics.search.postgres.backend import PostgresBackend
from topics.search.tantivy.backend import TantivyBackend
from topics.search.whoosh.backend import WhooshBackend

ENGINES: list[type[SearchBackend]] = [WhooshBackend, Fts5Backend, TantivyBackend, PostgresBackend]
#: Makes an empty index in a folder of its own.
EngineMaker = Callable[[], SearchBackend]
