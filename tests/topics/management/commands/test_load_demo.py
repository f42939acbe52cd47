"""The sample topics come whole, whenever their first loading ends."""

import sqlite3
from contextlib import closing
from pathlib import Path

from django.core.management import call_command
from pytest_django import Settings

from tests import databases
from tests.topics.factories import Scene
from tests.topics.management.commands.test_restore import manage
from topics.models import Topic


@databases.sqlite_only
def test_sample_topics_have_their_concepts_after_a_death_while_they_are_loaded(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    databases.make_tables(data)
    user = ("--noinput", "--username", "ann", "--email", "ann@reader.test")
    assert manage(data, "createsuperuser", *user, DJANGO_SUPERUSER_PASSWORD="a long one 1")[0] == 0

    demo = {"FOCUSWEB_CONNECT_TO": "*.demo.test=127.0.0.1:8899"}
    assert manage(data, "load_demo", FOCUSWEB_KILL_AT="import.parsed:1", **demo)[0] == -9
    code, out, errors = manage(data, "load_demo", **demo)

    assert (code, out) == (0, "2 sample topics loaded.\n"), errors
    with closing(sqlite3.connect(data / databases.FILE)) as base:
        query = "SELECT count(DISTINCT topic_id) FROM topics_attachedconcept"
        assert base.execute(query).fetchone() == (2,)


def test_sample_topics_that_were_deleted_do_not_come_again(
    scene: Scene, settings: Settings, tmp_path: Path
) -> None:
    """The process that loaded them ended before it noted so."""
    settings.DATA_DIR = tmp_path
    Topic.objects.update(sample=True)
    call_command("load_demo", verbosity=0)
    Topic.objects.all().delete()

    call_command("load_demo", verbosity=0)

    assert not Topic.objects.exists()
