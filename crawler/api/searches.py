"""The search providers: the requests they get, and their terms of use."""

from crawler.search_providers import (
    LINK_STRATEGY,
    PLACE,
    Provider,
    find_provider,
    known_providers,
    search_address,
)
