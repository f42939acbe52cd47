"""manage.py reindex: build the search index again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from topics.search.errors import SearchError
from topics.search.outbox import ensure, rebuild
from topics.search.store import default_store


class Command(BaseCommand):
    help = "Build the search index anew; searches use the old one until it is ready."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--if-needed",
            action="store_true",
            help="only if the index is missing, damaged or made by another version",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            store = default_store()
            if options["if_needed"]:
                trouble = ensure(store, progress=self._progress)
                if not trouble:
                    self.stdout.write("The search index is in order.")
                    return
                self.stdout.write(f"Reason: {trouble}.")
            else:
                rebuild(store, progress=self._progress)
            self.stdout.write(f"The search index holds {store.open().count()} pages.")
        except SearchError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(
                f"The search index cannot be written ({error.strerror or error}). "
                "Free some space and try again; the old index is untouched."
            ) from error

    def _progress(self, n_pages: int) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"{n_pages} pages", ending="\r")
