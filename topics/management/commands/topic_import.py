"""Import a topic from a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from topics.errors import TopicError
from topics.topic_file import read_bundle, save_bundle


class Command(BaseCommand):
    help = (
        "Import a topic from a JSON file; the owner's topic of the same slug is brought up to date."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.json")
        parser.add_argument("--owner", metavar="NAME", help="default: the first superuser")

    def handle(self, *args: Any, file: Path, owner: str | None, **options: Any) -> None:
        try:
            bundle = read_bundle(file.read_bytes())
            topic, created = save_bundle(
                bundle, find_owner(owner), timezone.now(), may_add_ontologies=True
            )
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        except TopicError as error:
            raise CommandError(f"{file}: {error}") from error
        done = "imported" if created else "brought up to date"
        self.stdout.write(f"Topic {topic.slug} of {topic.owner} {done}.")


def find_owner(name: str | None) -> AbstractBaseUser:
    """The person of a name, or else the first superuser."""
    people = get_user_model()._default_manager
    if name is not None:
        owner = people.filter(**{get_user_model().USERNAME_FIELD: name}).first()
        if owner is None:
            raise CommandError(f"There is no user {name!r}. Create one: manage.py createsuperuser")
        return owner
    owner = people.filter(is_superuser=True).order_by("pk").first()
    if owner is None:
        raise CommandError(
            "There is no superuser to own it. Create one with manage.py createsuperuser, "
            "or name a user with --owner."
        )
    return owner
