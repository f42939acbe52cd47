"""A machine that stays known to the others, and ends when it does not fit any more."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import connection

from crawler.api.machines import Machine, register_machine, this_machine
from focusweb import database
from focusweb.runtime.run_folder import StartError
from tests import databases
from topics.installation.membership import Membership
from topics.installation.roles import check_roles

pytestmark = databases.postgres_only


def wait_for(what: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 30
    while not what():
        assert time.monotonic() < give_up
        time.sleep(0.02)


@pytest.mark.django_db(transaction=True)
def test_a_machine_is_known_while_it_runs() -> None:
    with Membership(this_machine(["crawl"]), every_s=0.05) as membership:
        joined = Machine.objects.get().seen_at
        wait_for(lambda: Machine.objects.get().seen_at > joined)
        membership.check()

    assert not Machine.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_machine_that_was_cut_off_ends_when_another_has_its_role() -> None:
    with Membership(this_machine(["index"]), every_s=0.2) as membership:
        # It was silent for long, and another machine took over.
        with database.write_transaction():
            Machine.objects.all().delete()
            register_machine(replace(this_machine(["index"]), name="web2"))

        def is_refused() -> bool:
            try:
                membership.check()
            except StartError as refusal:
                return "web2 has the role index" in str(refusal)
            return False

        wait_for(is_refused)

    assert [machine.name for machine in Machine.objects.all()] == ["web2"]


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_away_for_a_while_ends_no_machine() -> None:
    with Membership(this_machine(["crawl"]), every_s=0.05) as membership:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        before = Machine.objects.get().seen_at

        wait_for(lambda: Machine.objects.get().seen_at > before)

        membership.check()


def test_pages_need_the_index_of_their_own_machine() -> None:
    check_roles(["web", "index"])
    check_roles(["crawl"])

    with pytest.raises(StartError, match="--role web --role index"):
        check_roles(["web", "crawl"])
