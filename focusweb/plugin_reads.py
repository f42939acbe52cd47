"""Plugins read tables, but do not change them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection


class PluginWriteError(Exception):
    """A plugin tried to change the tables of FocusWeb."""


@contextmanager
def read_only() -> Iterator[None]:
    """Refuse every statement that changes a table."""
    is_sound = connection.in_atomic_block and not connection.needs_rollback
    try:
        with connection.execute_wrapper(_refuse_writes):
            yield
    finally:
        if is_sound:  # What was refused changed nothing, so our own transaction goes on.
            connection.set_rollback(False)


def _refuse_writes(execute: Callable[..., object], sql: str, *rest: object) -> object:
    if not sql.lstrip(" (\n").upper().startswith("SELECT"):
        raise PluginWriteError(f"a plugin may only read tables, not: {sql[:80]}")
    return execute(sql, *rest)
