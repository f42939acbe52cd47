"""Write a topic's own crawl as a web snapshot."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from crawler.api.reasons import CrawlError
from crawler.api.replay import export_snapshot, read_stored_crawl
from topics.errors import TopicError
from topics.management.options import require_pages
from topics.models import Topic


class Command(BaseCommand):
    help = "Write a topic's own crawl as a web snapshot, for evaluate to read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("folder", metavar="DIR", type=Path)
        parser.add_argument("--pages", type=int, help="only the newest N pages, seeds included")
        parser.add_argument(
            "--overwrite", action="store_true", help="replace a snapshot that lies there"
        )

    def handle(self, *args: Any, slug: str, folder: Path, **options: Any) -> None:
        try:
            topic = Topic.objects.get_named(slug)
        except TopicError as error:
            raise CommandError(str(error)) from error
        require_pages(options["pages"])
        if topic.crawl is None:
            raise CommandError(f"{slug}: it was never crawled; `crawl {slug}` does that")
        try:
            stored = read_stored_crawl(topic.crawl, max_pages=options["pages"])
            with tqdm(total=len(stored.pages), unit="page", disable=None) as bar:
                done = export_snapshot(
                    stored, folder, overwrite=options["overwrite"], progress=bar.update
                )
        except CrawlError as error:
            raise CommandError(f"{slug}: {error}") from error
        self.stdout.write(
            f"{folder}: {done.n_pages} pages, {done.n_links} links; {done.n_relevant} pages of the"
            f" topic, {done.n_reachable} of them reached by links from the seeds"
        )
