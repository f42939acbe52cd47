"""Read the environment, refusing what makes no sense before anything starts."""

import contextlib
import os
import re
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from crawler.errors import CrawlError
from focusweb.database import POSTGRESQL, SQLITE
from focusweb.runtime import data_folder

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off", ""})


def text(name: str, default: str = "") -> str:
    """Return the variable's value without surrounding blanks."""
    return os.environ.get(name, default).strip()


def given() -> dict[str, str]:
    """Return the settings of this program that the environment holds, by name."""
    ours = (name for name in os.environ if name.startswith("FOCUSWEB_") or name == "DATABASE_URL")
    return {name: os.environ[name] for name in sorted(ours)}


def flag(name: str, default: bool) -> bool:
    """Return the variable as yes or no."""
    value = text(name, "1" if default else "0").lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, got {value!r}")


def number(name: str, default: float, lowest: float, highest: float) -> float:
    """Return the variable as a number in [lowest, highest]."""
    value = text(name, str(default))
    try:
        result = float(value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a number, got {value!r}") from error
    if not lowest <= result <= highest:
        raise ImproperlyConfigured(f"{name} must be from {lowest} to {highest}, got {value!r}")
    return result


def whole_number(name: str, default: int, lowest: int, highest: int) -> int:
    """Return the variable as a whole number in [lowest, highest]."""
    result = number(name, default, lowest, highest)
    if result != int(result):
        raise ImproperlyConfigured(f"{name} must be a whole number, got {result}")
    return int(result)


def words(name: str, default: str = "") -> list[str]:
    """Return the variable as a list of words separated by commas."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def names(name: str) -> list[str]:
    """Return the variable as a list of names, each once; a path is not a name."""
    found = list(dict.fromkeys(words(name)))
    for one in found:
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", one):
            raise ImproperlyConfigured(
                f"{name} must be names of letters, digits, _ . - with commas, got {one!r}"
            )
    return found


def folder(name: str, default: Path) -> Path:
    """Return the variable as a folder; if it is empty, the default, not the working folder."""
    return Path(text(name) or default).absolute()


def time_zone(name: str, default: str) -> str:
    """Return the variable as the name of a time zone."""
    value = text(name, default)
    try:
        ZoneInfo(value)
    except (ValueError, KeyError, OSError) as error:
        raise ImproperlyConfigured(
            f"{name} must be a time zone such as Asia/Shanghai, got {value!r}"
        ) from error
    return value


_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def log_level(name: str, default: str) -> str:
    """Return the variable as the least severe level that is logged."""
    value = text(name, default)
    if value.upper() not in _LEVELS:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(_LEVELS)}, got {value!r}")
    return value.upper()


def database_address(name: str, default: str) -> dict[str, Any]:
    """Return the database that the variable names; a refusal never shows the password."""
    try:
        found = dict(dj_database_url.parse(text(name, default)))
    except ValueError:
        found = {}
    if found.get("ENGINE") not in (SQLITE, POSTGRESQL):
        raise ImproperlyConfigured(
            f"{name} must be postgres://USER:PASSWORD@HOST:PORT/NAME or sqlite:///FILE;"
            " characters such as @ and / in the password are written as %40 and %2F"
        )
    return found


def checked(name: str, check: Callable[[str], object]) -> str:
    """Return the variable's value after a check of it, which raises a `CrawlError`; "" is none."""
    value = text(name)
    try:
        if value:
            check(value)
    except CrawlError as error:
        raise ImproperlyConfigured(f"{name} cannot be used: {error}") from error
    return value


def host_ports(name: str) -> frozenset[str]:
    """Return the variable as host:port pairs separated by commas, in lower case."""
    found = frozenset(word.lower() for word in words(name))
    for one in found:
        if not re.fullmatch(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+):[0-9]{1,5}", one):
            raise ImproperlyConfigured(
                f"{name} must be host:port, with commas between them, got {one!r}"
            )
    return found


def origins(name: str) -> list[str]:
    """Return the variable as origins separated by commas: scheme and host, perhaps a port."""
    found = words(name)
    for one in found:
        if not re.fullmatch(r"https?://[^/?#@\s]+", one):
            raise ImproperlyConfigured(
                f"{name} must be origins such as https://watch.example.org, without a path and"
                f" with commas between them, got {one!r}"
            )
    return found


#: Our keys have 67 characters; fewer than this can be guessed.
SHORTEST_KEY = 32


def secret_key(folder: Path) -> str:
    """Return the signing key: from FOCUSWEB_SECRET_KEY, else one made once in the data folder.

    Raises
    ------
    ImproperlyConfigured
        If it is too short; a power cut may leave an empty file.
    """
    given = text("FOCUSWEB_SECRET_KEY")
    if given:
        if len(given) < SHORTEST_KEY:
            raise ImproperlyConfigured(
                f"FOCUSWEB_SECRET_KEY must have at least {SHORTEST_KEY} characters"
            )
        return given
    file = folder / "secret_key"
    if not file.exists():
        _make_key(folder, file)
    key = file.read_text().strip()
    if len(key) < SHORTEST_KEY:
        raise ImproperlyConfigured(
            f"{file} is {'cut short' if key else 'empty'}. Put it back from a backup, or remove "
            "it: the next start makes a new one, and all users must sign in again."
        )
    return key


def _make_key(folder: Path, file: Path) -> None:
    handle, draft = tempfile.mkstemp(prefix="secret_key.", dir=folder)  # mode 0600
    try:
        with os.fdopen(handle, "w") as stream:
            stream.write(secrets.token_urlsafe(50))
            stream.flush()
            os.fsync(stream.fileno())
        # The whole key appears at once, and of two processes that start together one is first. So
        # no process leaves or finds half a key, whenever it is killed or reads.
        with contextlib.suppress(FileExistsError):
            os.link(draft, file)
    finally:
        os.unlink(draft)
    data_folder.sync(folder)
