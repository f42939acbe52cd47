"""Print an ontology as Turtle."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crawler.api.tables import Ontology
from topics.profile.ontologies import export_turtle


class Command(BaseCommand):
    help = "Print an ontology as Turtle, in the form that ontology_import reads."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "slug", metavar="NAME", help="its short name, PERSON/NAME, or /NAME if it has no owner"
        )

    def handle(self, *args: Any, slug: str, **options: Any) -> None:
        found = list(Ontology.objects.named(slug).select_related("owner"))
        if len(found) == 1:
            self.stdout.write(export_turtle(found[0]), ending="")
            return
        known = ", ".join(one.full_name() for one in found or Ontology.objects.all()) or "none"
        if found:
            raise CommandError(f"Several people have an ontology {slug!r}; name one of {known}")
        raise CommandError(f"There is no ontology {slug!r}; there are: {known}")
