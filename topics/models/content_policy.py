"""What browsers report to have stopped on our pages."""

from datetime import datetime

from django.db import models
from django.db.models import F
from django.utils.translation import gettext_lazy as _

#: Kinds of reports kept; reports come without a login, so the oldest are deleted.
MAX_REPORTS = 200


class PolicyReportQuerySet(models.QuerySet["PolicyReport"]):
    """The reports, one row for each kind."""

    def count_one(self, view: str, directive: str, blocked: str, now: datetime) -> None:
        """Count a report; the kind that was seen least recently makes room for a new one."""
        kind = {"view": view, "directive": directive, "blocked": blocked}
        row, is_new = self.get_or_create(**kind, defaults={"first_seen": now, "last_seen": now})
        if not is_new:
            self.filter(pk=row.pk).update(n=F("n") + 1, last_seen=now)
            return
        oldest = self.order_by("-last_seen", "-pk").values_list("pk", flat=True)
        if surplus := list(oldest[MAX_REPORTS:]):
            self.filter(pk__in=surplus).delete()


class PolicyReport(models.Model):
    """A kind of content that the content policy blocked in a browser; reports can be forged."""

    #: The view, not the address: addresses can hold tokens.
    view = models.CharField(_("page"), max_length=100)
    directive = models.CharField(_("policy rule"), max_length=100)
    blocked = models.CharField(_("blocked source"), max_length=200)
    n = models.PositiveIntegerField(_("number of reports"), default=1)
    first_seen = models.DateTimeField(_("first seen"))
    last_seen = models.DateTimeField(_("last seen"), db_index=True)

    objects = PolicyReportQuerySet.as_manager()

    class Meta:
        verbose_name = _("content policy report")
        verbose_name_plural = _("content policy reports")
        constraints = [
            models.UniqueConstraint(
                fields=["view", "directive", "blocked"], name="one_row_for_a_kind_of_report"
            )
        ]

    def __str__(self) -> str:
        return f"{self.directive}: {self.blocked}"
