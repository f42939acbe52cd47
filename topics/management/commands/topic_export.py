"""Export a topic as a file."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from topics.interchange import export_document
from topics.models import Topic


class Command(BaseCommand):
    help = "Print a topic as JSON, in the format that topic_import reads."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, slug: str, **options: Any) -> None:
        topic = Topic.objects.filter(slug=slug).first()
        if topic is None:
            known = ", ".join(Topic.objects.order_by("slug").values_list("slug", flat=True)[:20])
            raise CommandError(f"There is no topic {slug!r}. Topics: {known or 'none yet'}.")
        self.stdout.write(json.dumps(export_document(topic), ensure_ascii=False, indent=2))
