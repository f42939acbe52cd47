"""`manage.py up`: FocusWeb in one command."""

import errno
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Collection
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, Error, connection
from django.utils import timezone
from django_q.models import OrmQ

from crawler.api.machines import ROLES, is_shared, register_machine, this_machine
from crawler.api.runs import wrong_settings
from crawler.api.tasks import recover_runs
from crawler.api.text import MAKE_NOUN_TABLE, must_make_noun_table
from focusweb.database import connection_advice
from focusweb.plugins import wanted_plugins
from focusweb.runtime import processes, wakeups
from focusweb.runtime.address import answers, require_free_port, shown_address
from focusweb.runtime.run_folder import RunFolder, StartError
from focusweb.runtime.supervisor import ChildPlan, ProgressSign, Supervisor
from focusweb.web import static_files
from topics import timer
from topics.installation.first_user import NAME, ensure_first_user
from topics.installation.membership import Membership
from topics.installation.roles import add_roles, check_roles, check_tables, chosen_roles

DEMO_SEARCH = "http://search.demo.test/search"
DEMO_DELAY_S = "0.2"

#: Time after which a cluster with work but without progress is replaced.
STILL_S = 30.0
#: The same for what the timer does, by job: longer than a round ever takes.
JOBS_STALL_S = {
    "tick": 90.0,
    "runs": 60.0,
    "sites": 90.0,
    "index": 300.0,
    "mail": 240.0,
    "channels": 240.0,
}


class Command(BaseCommand):
    """Starts the web server and the background worker, and keeps them running."""

    help = "Start FocusWeb: web server, background worker and demo web; Ctrl-C stops it."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What this machine does."""
        parser.add_argument("--no-demo", action="store_true", help="leave the demo web out")
        add_roles(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until stopped; problems that users can fix are printed as one sentence."""
        roles = chosen_roles(options)
        # The demo web is on this machine: those of other machines could not crawl it.
        demo = settings.DEMO and not options["no_demo"] and roles == ROLES
        try:
            check_roles(roles)
            check_settings()
            self._run(demo, roles)
        except StartError as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(
                connection_advice(error)
                or f"The database cannot be used: {error}. Check DATABASE_URL, or the free space "
                f"and permissions of {settings.DATA_DIR}."
            ) from error
        except OSError as error:
            raise CommandError(f"{_sentence(error)} The data is in {settings.DATA_DIR}.") from error

    def _run(self, demo: bool, roles: tuple[str, ...]) -> None:
        address = shown_address(settings.HOST, settings.PORT) if "web" in roles else ""
        folder = RunFolder(settings.RUN_DIR)
        with folder.locked(address):
            stale = folder.end_stale_children()
            if stale:
                self.stdout.write(f"Ended {stale} processes that an interrupted run left behind.")
            if address:
                require_free_port(settings.HOST, settings.PORT, "FOCUSWEB_PORT")
            if demo:
                require_free_port("127.0.0.1", settings.DEMO_PORT, "FOCUSWEB_DEMO_PORT")
            me = this_machine(roles)
            # Before the tables are changed under machines of another version.
            if is_shared():
                register_machine(me)
            self._prepare(demo, roles)
            with Membership(me) as membership:
                connection.close()
                self.stdout.write("Starting ... (Ctrl-C stops)")
                Supervisor(
                    child_plans(demo, roles),
                    folder,
                    environment=child_environment(demo),
                    fallback=fallback_environment(),
                    on_look=self._announcer(address, roles, membership),
                ).run()
        self.stdout.write("Stopped.")

    def _prepare(self, demo: bool, roles: Collection[str]) -> None:
        """Bring tables and static files up to date; create a first user and the demo topics."""
        if "index" in roles:
            call_command("migrate", interactive=False, verbosity=0)
        else:
            check_tables()
        if "crawl" in roles and must_make_noun_table():
            self._make_noun_table()
        if "web" in roles:
            static_files.make_hashed_files(settings.HASHED_STATIC_DIR)
            self._make_first_user()
        connection.close()
        if demo:
            self._load_demo()

    def _make_noun_table(self) -> None:
        """In a process of its own, which gives its memory back; without it each crawl does it."""
        self.stdout.write("Preparing the dictionary ...")
        self.stdout.flush()
        command = [sys.executable, *MAKE_NOUN_TABLE]
        subprocess.run(command, cwd=settings.BASE_DIR, check=False)

    def _make_first_user(self) -> None:
        password = ensure_first_user()
        if password:
            self.stdout.write(f"\n  Sign in as   {NAME}\n  password     {password}\n")
            self.stdout.write(
                "  This password is shown only now. Later: manage.py changepassword\n\n"
            )

    def _load_demo(self) -> None:
        """In a process of its own: only there the demo's hosts lead to the demo web."""
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "load_demo"]
        self.stdout.flush()
        done = subprocess.run(command, env=child_environment(demo=True), check=False)
        if done.returncode != 0:
            self.stderr.write("The demo topics could not be loaded; going on without them.")

    def _announcer(
        self, address: str, roles: Collection[str], membership: Membership
    ) -> Callable[[], None]:
        """Print once that all has started; with the address, when a server answers there."""
        announced: list[bool] = []

        def announce() -> None:
            membership.check()
            if not announced and (not address or answers(settings.HOST, settings.PORT)):
                announced.append(True)
                place = f"at {address}" if address else f"for: {', '.join(roles)}"
                self.stdout.write(f"FocusWeb is ready {place}")
                self.stdout.flush()

        return announce


