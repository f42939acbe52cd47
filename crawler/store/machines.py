"""Which machines share the database: who may join them, and how many workers they have."""

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.models import Sum
from django.utils.crypto import salted_hmac

import focusweb
from crawler.models.machines import SILENT_AFTER, Machine
from focusweb import database
from focusweb.runtime.run_folder import StartError

#: Leases of 100 s and the age of sessions tolerate this much; a certificate's dates do, too.
MAX_CLOCK_ERROR = timedelta(minutes=3)
#: The row of a machine that is gone for so long is deleted.
FORGET_AFTER = timedelta(days=1)
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Presence:
    """What a machine says of itself; each attribute is a field of `Machine`."""

    name: str
    instance: str
    roles: str
    n_workers: int
    version: str
    key_print: str


def this_machine(roles: Iterable[str]) -> Presence:
    """Describe this machine."""
    boot = _BOOT.read_text().strip() if _BOOT.exists() else ""
    secret = salted_hmac("focusweb.machines", "key", algorithm="sha256")
    return Presence(
        name=os.uname().nodename,
        instance=f"{boot} {settings.DATA_DIR}",
        roles=",".join(roles),
        n_workers=settings.Q_CLUSTER["workers"],
        version=focusweb.__version__,
        key_print=secret.hexdigest(),
    )


def is_shared() -> bool:
    """True if machines can share the database, and it has the table for them."""
    if database.is_sqlite():
        return False
    return Machine._meta.db_table in connection.introspection.table_names()


def register_machine(me: Presence, wall_clock: datetime | None = None) -> None:
    """Write that this machine is alive, unless it comes and does not fit the others that are.

    One that is alive goes on, whatever comes: the one that came later is to be refused.

    Parameters
    ----------
    wall_clock : datetime, optional
        This machine's clock; read by default.

    Raises
    ------
    StartError
        If it must not work on this database now; says what to do.
    """
    # One at a time: of two machines that come at once, the second finds the first.
    with database.write_transaction():
        now = database.server_time()
        ahead = (wall_clock or datetime.now(UTC)) - now
        alive = Machine.objects.alive(now)
        # Who starts again with another role or version comes anew.
        stays = alive.filter(**asdict(me)).exists()
        trouble = clock_trouble(ahead) or ("" if stays else conflict(me, alive))
        if trouble:
            raise StartError(trouble)
        Machine.objects.filter(seen_at__lt=now - FORGET_AFTER).delete()
        Machine.objects.update_or_create(name=me.name, defaults={**asdict(me), "seen_at": now})


def leave(me: Presence) -> None:
    """Delete what says that this machine is alive."""
    Machine.objects.filter(name=me.name, instance=me.instance).delete()


def n_workers(now: datetime) -> int:
    """Return the number of workers of all machines that crawl; 0 if there is one machine."""
    if database.is_sqlite():
        return 0
    crawling = Machine.objects.alive(now).filter(roles__contains="crawl")
    return crawling.aggregate(n=Sum("n_workers"))["n"] or 0


def clock_trouble(ahead: timedelta) -> str:
    """Say that this machine's clock is wrong; empty if it is not."""
    if abs(ahead) <= MAX_CLOCK_ERROR:
        return ""
    way = "ahead of" if ahead > timedelta() else "behind"
    n_minutes = round(abs(ahead) / timedelta(minutes=1))
    return (
        f"The clock of this machine is {n_minutes} minutes {way} that of the PostgreSQL server. "
        "Set both by NTP, and start again."
    )


def conflict(me: Presence, alive: Iterable[Machine]) -> str:
    """Say why a machine does not fit those that are alive; empty if it does."""
    for other in alive:
        trouble = _own_name(me, other) if other.name == me.name else _unlike(me, other)
        if trouble:
            return trouble
    return ""


def _own_name(me: Presence, other: Machine) -> str:
    if other.instance == me.instance:
        return ""
    return (
        f"Another FocusWeb on a machine named {me.name} uses this database. Give each machine a "
        f"host name of its own; after a restart of the machine, wait {SILENT_AFTER.seconds} s."
    )


def _unlike(me: Presence, other: Machine) -> str:
    if other.version != me.version:
        return (
            f"This machine has FocusWeb {me.version}, but {other.name} has {other.version}. "
            "Stop all machines, and give them the same version."
        )
    if other.key_print != me.key_print:
        return (
            f"The secret key of this machine is not that of {other.name}. "
            "Set the same FOCUSWEB_SECRET_KEY on all machines."
        )
    if other.has_role("index") and "index" in me.roles.split(","):
        return (
            f"{other.name} has the role index, which only one machine may have. "
            "Start this one with other roles: manage.py up --role crawl"
        )
    return ""
