"""The command line: Django's commands, as `manage.py` or `focusweb`."""

import os
import sys


def main() -> None:
    """Hand the command line to Django; what people can mend is said in a sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ImportError as error:
        sys.exit(f"Django is not installed for {sys.executable} ({error}). Run: make run")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"FocusWeb cannot start: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
