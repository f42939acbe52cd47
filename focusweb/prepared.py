"""Queries that Django turns into a statement once, to be run again with other values.

For most queries of a page Django takes several times as long as the database.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet
from django.db.models.query import ModelIterable

from focusweb.database import Rows, among_texts, moment_parameter, number_list, select

#: What a query can be given again.
Value = int | str | datetime | Sequence[int] | Sequence[str]

#: Stand for the values of a query while it is made: nothing that a query says is equal to them.
#: Numbers fit into 32 bits, as Django takes a greater key of such a column for one of no row.
_NUMBER: Final = 2_147_480_000
_MOMENT: Final = datetime(1066, 10, 14, 9, 0, 0, 123_457, UTC)
_TEXT: Final = "\ue010"


class PreparedQuery:
    """A query that Django turned into a statement once.

    Parameters
    ----------
    values : sequence
        What differs between runs, as parameters of the database. No other value of the query may
        be equal to one of them.
    """

    def __init__(self, query: QuerySet[Any, Any], values: Sequence[object]) -> None:
        compiler: Any = query.query.get_compiler(DEFAULT_DB_ALIAS)
        self._statement, given = compiler.as_sql()
        self._fixed = list(given)
        self._places = [(i, values.index(one)) for i, one in enumerate(given) if one in values]
        columns = [column for column, _statement, _name in compiler.select[: compiler.col_count]]
        self._converters = [(at, *one) for at, one in compiler.get_converters(columns).items()]
        self._n_columns = len(columns)
        self._annotated = (compiler.annotation_col_map or {}).items()
        is_of_objects = query._iterable_class is ModelIterable
        self._made_of = _part_of(compiler.klass_info, compiler.select) if is_of_objects else None

    def takes(self, value: object) -> bool:
        """Return whether the statement takes a value as it is."""
        return value in self._fixed

    def rows(self, values: Sequence[object]) -> Rows:
        """Run it with values in the order of those that it was made with, all as parameters.

        The rows are as the database gives them.
        """
        given = list(self._fixed)
        for place, number in self._places:
            given[place] = values[number]
        return select(self._statement, given)

    def all(self, values: Sequence[object]) -> list[Any]:
        """Run it. Return what a list of the query would hold: objects, or rows of values."""
        rows = self._converted(self.rows(values))
        return [tuple(row) for row in rows] if self._made_of is None else [*map(self._object, rows)]

    def _converted(self, rows: Rows) -> Iterator[list[Any]]:
        database = connections[DEFAULT_DB_ALIAS]
        for row in rows:
            values = list(row[: self._n_columns])
            for at, converters, column in self._converters:
                for convert in converters:
                    values[at] = convert(values[at], column, database)
            yield values

    def _object(self, row: Sequence[Any]) -> Any:
        made = self._made_of.read(row) if self._made_of else None
        for name, at in self._annotated:
            setattr(made, name, row[at])
        return made


@dataclass(frozen=True, slots=True)
class _Part:
    """The columns of one object in a row, and the objects that it refers to."""

    model: type[Model]
    columns: slice
    names: Sequence[str]
    key: int
    others: Sequence[tuple["_Part", Callable[..., None], Callable[..., None]]]

    def read(self, row: Sequence[Any]) -> Model | None:
        """Return the object; None where a row has none."""
        if row[self.key] is None:
            return None
        made: Model = self.model.from_db(DEFAULT_DB_ALIAS, self.names, row[self.columns])
        for part, refer, refer_back in self.others:
            other = part.read(row)
            refer(made, other)
            if other is not None:
                refer_back(other, made)
        return made


def _part_of(about: Mapping[str, Any], columns: Sequence[Any]) -> _Part:
    """What Django's compiler says of an object and those it refers to."""
    places = about["select_fields"]
    names = [columns[at][0].target.attname for at in places]
    return _Part(
        about["model"],
        slice(places[0], places[-1] + 1),
        names,
        places[names.index(about["model"]._meta.pk.attname)],
        [
            (_part_of(one, columns), one["local_setter"], one["remote_setter"])
            for one in about.get("related_klass_infos", ())
        ],
    )


def prepared(make: Callable[..., QuerySet[Any, Any]]) -> Callable[..., list[Any]]:
    """Let a function that makes a query return what the query finds.

    The function is called once. Each of its arguments must be in the query as it is; lists by
    `among` and `among_texts`.

    Raises
    ------
    ValueError
        If an argument is not.
    """
    known: list[PreparedQuery] = []

    @wraps(make)
    def run(*values: Value) -> list[Any]:
        if not known:
            marks = [_mark(value, number) for number, value in enumerate(values)]
            query = PreparedQuery(make(*marks), [*map(_parameter, marks)])
            if not all(query.takes(_parameter(mark)) for mark in marks):
                raise ValueError(f"{make.__qualname__} does not use each value as it is")
            known.append(query)
        return known[0].all([*map(_parameter, values)])

    return run


def _mark(value: Value, number: int) -> Value:
    match value:
        case int():
            return _NUMBER + number
        case datetime():
            return _MOMENT + timedelta(days=number)
        case str():
            return f"{_TEXT}{number}"
        case _:
            return [_NUMBER + number]


def _parameter(value: Value) -> object:
    """A value as the database's own parameter."""
    match value:
        case int() | str():
            return value
        case datetime():
            return moment_parameter(value)
        case [str(), *_]:
            return among_texts(map(str, value)).params[0]
        case _:
            return number_list(map(int, value)).params[0]
