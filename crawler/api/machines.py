"""The machines that share the database."""

from crawler.models.machines import ROLES, Machine
from crawler.store.machines import (
    Presence,
    is_shared,
    leave,
    n_workers,
    register_machine,
    this_machine,
)
