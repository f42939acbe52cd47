"""Make, find and revoke the tokens of the API."""

import hashlib
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from focusweb.database import write_transaction
from topics.errors import TopicError
from topics.models import ApiAnswer, ApiToken

MAX_TOKENS: Final = 50
#: A use is noted at most this often.
NOTED_EVERY: Final = timedelta(minutes=1)
#: Time for which the answer to an idempotency key is kept.
KEPT: Final = timedelta(days=1)


class TokenScope(StrEnum):
    """What a token allows."""

    READ = "read"
    #: Rate, mark and tag pages.
    FEEDBACK = "feedback"
    #: Change topics, rules and saved searches; start and stop runs.
    MANAGE = "manage"


class KeyReusedError(TopicError):
    """An idempotency key came with another request before."""


def make_token(user: Any, name: str, scopes: list[str], now: datetime) -> str:
    """Create a token and return its secret, which is not stored.

    Raises
    ------
    TopicError
        If the user has too many tokens, or a scope does not exist.
    """
    chosen = sorted(set(scopes))
    if not chosen or set(chosen) - set(TokenScope):
        raise TopicError(f"scopes are {', '.join(TokenScope)}, got {', '.join(chosen) or 'none'}")
    if ApiToken.objects.filter(user=user).count() >= MAX_TOKENS:
        raise TopicError(f"a user has at most {MAX_TOKENS} tokens")
    secret = f"fw_{secrets.token_urlsafe(32)}"
    ApiToken.objects.create(
        user=user, name=name[:80], digest=_digest(secret), scopes=chosen, created=now
    )
    return secret


def find_token(secret: str, now: datetime) -> ApiToken | None:
    """Return the token of a secret, if there is one and its user may sign in."""
    token = ApiToken.objects.select_related("user").filter(digest=_digest(secret)).first()
    if token is None or not token.user.is_active:
        return None
    if token.used is None or now - token.used > NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(used=now)
    return token


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


@write_transaction()
def once(
    token: ApiToken,
    key: str,
    request: bytes,
    produce: Callable[[], tuple[int, Any]],
    now: datetime,
) -> tuple[int, Any]:
    """Do what a request wants, or answer as it was answered under this key before.

    Raises
    ------
    KeyReusedError
        If the key came with another request.
    """
    if not key:
        return produce()
    # With the lock, a repetition at the same time waits for the first.
    ApiToken.objects.select_for_update().get(pk=token.pk)
    ApiAnswer.objects.filter(created__lt=now - KEPT).delete()
    digest = hashlib.sha256(request).hexdigest()
    known = ApiAnswer.objects.filter(token=token, key=key).first()
    if known is not None:
        if known.request_digest != digest:
            raise KeyReusedError(f"the key {key!r} came with another request before")
        return known.status, known.body
    status, body = produce()
    ApiAnswer.objects.create(
        token=token, key=key, request_digest=digest, status=status, body=body, created=now
    )
    return status, body
