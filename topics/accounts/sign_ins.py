"""Where a person is signed in, and how a sign-in is ended from another browser."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone

from topics.models import SignIn, preferences_of

#: What the session knows, so that no page needs a query for it.
ZONE_KEY: Final = "zone"
LANGUAGE_KEY: Final = "language"
_SEEN_KEY: Final = "seen"
#: Under which key of the session its sign-in is stored: another password changes the key.
_STORED_KEY: Final = "signed_in"
#: A page view is noted at most this often.
_NOTE_EVERY: Final = timedelta(minutes=5)

#: In this order: many browsers also name the ones they descend from.
_BROWSERS: Final = (
    *(("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("Chrome", "Chrome")),
    *(("Safari", "Safari"), ("curl", "curl")),
)
_SYSTEMS: Final = (
    *(("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows")),
    *(("Mac OS", "macOS"), ("Linux", "Linux")),
)


def browser_name(user_agent: str) -> str:
    """A browser and its system in words, such as "Firefox, Linux"; "" if both are unknown."""
    found = [
        next((name for mark, name in table if mark in user_agent), "")
        for table in (_BROWSERS, _SYSTEMS)
    ]
    return ", ".join(filter(None, found))


def note_sign_in(sender: Any, request: HttpRequest | None, user: Any, **_more: Any) -> None:
    """Note a sign-in, and give the session the person's preferences."""
    if request is None:
        return
    now, preferences = timezone.now(), preferences_of(user)
    remember(request, preferences.language, preferences.zone)
    _note(request, user, now)


def remember(request: HttpRequest, language: str, zone: str) -> None:
    """Store the user's language and time zone in the session."""
    for key, value in ((LANGUAGE_KEY, language), (ZONE_KEY, zone)):
        if value:
            request.session[key] = value
        else:
            request.session.pop(key, None)


def note_visit(request: HttpRequest, now: datetime) -> None:
    """Note now and then that a sign-in is in use, and at once if its session has another key."""
    last, key = request.session.get(_SEEN_KEY), request.session.get(_STORED_KEY)
    is_old = last is None or now - datetime.fromisoformat(last) >= _NOTE_EVERY
    if is_old or key != request.session.session_key:
        _note(request, request.user, now)


def _note(request: HttpRequest, user: Any, now: datetime) -> None:
    key = request.session.session_key
    if key is None:
        return
    if (before := request.session.get(_STORED_KEY, key)) != key:
        SignIn.objects.filter(user=user, session_key=before).update(session_key=key)
    request.session[_SEEN_KEY], request.session[_STORED_KEY] = now.isoformat(), key
    values = {
        "seen": now,
        "browser": browser_name(str(request.META.get("HTTP_USER_AGENT", ""))[:500]),
        "address": str(request.META.get("REMOTE_ADDR", ""))[:64],
    }
    SignIn.objects.update_or_create(
        session_key=key,
        defaults={"user": user, **values},
        create_defaults={
            "user": user,
            "began": now,
            **values,
        },
    )


def open_sign_ins(user: Any, now: datetime) -> Sequence[SignIn]:
    """Return the sign-ins of a person whose sessions still hold; those that ended are deleted."""
    own = SignIn.objects.filter(user=user)
    keys = list(own.values_list("session_key", flat=True))
    holding = Session.objects.filter(session_key__in=keys, expire_date__gt=now)
    own.exclude(session_key__in=list(holding.values_list("session_key", flat=True))).delete()
    return list(own)


def end_sign_in(user: Any, pk: int) -> bool:
    """End one sign-in of a person; False if it is not theirs."""
    found = SignIn.objects.filter(user=user, pk=pk).first()
    if found is None:
        return False
    Session.objects.filter(session_key=found.session_key).delete()
    found.delete()
    return True


def end_others(user: Any, session_key: str | None) -> int:
    """End all sign-ins of a person but the one of a session. Return how many."""
    others = SignIn.objects.filter(user=user).exclude(session_key=session_key)
    keys = list(others.values_list("session_key", flat=True))
    Session.objects.filter(session_key__in=keys).delete()
    others.delete()
    return len(keys)


def connect_sign_ins() -> None:
    """Have every sign-in noted."""
    user_logged_in.connect(note_sign_in, dispatch_uid="topics.accounts.sign_ins")
