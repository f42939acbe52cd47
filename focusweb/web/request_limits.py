"""How large the body of a request may be: small, except an upload by a user who may upload.

The web server checks this before it reads a body, so no database is used: a user who may upload has
a signed pass in a cookie.
"""

from http.cookies import CookieError, SimpleCookie
from typing import Final

from django.core import signing

#: Far above any form; such a body stays in memory.
MAX_BODY_BYTES: Final = 1 << 20
#: Above what the form for ontologies accepts, so that the form can say its own limit.
MAX_UPLOAD_BYTES: Final = 20 << 20
UPLOAD_PATHS: Final = frozenset({"/ontologies/upload", "/new-topic/file"})
PASS_S: Final = 12 * 3600
_SALT: Final = "focusweb.upload"


def upload_pass(user: str) -> str:
    """Return the cookie of a user who may upload."""
    return signing.TimestampSigner(salt=_SALT).sign(user)


def is_upload_pass(value: str) -> bool:
    """Return whether the cookie was made here within the last hours."""
    try:
        signing.TimestampSigner(salt=_SALT).unsign(value, max_age=PASS_S)
    except signing.BadSignature:
        return False
    return True


def body_limit(path: str, cookies: str, pass_name: str) -> int:
    """Most bytes of a body sent to a path with this Cookie header."""
    if path not in UPLOAD_PATHS:
        return MAX_BODY_BYTES
    try:
        given = SimpleCookie(cookies).get(pass_name)
    except CookieError:
        given = None
    if given is None or not is_upload_pass(given.value):
        return MAX_BODY_BYTES
    return MAX_UPLOAD_BYTES
