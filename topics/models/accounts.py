"""People of an installation: what they prefer, where they are signed in, whom they invite."""

from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from topics.rules.validators import validate_zone


class Preferences(models.Model):
    """In which language and time zone a person reads; "" for the browser's."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="preferences"
    )
    language = models.CharField(
        _("language"), max_length=12, blank=True, choices=settings.LANGUAGES
    )
    zone = models.CharField(_("time zone"), max_length=60, blank=True, validators=[validate_zone])

    def __str__(self) -> str:
        return f"{self.user_id}: {self.language} {self.zone}"


class SignIn(models.Model):
    """A browser in which a person is signed in, or was: the session may have ended."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_ins"
    )
    session_key = models.CharField(max_length=40, unique=True)
    began = models.DateTimeField()
    seen = models.DateTimeField()
    browser = models.CharField(max_length=60, blank=True)
    address = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-seen"]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.browser}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def usable(self, now: datetime) -> Self:
        """Keep invitations that were not used and have not expired."""
        return self.filter(used=None, expires__gt=now)


class Invitation(models.Model):
    """A link with which one person may make an account."""

    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitations"
    )
    #: Where it was mailed to; "" for a link that was copied.
    email = models.EmailField(_("e-mail address"), blank=True)
    created = models.DateTimeField()
    expires = models.DateTimeField()
    used = models.DateTimeField(null=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "-pk"]

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class ResetRequest(models.Model):
    """A request to set a new password by mail.

    Requests for unknown addresses are rows too: they count for the limits, and a page that
    answers for an unknown address does the same work as for a known one.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+"
    )
    #: A keyed hash of the address: an address without an account is not stored.
    address_hash = models.CharField(max_length=64)
    place = models.CharField(max_length=64)
    asked = models.DateTimeField()
    #: In which language the mail is written.
    language = models.CharField(max_length=12, default="en")
    sent = models.DateTimeField(null=True)
    problem = models.CharField(max_length=300, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["address_hash", "asked"]),
            models.Index(fields=["place", "asked"]),
            models.Index(fields=["asked"], condition=models.Q(sent=None), name="resets_waiting"),
        ]

    def __str__(self) -> str:
        return f"reset {self.pk}"


class TopicReader(models.Model):
    """A user who may read another user's topic, with marks of their own."""

    topic = models.ForeignKey("topics.Topic", on_delete=models.CASCADE, related_name="readers")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="shared_topics"
    )
    created = models.DateTimeField()

    class Meta:
        ordering = ["user__username"]
        constraints = [models.UniqueConstraint(fields=["topic", "user"], name="one_row_per_reader")]

    def __str__(self) -> str:
        return f"{self.user_id} reads {self.topic_id}"


def preferences_of(user: Any) -> Preferences:
    """Return a person's preferences; unsaved ones if none were stored."""
    return Preferences.objects.filter(user=user).first() or Preferences(user=user)
