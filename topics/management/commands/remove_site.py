"""Remove a site whose owner requests it."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from topics.errors import TopicError
from topics.sources.removal import find_remains, get_site, remove_everywhere


class Command(BaseCommand):
    help = "Delete all that came from a site, in tables and index, and never contact it again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("host", help="as in its addresses: www.example.org")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            site = get_site(options["host"])
        except TopicError as error:
            raise CommandError(str(error)) from error
        removed = remove_everywhere(site, timezone.now())
        self.stdout.write(
            f"Removed {len(removed.pages)} pages and {removed.n_urls} addresses of {site.name}."
        )
        left = find_remains(site, removed)
        for rest in left:
            self.stdout.write(
                f"Left: {rest}. A crawl is at work on it: run this again in a minute."
            )
        if left:
            sys.exit(1)
