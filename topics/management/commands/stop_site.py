"""Leave a site alone from now on, or no longer."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from crawler.api.sites import allow_site, stop_site
from topics.errors import TopicError
from topics.sources.removal import get_site


class Command(BaseCommand):
    help = "Never contact a site again; what it gave so far stays."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("host", help="as in its addresses: www.example.org")
        parser.add_argument("--undo", action="store_true", help="contact it again")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            site = get_site(options["host"])
        except TopicError as error:
            raise CommandError(str(error)) from error
        if options["undo"]:
            n_urls = allow_site(site)
            self.stdout.write(f"{site.name} is contacted again; {n_urls} addresses wait for that.")
            return
        n_urls = stop_site(site, timezone.now())
        self.stdout.write(f"{site.name} is left alone; {n_urls} addresses waited there.")
