"""`manage.py restore FILE`: put a backup into an empty data folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from focusweb.runtime.run_folder import RunFolder, StartError
from topics.errors import BackupError
from topics.installation.backup import database_file
from topics.installation.backup_archive import SETTINGS, Manifest
from topics.installation.restore import restore
from topics.management.commands.backup import write_error


class Command(BaseCommand):
    help = "Put a backup into an empty data folder (FOCUSWEB_DATA), update it and build the index."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        folder = settings.DATA_DIR
        try:
            with RunFolder(settings.RUN_DIR).locked("restore"):
                manifest = restore(file, folder, database_file())
        except (BackupError, StartError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(write_error(folder, error)) from error
        # What follows may fail, and what was said before then is still true.
        self._report(manifest, folder)
        call_command("migrate", interactive=False, verbosity=0)
        try:
            call_command("reindex", stdout=self.stdout)
        except CommandError as error:
            raise CommandError(
                "The data is restored, but its search index is not built: "
                f"{str(error).rstrip('.')}. "
                "Correct that, then run: manage.py reindex"
            ) from error

    def _report(self, manifest: Manifest, folder: Path) -> None:
        self.stdout.write(f"Restored the backup of {manifest.made:%Y-%m-%d %H:%M} UTC to {folder}.")
        if not manifest.with_keys:
            self.stdout.write(
                "It holds no keys: all users sign in again, and links in older mails have ended."
            )
        if (folder / SETTINGS).stat().st_size:
            self.stdout.write(
                f"Its settings are in {folder / SETTINGS}. Set them where FocusWeb starts."
            )
