"""Write the pages that a topic keeps to a file."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from focusweb.plugins import offers
from topics.errors import TopicError
from topics.management.options import require_pages
from topics.models import Topic
from topics.pages.search_export import export_file, exported_pages


class Command(BaseCommand):
    help = "Write the pages that a topic keeps to a file: CSV, JSON, Markdown or WARC."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--format", help="default: the ending of FILE")
        parser.add_argument("--pages", type=int, help="only the N best pages")

    def handle(self, *args: Any, slug: str, file: Path, **options: Any) -> None:
        known = offers("exporters")
        kind = options["format"] or file.suffix.removeprefix(".")
        if kind not in known:
            raise CommandError(f"{kind!r} is not a format. Formats: {', '.join(known)}")
        require_pages(options["pages"])
        if file.exists() and not file.is_file():
            # A device would be replaced, for all programs of this machine.
            raise CommandError(f"{file} is not a file. Name the file to write.")
        file = file.resolve()  # What a link names is replaced, not the link.
        try:
            topic = Topic.objects.get_named(slug)
        except TopicError as error:
            raise CommandError(str(error)) from error
        pages = exported_pages(topic, options["pages"])
        written = export_file(known[kind], topic.name, pages)
        if written is None:
            raise CommandError(f"the plugin of the format {kind} failed")
        part = file.with_name(f"{file.name}.part")
        try:
            part.write_bytes(written.body)
            os.replace(part, file)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise CommandError(f"{file}: {error.strerror}. Nothing was kept.") from error
        self.stdout.write(f"{file}: {len(pages)} pages")
