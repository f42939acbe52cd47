"""`manage.py backup FILE`: save the installation to one file while it runs."""

import errno
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from topics.errors import BackupError
from topics.installation.backup import make_backup


class Command(BaseCommand):
    help = "Save database, settings and files to one archive; FocusWeb can go on running."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--with-keys",
            action="store_true",
            help="also the signing key, sessions, and settings with passwords",
        )
        parser.add_argument("--overwrite", action="store_true", help="replace an older FILE")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            done = make_backup(
                file,
                timezone.now(),
                with_keys=options["with_keys"],
                overwrite=options["overwrite"],
            )
        except BackupError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(write_error(file.absolute().parent, error)) from error
        self.stdout.write(
            f"{file}: {done.n_topics} topics, {done.n_pages} pages, {done.n_files} files, "
            f"{done.n_bytes / 1e6:.1f} MB"
        )


def write_error(folder: Path, error: OSError) -> str:
    """Why a file could not be written, and what helps."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk of {folder} is full. Nothing was kept. Free some space and try again."
    return f"{error.filename or folder}: {error.strerror or error}."
