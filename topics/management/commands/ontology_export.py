"""Print an ontology as Turtle."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crawler.models import Ontology
from topics.ontologies import export_turtle


class Command(BaseCommand):
    help = "Print an ontology as Turtle, in the form that ontology_import reads."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG")

    def handle(self, *args: Any, slug: str, **options: Any) -> None:
        ontology = Ontology.objects.filter(slug=slug).first()
        if ontology is None:
            known = ", ".join(Ontology.objects.values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no ontology {slug!r}; there are: {known}")
        self.stdout.write(export_turtle(ontology), ending="")
