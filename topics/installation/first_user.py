"""The first user: made on the first start, with a password that is shown once."""

import secrets

from django.contrib.auth import get_user_model

#: No letter or digit that is taken for another one when copied from a screen.
_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
_N_GROUPS, _GROUP_LENGTH = 4, 5
NAME = "admin"


def new_password() -> str:
    """Return a random password that can be read aloud; 100 bits."""
    groups = (
        "".join(secrets.choice(_ALPHABET) for _ in range(_GROUP_LENGTH)) for _ in range(_N_GROUPS)
    )
    return "-".join(groups)


def ensure_first_user() -> str | None:
    """Create the administrator if no user can sign in yet; return the password, else None."""
    users = get_user_model()
    if users.objects.exists():
        return None
    password = new_password()
    users.objects.create_superuser(username=NAME, email="", password=password)
    return password
