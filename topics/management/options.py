"""Options that several commands have."""

from typing import Final

from django.core.management.base import CommandError

#: The largest number that a column of the tables holds.
MAX_PAGES: Final = 2**31 - 1


def require_pages(n_pages: int | None) -> None:
    """Raise CommandError if `--pages` names a number of pages that cannot be; None names none."""
    if n_pages is None:
        return
    if n_pages < 1:
        raise CommandError(f"--pages must be at least 1, got {n_pages}")
    if n_pages > MAX_PAGES:
        raise CommandError(f"--pages must be at most {MAX_PAGES}, got {n_pages}")
