"""`manage.py serve`: the web server alone."""

import gc
import logging
import sys
from argparse import ArgumentParser
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.core.servers.basehttp import get_internal_wsgi_application
from django.db import connections

from focusweb.runtime.address import url_host
from focusweb.web.page_process import SharedProgram, answer_lines, has_second_core
from focusweb.web.web_server import make_servers, serve_until_signal


class Command(BaseCommand):
    """Answers on FOCUSWEB_HOST and FOCUSWEB_PORT until it is stopped."""

    help = "Serve the web pages only; `manage.py up` starts this and the background worker."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add what the web server gives the second process that it starts."""
        parser.add_argument(
            "--lines",
            type=int,
            nargs="+",
            metavar="NUMBER",
            help="answer what another `serve` sends by these open sockets; it adds this option",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve until SIGTERM or SIGINT."""
        program = get_internal_wsgi_application()
        _keep_what_is_loaded()
        if options["lines"]:
            answer_lines(program, options["lines"])
            return
        # All threads busy for a moment is not news.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        bind = f"{url_host(settings.HOST)}:{settings.PORT}"
        command = (sys.executable, str(settings.BASE_DIR / "manage.py"), "serve", "--lines")
        shared = SharedProgram(program, command) if has_second_core() else None
        if shared is not None:
            connections.close_all()  # no two processes may use one
            shared.fork()
        try:
            servers = make_servers(
                shared or program,
                bind,
                proxy=settings.PROXY,
                pass_name=settings.UPLOAD_PASS_NAME,
            )
        except OSError as error:
            if shared is not None:
                shared.close()
            raise CommandError(f"Cannot listen on {bind}: {error.strerror}.") from error
        try:
            serve_until_signal(servers)
        finally:
            if shared is not None:
                shared.close()


def _keep_what_is_loaded() -> None:
    """Load the pages, and keep them from the search for garbage.

    Python would look through all of it, again and again: a fifth of the time of a page that makes
    many objects.
    """
    import_module(settings.ROOT_URLCONF)
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
