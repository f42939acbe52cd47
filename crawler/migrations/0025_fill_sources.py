"""Sources from before they were rows: all of a crawl stood packed in one named value."""

from typing import Any, Final

import msgspec
from django.db import migrations

_STATE: Final = (
    *("since", "rate", "visited", "last_new", "overflowed", "failures", "failing_since"),
    *("failed", "named"),
)
_OTHERS: Final = ("kind", "asked", "brought", "n_listed")


def fill(apps: Any, schema_editor: Any) -> None:
    """Make a row of each source, and drop the packed value."""
    values = apps.get_model("crawler", "Knowledge")._base_manager.filter(name="sources")
    sources = apps.get_model("crawler", "Source")
    for value in values:
        rows = [
            sources(
                crawl_id=value.crawl_id,
                address=address,
                problem=msgspec.to_builtins(told["problem"]) if told.get("problem") else None,
                **{name: told[name] for name in _OTHERS if name in told},
                **{name: told["state"][name] for name in _STATE if name in told["state"]},
            )
            for address, told in msgspec.msgpack.decode(bytes(value.payload)).items()
        ]
        sources._base_manager.bulk_create(rows, batch_size=100)
    values.delete()


class Migration(migrations.Migration):
    dependencies = [("crawler", "0024_sources_are_rows")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
