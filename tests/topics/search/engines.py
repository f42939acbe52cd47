"""The engines that one suite of tests is run on."""

from collections.abc import Callable

from topics.search.backend import SearchBackend
from topics.search.whoosh.backend import WhooshBackend

ENGINES: list[type[SearchBackend]] = [WhooshBackend]
#: Makes an empty index in a folder of its own.
EngineMaker = Callable[[], SearchBackend]
