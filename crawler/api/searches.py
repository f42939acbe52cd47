"""The search providers: the requests they get, and their terms of use."""

from crawler.search_providers import (
    LINK_STRATEGY,
    PLACE,
    PROVIDERS,
    Provider,
    find_provider,
    search_address,
)

__all__ = ["LINK_STRATEGY", "PLACE", "PROVIDERS", "Provider", "find_provider", "search_address"]
