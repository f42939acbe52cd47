"""The squashed migrations make the tables that the migrations they replace make."""

import pytest
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState, ProjectState


def parts_of(model: ModelState) -> dict[str, object]:
    """Return all of a model that decides its table, in a form that can be compared."""
    options = {key: value for key, value in model.options.items() if value}
    for key in ("indexes", "constraints"):
        options[key] = {part.name: part.deconstruct() for part in options.pop(key, ())}
    fields = [(name, field.deconstruct()[1:]) for name, field in model.fields.items()]
    return {"fields": fields, "options": options, "bases": model.bases}


def state_of(loader: MigrationLoader) -> ProjectState:
    return loader.project_state(loader.graph.leaf_nodes())


@pytest.mark.parametrize("app", ["crawler", "topics"])
def test_a_squashed_migration_ends_in_the_same_state(app: str) -> None:
    squashed, single = MigrationLoader(None), MigrationLoader(None, replace_migrations=False)

    found = {key: parts_of(model) for key, model in state_of(squashed).models.items()}
    expected = {key: parts_of(model) for key, model in state_of(single).models.items()}

    of_app = [key for key in expected if key[0] == app]
    assert of_app
    assert [key for key in found if key[0] == app and key not in expected] == []
    for key in of_app:
        assert found[key] == expected[key], key


@pytest.mark.parametrize("app", ["crawler", "topics"])
def test_a_new_database_runs_few_migrations(app: str) -> None:
    nodes = [key for key in MigrationLoader(None).graph.nodes if key[0] == app]
    assert len(nodes) <= 20, "time to squash them again"
