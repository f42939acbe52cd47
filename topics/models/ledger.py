"""What every row of the delivery ledger has: bytes to send, a state, and who is sending them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self, TypeVar

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

Row = TypeVar("Row", bound="LedgerRow")


class LedgerState(models.TextChoices):
    """The state of a delivery."""

    FROZEN = "frozen", _("selected")
    RENDERED = "rendered", _("written")
    SENDING = "sending", _("being sent")
    SENT = "sent", pgettext_lazy("of a mail", "sent")
    FILED = "filed", _("kept as a file")
    EMPTY = "empty", _("nothing new, not sent")
    HELD = "held", _("too few pages, kept for the next issue")
    FAILED = "failed", _("failed")
    UNCERTAIN = "uncertain", _("may have been sent")
    MERGED = "merged", _("not sent in time, included in the next issue")
    STOPPED = "stopped", _("not sent, as the digest was switched off")


class LedgerQuerySet(models.QuerySet[Row]):
    """Rows of the ledger; a change names the states that it may start from."""

    def rested(self, now: datetime) -> Self:
        """Keep rows whose pause after a failure is over."""
        return self.filter(models.Q(not_before=None) | models.Q(not_before__lte=now))

    def move(self, pk: int, before: Sequence[str], **values: Any) -> bool:
        """Change a row that is still in one of some states; False if it no longer was.

        Of two processes that want to do the same step one gets False: this keeps a row from
        being sent twice.
        """
        return self.filter(pk=pk, state__in=before).update(**values) == 1


class LedgerRow(models.Model):
    """Something to deliver once; `topics.delivery.handover` moves it through its states."""

    State = LedgerState
    #: Not handed over yet, for certain.
    WAITING = (LedgerState.FROZEN, LedgerState.RENDERED)

    state = models.CharField(
        _("status"), max_length=10, choices=LedgerState.choices, default=LedgerState.FROZEN
    )
    #: The very bytes that are sent, and sent again when an attempt certainly failed.
    message = models.BinaryField(default=b"")
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    not_before = models.DateTimeField(_("next attempt"), null=True, blank=True)
    #: Who is sending it, and until when it may take.
    held_by = models.CharField(max_length=120, default="", blank=True)
    held_until = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(_("problem"), max_length=500, blank=True)
    created = models.DateTimeField(_("made"))
    ended = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        abstract = True