def check_settings() -> None:
    """Refuse settings without which no page could be fetched.

    Raises
    ------
    StartError
    """
    for name, problem in wrong_settings():
        raise StartError(f"{name}: {problem}.")


def child_plans(demo: bool, roles: Collection[str] = ROLES) -> list[ChildPlan]:
    """The processes FocusWeb consists of on a machine with some roles."""
    manage = (sys.executable, str(settings.BASE_DIR / "manage.py"))
    plans = background_plans(RunFolder(settings.RUN_DIR), manage, roles)
    if "web" in roles:
        # It starts a second process itself when many read at once.
        plans.insert(0, ChildPlan("web", (*manage, "serve")))
    if demo:
        plans.append(ChildPlan("demo", (*manage, "serve_demo", "--port", str(settings.DEMO_PORT))))
    return plans


def child_environment(demo: bool) -> dict[str, str]:
    """Our own environment, with the demo web's hosts led to where they are served."""
    environment = {**processes.MEMORY_SETTINGS, **os.environ, "PYTHONUNBUFFERED": "1"}
    if demo:
        # The first rule that fits decides: ours is narrow, the user's may be "*".
        rules = (f"*.demo.test=127.0.0.1:{settings.DEMO_PORT}", settings.CONNECT_TO)
        environment["FOCUSWEB_CONNECT_TO"] = ",".join(rule for rule in rules if rule)
        # Slow enough that a person can watch the first crawl, as polite as a real one.
        environment.setdefault("FOCUSWEB_MAPPED_SITE_DELAY", DEMO_DELAY_S)
        environment["FOCUSWEB_SEARXNG_URL"] = settings.SEARXNG_URL or DEMO_SEARCH
    return environment


def fallback_environment() -> dict[str, str]:
    """What children that cannot start with their plugins are started with."""
    return {"FOCUSWEB_SAFE_MODE": "1"} if wanted_plugins() else {}


def background_plans(
    folder: RunFolder, manage: tuple[str, ...], roles: Collection[str] = ROLES
) -> list[ChildPlan]:
    """The cluster, which works off the queue, and the timer, which is outside it."""
    plans = []
    if "crawl" in roles:
        cluster = (
            # Longer than a task's time limit (90 s).
            ProgressSign(folder.beat, 150.0, is_work_due),
            # A working process touches its file every few seconds.
            ProgressSign(folder.pulse, STILL_S, is_work_due),
        )
        # The timer makes the system checks: a crawl that goes on need not wait for them.
        command = (*manage, "qcluster", "--skip-checks")
        plans.append(ChildPlan("cluster", command, cluster, before_start=free_work))
    if "crawl" in roles or "index" in roles:
        jobs = timer.jobs(folder, roles)
        signs = tuple(ProgressSign(folder.job(one.name), JOBS_STALL_S[one.name]) for one in jobs)
        chosen = (word for role in roles for word in ("--role", role))
        plans.append(ChildPlan("timer", (*manage, "timer", *chosen), signs))
    return plans


def is_work_due() -> bool:
    """Whether a task waits or is in hand."""
    return bool(_query_queue(OrmQ.objects.exists))


def free_work() -> None:
    """Take back what the last cluster had in hand, and wake the next one for it."""
    _query_queue(lambda: wakeups.release(timezone.now()))
    # The timer would do so too, as soon as it has started.
    _query_queue(recover_runs)


def _query_queue(question: Callable[[], int]) -> int:
    try:
        return question()
    except Error as error:
        # A database that is away is not a failure of the cluster; its log names it.
        connection.close()
        sys.stderr.write(f"The supervisor cannot reach the queue: {error}\n")
        return 0


def _sentence(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full. Free some space and start again."
    return f"Cannot use {error.filename or 'a file'}: {error.strerror}."
