"""The search providers: the requests they get, and their terms of use."""

from crawler.search_providers import (
    PLACE,
    PROVIDERS,
    Provider,
    find_provider,
    search_address,
)

__all__ = ["PLACE", "PROVIDERS", "Provider", "find_provider", "search_address"]
