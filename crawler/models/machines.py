"""The machines that run FocusWeb over one PostgreSQL database."""

from datetime import datetime, timedelta
from typing import Final, Self

from django.db import models

#: The parts of the work; without a choice a machine does all of them.
ROLES: Final = ("web", "crawl", "index")
#: A machine that has not renewed its row for this long counts as dead or cut off.
SILENT_AFTER = timedelta(seconds=45)


class MachineQuerySet(models.QuerySet["Machine"]):
    def alive(self, now: datetime) -> Self:
        """Keep those that renewed their rows lately."""
        return self.filter(seen_at__gt=now - SILENT_AFTER)


class Machine(models.Model):
    """A machine, and when it last renewed its row. Rows of one machine alone are never read."""

    name = models.CharField(max_length=200, unique=True)
    #: What a machine of the same name does not have: its boot and its data folder.
    instance = models.CharField(max_length=500)
    #: With commas between them.
    roles = models.CharField(max_length=50)
    n_workers = models.PositiveIntegerField()
    version = models.CharField(max_length=50)
    #: Shows whether two machines have the same secret key, and nothing else of it.
    key_print = models.CharField(max_length=64)
    #: By the clock of the database.
    seen_at = models.DateTimeField()

    objects = MachineQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    def is_alive(self, now: datetime) -> bool:
        """True if it renewed its row lately."""
        return self.seen_at > now - SILENT_AFTER

    def has_role(self, role: str) -> bool:
        """True if it does this part of the work."""
        return role in self.roles.split(",")
