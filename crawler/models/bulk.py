"""Statements written out: the hot path of the crawl.

The ORM's `save()` costs 20 ms a page here, `executemany` 0.25 ms; and to build a query takes
several times as long as to run it. Everything that is not once a link, a page or a batch goes
through the ORM.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from django.db import models

from focusweb.database import (
    execute,
    execute_many,
    joined_numbers,
    json_value,
    moment_parameter,
    quoted,
    read_moment,
    select,
    select_parts,
)

Item = TypeVar("Item")

#: Values in one IN list: below the smallest limit of the databases in use.
MAX_VALUES = 800


def insert(
    model: type[models.Model],
    fields: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    conflict: str = "ON CONFLICT DO NOTHING",
) -> None:
    """Insert rows of a model.

    Parameters
    ----------
    fields : sequence of str
        Attribute names; foreign keys with their "_id".
    rows : iterable of sequences
        Values in the order of `fields`, moments already through `moment`.
    conflict : str
        What to do with a row that is there already.
    """
    values = list(rows)
    if values:
        columns = ", ".join(column(model, name) for name in fields)
        execute_many(
            f"INSERT INTO {table(model)} ({columns}) VALUES ({places(fields)}) {conflict}", values
        )


def enter(
    model: type[models.Model], fields: Sequence[str], rows: Sequence[Sequence[Any]]
) -> list[tuple[Any, ...]]:
    """Insert rows that are not there yet. Return the number and first value of each new one."""
    columns = ", ".join(column(model, name) for name in fields)
    one = f"({places(fields)})"
    entered: list[tuple[Any, ...]] = []
    for some in chunks(rows, MAX_VALUES // len(fields)):
        entered += select(
            f"INSERT INTO {table(model)} ({columns}) VALUES {', '.join([one] * len(some))}"
            f" ON CONFLICT DO NOTHING RETURNING id, {column(model, fields[0])}",
            [value for row in some for value in row],
        )
    return entered


def select_among(
    statement: str, values: Iterable[Any], before: Sequence[Any] = ()
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a statement that ends with IN, run for a part of the values at a time.

    `before` are the values of its placeholders.
    """
    for some in chunks(list(values)):
        yield from select(f"{statement} ({places(some)})", [*before, *some])


def existing_urls(
    model: type[models.Model], urls: Iterable[int], where: str, parameters: Sequence[Any] = ()
) -> list[int]:
    """Return the URLs, of some, for which the model has a row that meets a condition."""
    statement = f"SELECT url_id FROM {table(model)} WHERE {where} AND url_id IN"
    return [url for (url,) in select_among(statement, sorted(urls), parameters)]


def places(values: Sequence[Any]) -> str:
    """Return a place in a statement for each value, with commas: for an IN list."""
    return ", ".join(["%s"] * len(values))


def table(model: type[models.Model]) -> str:
    """Return a model's table, quoted."""
    return quoted(model._meta.db_table)


def column(model: type[models.Model], attribute: str) -> str:
    """Return the column behind an attribute, quoted."""
    for field in model._meta.concrete_fields:
        if attribute in (field.attname, field.name):
            return quoted(field.column or field.attname)
    raise ValueError(f"{model.__name__} has no field {attribute!r}")


def chunks(items: Sequence[Item], size: int = MAX_VALUES) -> Iterator[Sequence[Item]]:
    """Cut a sequence into pieces for IN lists."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
