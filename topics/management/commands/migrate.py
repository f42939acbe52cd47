"""Django's `migrate`, one at a time: two at once would both make the first table."""

from typing import Any

from django.conf import settings
from django.core.management.commands import migrate

from focusweb.database import is_in_memory, migration_turn
from focusweb.runtime.run_folder import RunFolder


class Command(migrate.Command):
    """Brings the tables up to date; a second process waits and finds them up to date."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Take turns before any query to the database, even by a check."""
        if is_in_memory():
            return super().execute(*args, **options)  # Only this process can see it.
        with (
            RunFolder(settings.RUN_DIR).migrating(self._say_waiting),
            migration_turn(self._say_waiting),
        ):
            return super().execute(*args, **options)

    def _say_waiting(self) -> None:
        self.stderr.write("Waiting for another process that is changing the tables ...")
