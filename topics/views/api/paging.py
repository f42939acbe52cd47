"""Lists in parts: a cursor names the last row that was sent, so new rows shift nothing."""

import base64
import binascii
import json
import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.db.models import DateTimeField, Model, Q, QuerySet
from ninja.errors import HttpError


def part_of(
    rows: QuerySet[Any],
    field: str,
    cursor: str,
    limit: int,
    shown: Callable[[list[Any]], list[Any]] = list,
) -> dict[str, Any]:
    """The next rows, highest `field` first, and the cursor of those after them."""
    if cursor:
        value, pk = _read(cursor)
        of_moments = isinstance(rows.model._meta.get_field(field), DateTimeField)
        if isinstance(value, datetime) is not of_moments:
            raise HttpError(422, "the cursor is of a list in another order")
        rows = rows.filter(Q(**{f"{field}__lt": value}) | Q(**{field: value, "pk__lt": pk}))
    found = list(rows.order_by(f"-{field}", "-pk")[: limit + 1])
    more = len(found) > limit
    found = found[:limit]
    return {"items": shown(found), "next": _write(found[-1], field) if more else None}


def _write(row: Model, field: str) -> str:
    value = getattr(row, field)
    text = json.dumps([value.isoformat() if isinstance(value, datetime) else value, row.pk])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read(cursor: str) -> tuple[Any, int]:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        value, pk = json.loads(base64.b64decode(padded, b"-_", validate=True))
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
            if value.tzinfo is None:
                raise ValueError("a moment has a time zone")
            value = value.astimezone(UTC)
        elif not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError("neither a moment nor a number")
        if not isinstance(pk, int) or not 0 < pk < 2**63 or abs(pk) != pk:
            raise ValueError("not a key")
    # The first and the last day have no instant in every zone: an OverflowError.
    except (ValueError, TypeError, OverflowError, binascii.Error, RecursionError) as error:
        raise HttpError(422, "the cursor is not one that was sent") from error
    return value, pk
