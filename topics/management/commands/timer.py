"""`manage.py timer`: what is due by the clock, while `manage.py up` runs."""

import signal
import threading
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from focusweb.runtime.run_folder import RunFolder, StartError
from topics import timer
from topics.installation.roles import add_roles, chosen_roles


class Command(BaseCommand):
    help = (
        "Begin due runs, take back what dead processes held, bring the index up to date, send"
        " digests; Ctrl-C stops it. `up` starts it for you."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_roles(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        folder, stop = RunFolder(settings.RUN_DIR), threading.Event()

        def end(number: int, frame: FrameType | None) -> None:
            stop.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, end)
        try:
            timer.run(folder, timer.jobs(folder, chosen_roles(options)), stop)
        except StartError as error:
            raise CommandError(str(error)) from error
