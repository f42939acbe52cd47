#!/usr/bin/env python3
"""Run one of FocusWeb's commands: `python manage.py help` lists them."""

from focusweb.command_line import main

if __name__ == "__main__":
    main()
