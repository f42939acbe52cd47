"""Export a topic as a file."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from topics.errors import TopicError
from topics.models import Topic
from topics.topic_file import export_bundle, export_document


class Command(BaseCommand):
    help = "Print a topic as JSON, in the format that topic_import reads."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the topic's short name, or PERSON/NAME")
        parser.add_argument(
            "--bundle",
            action="store_true",
            help="also concepts with their ontologies, examples, ratings, searches, rules, digest",
        )

    def handle(self, *args: Any, slug: str, bundle: bool, **options: Any) -> None:
        try:
            topic = Topic.objects.get_named(slug)
        except TopicError as error:
            raise CommandError(str(error)) from error
        export = export_bundle if bundle else export_document
        self.stdout.write(json.dumps(export(topic), ensure_ascii=False, indent=2))
