"""Addresses that receive digests already count as confirmed."""

from typing import Any

from django.conf import settings
from django.db import migrations


def confirm_present_addresses(apps: Any, schema_editor: Any) -> None:
    """One proof for each person with a digest and an address."""
    digests = apps.get_model("topics", "Digest")._base_manager
    proofs = apps.get_model("topics", "AddressProof")._base_manager
    known: dict[tuple[int, str], Any] = {}
    rows = digests.exclude(topic__owner__email="").order_by("pk")
    for person, email, since in rows.values_list(
        "topic__owner", "topic__owner__email", "covered_until"
    ):
        known.setdefault((person, email), since)
    proofs.bulk_create(
        proofs.model(user_id=person, email=email, asked=since, confirmed=since)
        for (person, email), since in known.items()
    )


class Migration(migrations.Migration):
    dependencies = [
        ("topics", "0004_owners_and_proofs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(confirm_present_addresses, migrations.RunPython.noop, elidable=True),
    ]
