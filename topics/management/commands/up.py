"""`manage.py up`: FocusWeb in one command."""

import errno
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, Error, connection
from django.utils import timezone
from django_q.models import OrmQ, Schedule

from focusweb.address import answers, require_free_port, shown_address
from focusweb.run_folder import RunFolder, StartError
from focusweb.supervisor import ChildPlan, Pace, Supervisor
from topics.first_user import NAME, ensure_first_user
from topics.tasks import ensure_tick

DEMO_SEARCH = "http://search.demo.test/search"
DEMO_DELAY_S = "0.2"


class Command(BaseCommand):
    """Starts the web server and the background worker, and keeps them running."""

    help = "Start FocusWeb: web server, background worker and demo web; Ctrl-C stops it."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One option, for people who want no demo web this time only."""
        parser.add_argument("--no-demo", action="store_true", help="leave the demo web out")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until stopped; what a person can mend is said in a sentence."""
        demo = settings.DEMO and not options["no_demo"]
        try:
            self._run(demo)
        except StartError as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(
                f"The database cannot be used: {error}. Check DATABASE_URL, or the free space "
                f"and permissions of {settings.DATA_DIR}."
            ) from error
        except OSError as error:
            raise CommandError(f"{_sentence(error)} The data is in {settings.DATA_DIR}.") from error

    def _run(self, demo: bool) -> None:
        address = shown_address(settings.HOST, settings.PORT)
        folder = RunFolder(settings.RUN_DIR)
        with folder.locked(address):
            stale = folder.end_stale_children()
            if stale:
                self.stdout.write(f"Ended {stale} processes that an interrupted run left behind.")
            require_free_port(settings.HOST, settings.PORT, "FOCUSWEB_PORT")
            if demo:
                require_free_port("127.0.0.1", settings.DEMO_PORT, "FOCUSWEB_DEMO_PORT")
            self._prepare(demo)
            self.stdout.write("Starting ... (Ctrl-C stops)")
            supervisor = Supervisor(
                child_plans(demo),
                folder,
                environment=child_environment(demo),
                is_work_due=lambda: is_work_due(Pace().stall_after_s),
                on_look=self._announcer(address),
            )
            supervisor.run()
        self.stdout.write("Stopped.")

    def _prepare(self, demo: bool) -> None:
        """Bring the tables up to date, and leave nobody before a locked door or an empty page."""
        call_command("migrate", interactive=False, verbosity=0)
        password = ensure_first_user()
        if password:
            self.stdout.write(f"\n  Sign in as   {NAME}\n  password     {password}\n")
            self.stdout.write(
                "  This password is shown only now. Later: manage.py changepassword\n\n"
            )
        ensure_tick()
        connection.close()
        if demo:
            self._load_demo()

    def _load_demo(self) -> None:
        """In a process of its own: only there the demo's hosts lead to the demo web."""
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "load_demo"]
        self.stdout.flush()
        done = subprocess.run(command, env=child_environment(demo=True), check=False)
        if done.returncode != 0:
            self.stderr.write("The demo topics could not be loaded; going on without them.")

    def _announcer(self, address: str) -> Callable[[], None]:
        """Print the address once, when somebody answers there."""
        told: list[bool] = []

        def announce() -> None:
            if not told and answers(settings.HOST, settings.PORT):
                told.append(True)
                self.stdout.write(f"FocusWeb is ready at {address}")
                self.stdout.flush()

        return announce


def child_plans(demo: bool) -> list[ChildPlan]:
    """The processes FocusWeb consists of."""
    manage = (sys.executable, str(settings.BASE_DIR / "manage.py"))
    plans = [
        # One process: it keeps SQLite and memory simple.
        ChildPlan("web", (*manage, "serve")),
        ChildPlan("cluster", (*manage, "qcluster"), is_watched=True),
    ]
    if demo:
        plans.append(ChildPlan("demo", (*manage, "serve_demo", "--port", str(settings.DEMO_PORT))))
    return plans


def child_environment(demo: bool) -> dict[str, str]:
    """Our own environment, with the demo web's hosts led to where they are served."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    if demo:
        # The first rule that fits decides: ours is narrow, the user's may be "*".
        rules = (f"*.demo.test=127.0.0.1:{settings.DEMO_PORT}", settings.CONNECT_TO)
        environment["FOCUSWEB_CONNECT_TO"] = ",".join(rule for rule in rules if rule)
        # Slow enough that a person can watch the first crawl, as polite as a real one.
        environment.setdefault("FOCUSWEB_MAPPED_SITE_DELAY", DEMO_DELAY_S)
        environment["FOCUSWEB_SEARXNG_URL"] = settings.SEARXNG_URL or DEMO_SEARCH
    return environment


def is_work_due(late_s: float) -> bool:
    """Whether a task waits or is in hand, or a schedule was missed by `late_s` seconds."""
    late = timezone.now() - timedelta(seconds=late_s)
    try:
        is_waiting: bool = OrmQ.objects.exists()
        return is_waiting or bool(Schedule.objects.filter(next_run__lt=late).exists())
    except Error as error:
        # A database that is away is no fault of the cluster; it says so itself in its log.
        connection.close()
        sys.stderr.write(f"The supervisor cannot read the queue: {error}\n")
        return False


def _sentence(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full. Free some space and start again."
    return f"Cannot use {error.filename or 'a file'}: {error.strerror}."
