"""The machines that share the database."""

from crawler.models.machines import ROLES, Machine
from crawler.store.machines import Presence, is_shared, join, leave, n_workers, this_machine

__all__ = [
    "ROLES",
    "Machine",
    "Presence",
    "is_shared",
    "join",
    "leave",
    "n_workers",
    "this_machine",
]
