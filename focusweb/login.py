"""Signing in by name and password, with pauses after wrong ones; for every form there is."""

import secrets
import time
import unicodedata
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest

from focusweb.web.login_limits import LoginLimits, place_of_address
from focusweb.web.password_hashing import QueueAccess, queue_access

#: The cookie that recognises a browser in which a user has signed in before.
BROWSER_S: Final = 365 * 24 * 3600
_SALT: Final = "focusweb.browser"

limits: Final = LoginLimits()


class LoginPausedError(Exception):
    """There were too many wrong passwords; the next try has to wait."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"wait {wait_s:.0f} s")
        self.wait_s = wait_s


def browser_mark(username: str) -> str:
    """Return the cookie for a browser in which `username` has just signed in."""
    return signing.dumps([account_of(username), secrets.token_urlsafe(9)], salt=_SALT)


def account_of(username: str) -> str:
    """Return a name as an account; names that look alike are one."""
    return unicodedata.normalize("NFKC", username[:200]).casefold()


def _known_place(account: str, mark: str) -> str:
    """The browser that carries a mark of this account; empty if it carries none."""
    try:
        name, place = signing.loads(mark, salt=_SALT, max_age=BROWSER_S)
    except (signing.BadSignature, ValueError, TypeError):
        return ""
    return f"browser {place}" if name == account else ""


class LimitedBackend(ModelBackend):
    """Django's own check of passwords, with pauses."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> User | None:
        """Return the person if the password is right.

        Raises
        ------
        LoginPausedError
            If this place has to wait. The password was not checked.
        """
        if request is None or username is None or password is None:
            return super().authenticate(request, username=username, password=password, **kwargs)
        account = account_of(username)
        known = _known_place(account, request.COOKIES.get(settings.BROWSER_COOKIE_NAME, ""))
        place = known or place_of_address(request.META.get("REMOTE_ADDR", ""))
        wait_s = limits.attempt(account, place, time.monotonic(), is_known=bool(known))
        if wait_s:
            raise LoginPausedError(wait_s)
        has_failed = limits.has_failed(account, place, is_known=bool(known))
        before = queue_access.set(
            QueueAccess.NONE
            if has_failed
            else QueueAccess.RESERVED
            if known
            else QueueAccess.COMMON
        )
        try:
            user = super().authenticate(request, username=username, password=password, **kwargs)
        except Exception:
            limits.withdraw(account, place)  # no answer, so no failure
            raise
        finally:
            queue_access.reset(before)
        if user is not None:
            limits.succeed(account, place)
        return user
