"""`manage.py serve`: the web server alone."""

import gc
import logging
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.core.servers.basehttp import get_internal_wsgi_application

from focusweb.runtime.address import url_host
from focusweb.web.web_server import make_servers, serve


class Command(BaseCommand):
    """Answers on FOCUSWEB_HOST and FOCUSWEB_PORT until it is stopped."""

    help = "Serve the web pages only; `manage.py up` starts this and the background worker."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve until SIGTERM or SIGINT."""
        # All threads busy for a moment is not news.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        bind = f"{url_host(settings.HOST)}:{settings.PORT}"
        try:
            servers = make_servers(
                get_internal_wsgi_application(),
                bind,
                proxy=settings.PROXY,
                pass_name=settings.UPLOAD_PASS_NAME,
            )
        except OSError as error:
            raise CommandError(f"Cannot listen on {bind}: {error.strerror}.") from error
        # What is loaded by now stays. Python would look through all of it for garbage, again and
        # again: a fifth of the time of a page that makes many objects.
        import_module(settings.ROOT_URLCONF)
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)
        serve(servers)
