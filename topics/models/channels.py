"""Destinations of messages other than the owner's mailbox, and the ledger of what was sent."""

import base64
import secrets
import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from topics.models.delivery import Alert, Digest, DigestIssue
from topics.models.ledger import LedgerQuerySet, LedgerRow, LedgerState

#: Most channels of one person.
MAX_CHANNELS = 50


def new_secret() -> str:
    """Return what signs the messages of a webhook, in the form of the Standard Webhooks."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


class ChannelQuerySet(models.QuerySet["Channel"]):
    def usable(self) -> "ChannelQuerySet":
        """Keep channels that messages may go to now, of owners who may sign in."""
        open_ones = self.filter(active=True, stopped=None, owner__is_active=True)
        return open_ones.exclude(confirmed=None)


class Channel(models.Model):
    """A place that its owner wants messages to go to: an address, a webhook, a chat."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="channels"
    )
    #: Name of the kind, as the hook `channels` offers it.
    kind = models.CharField(_("kind"), max_length=40)
    name = models.CharField(_("name"), max_length=80)
    #: An address or URL. It may hold a password, so pages show it shortened.
    target = models.CharField(_("address"), max_length=1000)
    #: What signs the messages of a webhook; "" where nothing is signed.
    secret = models.CharField(max_length=80, blank=True, default="")
    language = models.CharField(
        _("language"),
        max_length=8,
        choices=Digest.Language.choices,
        default=Digest.Language.ENGLISH,
    )
    active = models.BooleanField(_("on"), default=True)
    #: When its reader got the link, agreed, and stopped it; a webhook's owner agrees by making it.
    asked = models.DateTimeField(null=True, blank=True)
    confirmed = models.DateTimeField(null=True, blank=True)
    stopped = models.DateTimeField(null=True, blank=True)
    created = models.DateTimeField()
    digests = models.ManyToManyField(Digest, related_name="channels", blank=True)

    objects = ChannelQuerySet.as_manager()

    class Meta:
        verbose_name = _("channel")
        verbose_name_plural = _("channels")
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "kind", "target"], name="one_channel_per_target"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_usable(self) -> bool:
        """Whether messages may go there now."""
        return self.active and self.confirmed is not None and self.stopped is None


class Delivery(LedgerRow):
    """One message for one channel: alerts of a rule, or a copy of a digest's issue."""

    #: Names the message to its receiver, the same at every attempt.
    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    #: What the message is about, for ever: two processes cannot make it twice.
    key = models.CharField(max_length=120, unique=True)
    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="deliveries")
    rule = models.ForeignKey(
        "topics.AlertRule", on_delete=models.SET_NULL, null=True, related_name="deliveries"
    )
    issue = models.ForeignKey(
        DigestIssue, on_delete=models.CASCADE, null=True, related_name="copies"
    )
    subject = models.CharField(_("subject"), max_length=300)
    #: What each attempt gave: when, and the receiver's answer.
    log = models.JSONField(default=list)

    objects = LedgerQuerySet["Delivery"].as_manager()

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        ordering = ["-pk"]
        indexes = [
            models.Index(
                fields=["not_before"],
                condition=models.Q(state__in=[LedgerState.RENDERED, LedgerState.SENDING]),
                name="deliveries_to_send",
            )
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.state}"


class Notice(models.Model):
    """An alert or event that a channel is to get, or got with a delivery; once for each channel."""

    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="notices")
    #: One of the two.
    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, null=True, related_name="notices")
    event = models.ForeignKey(
        "topics.RuleEvent", on_delete=models.CASCADE, null=True, related_name="notices"
    )
    rule = models.ForeignKey("topics.AlertRule", on_delete=models.CASCADE, related_name="notices")
    #: None while it waits: for quiet hours to end, the next hour or day, or a usable channel.
    delivery = models.ForeignKey(
        Delivery, on_delete=models.CASCADE, null=True, related_name="notices"
    )
    #: It was no longer true when its time came: the page was dropped or its site blocked.
    dropped = models.BooleanField(default=False)
    created = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["channel", "alert"], name="one_notice_per_alert"),
            models.UniqueConstraint(fields=["channel", "event"], name="one_notice_per_event"),
        ]
        indexes = [
            models.Index(
                fields=["rule"],
                condition=models.Q(delivery=None, dropped=False),
                name="notices_that_wait",
            )
        ]

    def __str__(self) -> str:
        return f"{self.channel_id}: {self.alert_id or self.event_id}"
