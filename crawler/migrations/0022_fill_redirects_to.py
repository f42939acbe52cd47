"""Redirects from before they had a key: the target stood in the detail, cut at 300 characters."""

from typing import Any

from django.db import migrations
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Length


def fill(apps: Any, schema_editor: Any) -> None:
    """Look each target up; one of the full length may have been cut and stays unknown."""
    urls = apps.get_model("crawler", "Url")._base_manager
    entries = apps.get_model("crawler", "FrontierEntry")._base_manager
    redirected = entries.filter(reason="redirected", redirects_to=None).exclude(detail="")
    whole = redirected.alias(n=Length("detail")).filter(n__lt=300)
    whole.update(redirects_to=Subquery(urls.filter(url=OuterRef("detail")).values("pk")[:1]))


class Migration(migrations.Migration):
    dependencies = [("crawler", "0021_redirects_to")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
