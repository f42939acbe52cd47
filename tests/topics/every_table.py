"""A row in every table, so that what a deletion leaves can be counted."""

import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db import models

from crawler.models import Concept, Ontology
from tests.topics.factories import NOON, Scene

Model = type[models.Model]
APPS = ("crawler", "topics")
#: What a row of a table needs that its columns do not say.
_SPECIAL: dict[str, Callable[[dict[Any, Any]], dict[str, Any]]] = {
    "topics.Feed": lambda rows: {"topic": None, "rule": None, "newspaper": None},
    "crawler.Relation": lambda rows: {
        "target": Concept.objects.create(ontology=rows[Ontology], iri="another")
    },
}
_VALUES: dict[Any, Any] = {
    models.DateTimeField: NOON,
    models.DateField: NOON.date(),
    models.TimeField: NOON.time(),
    models.DurationField: timedelta(0),
    models.UUIDField: uuid.UUID(int=7),
    models.BinaryField: b"",
    models.JSONField: {},
    models.BooleanField: False,
    models.FloatField: 0.0,
    models.IntegerField: 1,
}


def tables() -> list[Model]:
    """Every table of FocusWeb."""
    return [model for model in apps.get_models() if model._meta.app_label in APPS]


def foreign_keys(model: Model) -> Iterator[Any]:
    """The foreign keys of a table."""
    for field in model._meta.concrete_fields:
        if field.is_relation:
            yield field


def fill(scene: Scene) -> None:
    """Make a row in each table that has none, about the scene and its owner."""
    rows: dict[Any, Any] = {User: scene.topic.owner, type(scene.topic): scene.topic}
    rows |= {type(scene.crawl): scene.crawl, type(scene.run): scene.run}
    waiting = tables()
    while waiting:
        ready = [
            model
            for model in waiting
            if all(
                field.related_model in rows or field.related_model is model
                for field in foreign_keys(model)
            )
        ]
        assert ready, f"these tables refer to each other: {waiting}"
        for model in ready:
            waiting.remove(model)
            rows[model] = rows.get(model) or model._default_manager.first() or _row(model, rows)


def _row(model: Model, rows: dict[Any, Any]) -> models.Model:
    values = {field.name: _value(field, rows) for field in model._meta.concrete_fields}
    chosen = {name: value for name, value in values.items() if value is not None}
    special = _SPECIAL.get(model._meta.label)
    return model._default_manager.create(**chosen | (special(rows) if special else {}))


def _value(field: Any, rows: dict[Any, Any]) -> Any:
    if field.is_relation:
        return rows.get(field.related_model)
    if field.has_default() or field.primary_key or field.null:
        return None
    return next((value for kind, value in _VALUES.items() if isinstance(field, kind)), "x")


def owned_by(*roots: Model) -> set[Model]:
    """The tables whose rows belong to a row of one of these tables, by a chain of cascades."""
    found = set(roots)
    while True:
        more = {
            model
            for model in tables()
            for field in foreign_keys(model)
            if field.related_model in found and field.remote_field.on_delete is models.CASCADE
        }
        if more <= found:
            return found
        found |= more


def left(models_: set[Model] | list[Model]) -> dict[str, int]:
    """How many rows each of these tables has, but for those without any."""
    counts = {model.__name__: model._default_manager.count() for model in models_}
    return {name: count for name, count in counts.items() if count}
