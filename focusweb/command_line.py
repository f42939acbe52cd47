"""The command line: Django's commands, as `manage.py` or `focusweb`, and the API client."""

import os
import sys

from focusweb import client


def console() -> None:
    """`focusweb`: the client's commands go to the API, all others to Django."""
    if sys.argv[1:2] and sys.argv[1] in client.COMMANDS:
        sys.exit(client.main(sys.argv[1:]))
    main()


def main() -> None:
    """Hand the command line to Django; problems that users can fix are printed as one sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
        from django.db import Error

        from focusweb.database import fault_sentence
    except ImportError as error:
        sys.exit(f"Django is not installed for {sys.executable} ({error}). Run: make run")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"FocusWeb cannot start: {error}")
    except Error as error:
        # Not for what is a fault of the program: that needs its traceback.
        if not (sentence := fault_sentence(error)):
            raise
        sys.exit(sentence)
    except KeyboardInterrupt:
        sys.exit(130)
