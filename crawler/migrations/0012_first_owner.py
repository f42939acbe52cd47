"""Ontologies from before they had owners: the first administrator's, shared as they were."""

from typing import Any

from django.conf import settings
from django.db import migrations


def give_to_first_administrator(apps: Any, schema_editor: Any) -> None:
    """Nothing recorded who imported them; without an administrator they are nobody's."""
    app, name = settings.AUTH_USER_MODEL.split(".")
    people = apps.get_model(app, name)._base_manager
    first = people.filter(is_superuser=True).order_by("pk").first()
    ontologies = apps.get_model("crawler", "Ontology")._base_manager
    ontologies.update(owner=first, shared=True)


class Migration(migrations.Migration):
    dependencies = [
        ("crawler", "0011_ontology_owner"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(give_to_first_administrator, migrations.RunPython.noop, elidable=True),
    ]
