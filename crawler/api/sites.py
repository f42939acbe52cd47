"""Stop, allow and remove sites; their robots.txt rules."""

from crawler.store.politeness import find_rules
from crawler.store.removal import Removed, allow_site, remains, remove_site, stop_site

__all__ = [
    "Removed",
    "allow_site",
    "find_rules",
    "remains",
    "remove_site",
    "stop_site",
]
