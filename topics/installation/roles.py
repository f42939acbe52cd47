"""What a machine does of the work: the option `--role`, and what its machine needs for it."""

from argparse import ArgumentParser
from collections.abc import Collection, Mapping
from typing import Any

from crawler.api.machines import ROLES
from focusweb import database
from focusweb.runtime.run_folder import StartError


def add_roles(parser: ArgumentParser) -> None:
    """Give a command the option `--role`, which may be repeated."""
    parser.add_argument(
        "--role",
        action="append",
        choices=ROLES,
        help="what this machine does; may be given several times; by default all",
    )


def chosen_roles(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the roles that were chosen, in their usual order."""
    wanted = options["role"] or ROLES
    return tuple(role for role in ROLES if role in wanted)


def check_roles(roles: Collection[str]) -> None:
    """Refuse roles that this machine cannot have.

    Raises
    ------
    StartError
        If the tables are in a file, or pages would search in an index of another machine.
    """
    if set(roles) == set(ROLES):
        return
    if database.is_sqlite():
        raise StartError(
            "--role is for several machines over one PostgreSQL database, but DATABASE_URL names "
            "SQLite. Leave it out, or set DATABASE_URL."
        )
    if "web" in roles and "index" not in roles:
        raise StartError(
            "The search index is in the data folder of the machine with the role index, so the "
            "role web needs it too: manage.py up --role web --role index"
        )


def check_tables() -> None:
    """Refuse to work on tables that are not up to date; the machine with the role index makes them.

    Raises
    ------
    StartError
    """
    n_missing = database.n_missing_migrations()
    if n_missing:
        raise StartError(
            f"{n_missing} changes of the tables are not made yet. "
            "Start the machine with the role index first: it makes them."
        )
