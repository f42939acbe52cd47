"""Machines over one PostgreSQL: who may join, and how many workers they have."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from crawler.models.machines import SILENT_AFTER, Machine
from crawler.store import machines
from crawler.store.machines import Presence
from focusweb import database
from focusweb.runtime.run_folder import StartError
from tests import databases

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ME = Presence("crawl1", "boot /data", "crawl", 2, "1.0", "print")


def as_machine(presence: Presence, seen_at: datetime = NOON) -> Machine:
    return Machine(
        name=presence.name,
        instance=presence.instance,
        roles=presence.roles,
        n_workers=presence.n_workers,
        version=presence.version,
        key_print=presence.key_print,
        seen_at=seen_at,
    )


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (ME, ""),
        (replace(ME, name="crawl2"), ""),
        (replace(ME, name="web1", roles="web,index"), ""),
        (
            replace(ME, instance="another boot /data"),
            "Another FocusWeb on a machine named crawl1 uses this database. ",
        ),
        (
            replace(ME, name="crawl2", version="0.9"),
            "This machine has FocusWeb 1.0, but crawl2 has 0.9. ",
        ),
        (
            replace(ME, name="crawl2", key_print="another"),
            "The secret key of this machine is not that of crawl2. ",
        ),
    ],
)
def test_a_machine_must_fit_the_others(other: Presence, sentence: str) -> None:
    said = machines.conflict(ME, [as_machine(other)])

    assert said.startswith(sentence)
    assert bool(said) is bool(sentence)


@pytest.mark.parametrize(
    ("mine", "theirs", "fits"),
    [
        ("index", "web,crawl,index", False),
        ("web,index", "index", False),
        ("crawl", "web,crawl,index", True),
        ("web,crawl,index", "crawl", True),
    ],
)
def test_one_machine_writes_the_index(mine: str, theirs: str, *, fits: bool) -> None:
    other = as_machine(replace(ME, name="web1", roles=theirs))

    said = machines.conflict(replace(ME, roles=mine), [other])

    assert said == "" if fits else "web1 has the role index, which only one machine" in said


@pytest.mark.parametrize(
    ("ahead", "sentence"),
    [
        (timedelta(minutes=3), ""),
        (timedelta(minutes=-3), ""),
        (timedelta(minutes=4), "is 4 minutes ahead of that of the PostgreSQL server"),
        (timedelta(hours=-1), "is 60 minutes behind that of the PostgreSQL server"),
    ],
)
def test_a_clock_may_be_wrong_by_minutes(ahead: timedelta, sentence: str) -> None:
    said = machines.clock_trouble(ahead)

    assert sentence in said
    assert bool(said) is bool(sentence)


@databases.postgres_only
@pytest.mark.django_db
def test_the_workers_of_living_machines_that_crawl_are_counted() -> None:
    for number, roles in enumerate(["crawl", "web,crawl,index", "web,index", "crawl"]):
        silent_for = 2 * SILENT_AFTER if number == 3 else timedelta()
        as_machine(replace(ME, name=f"m{number}", roles=roles), NOON - silent_for).save()

    assert machines.n_workers(NOON) == 4


@databases.sqlite_only
@pytest.mark.django_db
def test_with_sqlite_there_are_no_other_machines() -> None:
    assert not machines.is_shared()
    assert machines.n_workers(NOON) == 0


@databases.postgres_only
@pytest.mark.django_db
def test_a_machine_joins_stays_and_leaves() -> None:
    assert machines.is_shared()
    machines.register_machine(ME)
    machines.register_machine(ME)
    [machine] = Machine.objects.alive(database.server_time())
    assert (machine.name, machine.has_role("crawl"), machine.has_role("index")) == (
        "crawl1",
        True,
        False,
    )

    machines.leave(replace(ME, instance="another"))
    assert Machine.objects.exists()
    machines.leave(ME)

    assert not Machine.objects.exists()


@databases.postgres_only
@pytest.mark.django_db
def test_a_machine_that_is_alive_goes_on_whatever_comes() -> None:
    machines.register_machine(ME)
    as_machine(replace(ME, name="old1", version="0.0.9"), database.server_time()).save()

    machines.register_machine(ME)

    with pytest.raises(StartError, match=r"old1 has 0\.0\.9"):
        machines.register_machine(replace(ME, roles="web"))

    Machine.objects.filter(name=ME.name).update(seen_at=database.server_time() - 2 * SILENT_AFTER)
    with pytest.raises(StartError, match=r"old1 has 0\.0\.9"):
        machines.register_machine(ME)


def second_index() -> Presence:
    return replace(ME, roles="index")


def other_key() -> Presence:
    return replace(ME, key_print="another")


@databases.postgres_only
@pytest.mark.django_db
@pytest.mark.parametrize("newcomer", [second_index, other_key])
def test_a_machine_that_does_not_fit_is_refused_while_the_others_live(
    newcomer: Callable[[], Presence],
) -> None:
    machines.register_machine(replace(ME, name="web1", roles="web,index"))

    with pytest.raises(StartError, match="web1"):
        machines.register_machine(newcomer())
    assert [machine.name for machine in Machine.objects.all()] == ["web1"]

    Machine.objects.update(seen_at=database.server_time() - 2 * SILENT_AFTER)
    machines.register_machine(newcomer())
    assert Machine.objects.count() == 2


@databases.postgres_only
@pytest.mark.django_db
def test_machines_that_are_gone_for_long_are_forgotten() -> None:
    as_machine(replace(ME, name="old"), database.server_time() - timedelta(days=2)).save()

    machines.register_machine(ME)

    assert [machine.name for machine in Machine.objects.all()] == ["crawl1"]


@databases.postgres_only
@pytest.mark.django_db
def test_a_machine_whose_clock_is_off_is_refused() -> None:
    with pytest.raises(StartError, match="60 minutes ahead"):
        machines.register_machine(ME, database.server_time() + timedelta(hours=1))
