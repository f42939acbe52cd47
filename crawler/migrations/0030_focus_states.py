"""States of the strategy `focus` from before 23 November 2026 become states as they are now."""

from typing import Any, Final

import msgspec
from django.db import migrations

#: A state stands behind the name of its strategy.
_OWNER: Final = b"focus\0"


def wrap(apps: Any, schema_editor: Any) -> None:
    """Make what was the whole state the memory of a state. Crawls could not read it as a state."""
    values = apps.get_model("crawler", "Knowledge")._base_manager.filter(name="strategy")
    for value in values.iterator(chunk_size=1):
        owner, end, state = bytes(value.payload).partition(b"\0")
        if owner + end != _OWNER:
            continue
        fields = msgspec.msgpack.decode(state)
        if "memory" in fields:
            continue
        wrapped = {"memory": state, "n_pages": len(fields.get("pages", ()))}
        value.payload = _OWNER + msgspec.msgpack.encode(wrapped)
        value.save(update_fields=["payload"])


class Migration(migrations.Migration):
    dependencies = [("crawler", "0029_machines")]

    operations = [migrations.RunPython(wrap, migrations.RunPython.noop, elidable=True)]
