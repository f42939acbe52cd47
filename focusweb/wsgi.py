"""Entry point of the web server."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from focusweb.database import keep_connections, shorten_waiting

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
# Before the first connection: a person waits for less time than a crawl can.
shorten_waiting(settings.DATABASES, settings.WEB_DATABASE_WAIT_S)
keep_connections(settings.DATABASES)
application = get_wsgi_application()
