"""Rules that say which new pages are sent at once, where, and how often."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from crawler.api.tables import Harvest
from topics.models.channels import Channel
from topics.models.delivery import Alert
from topics.models.searches import SavedSearch
from topics.models.topic import Topic
from topics.rules.alert_pace import Pace, Quiet
from topics.rules.validators import validate_finite, validate_zone

#: Most rules of one person.
MAX_RULES = 100


class AlertRule(models.Model):
    """Conditions on new pages; all that are set must hold."""

    class Rate(models.TextChoices):
        IMMEDIATE = "immediate", _("immediately")
        HOURLY = "hourly", _("at most once an hour")
        CAPPED = "capped", _("immediately, but at most so many messages a day")

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="alert_rules"
    )
    name = models.CharField(_("name"), max_length=80)
    active = models.BooleanField(_("on"), default=True)
    #: None checks all topics of the owner.
    topic = models.ForeignKey(
        Topic,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="alert_rules",
        verbose_name=_("topic"),
    )
    search = models.ForeignKey(
        SavedSearch,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="alert_rules",
        verbose_name=_("saved search"),
    )
    min_score = models.FloatField(
        _("score at least"),
        null=True,
        blank=True,
        validators=[validate_finite, MinValueValidator(0.0), MaxValueValidator(1.0)],
    )
    term = models.CharField(_("contains"), max_length=80, blank=True)
    site = models.CharField(_("site"), max_length=253, blank=True)
    new_site = models.BooleanField(_("on a new site"), default=False)
    language = models.CharField(_("language"), max_length=12, blank=True)

    rate = models.CharField(
        _("how often"), max_length=10, choices=Rate.choices, default=Rate.IMMEDIATE
    )
    max_per_day = models.PositiveIntegerField(
        _("messages a day"),
        default=5,
        validators=[MinValueValidator(1), MaxValueValidator(200)],
    )
    quiet_from = models.TimeField(_("quiet from"), null=True, blank=True)
    quiet_until = models.TimeField(_("quiet until"), null=True, blank=True)
    zone = models.CharField(
        _("time zone"), max_length=60, default="UTC", validators=[validate_zone]
    )
    channels = models.ManyToManyField(
        Channel, related_name="alert_rules", blank=True, verbose_name=_("send to")
    )
    #: What was stored before is never an alert of this rule.
    begins = models.DateTimeField(editable=False)
    created = models.DateTimeField(editable=False)

    class Meta:
        verbose_name = _("alert rule")
        verbose_name_plural = _("alert rules")
        ordering = ["name", "pk"]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="one_rule_per_name")]

    def __str__(self) -> str:
        return self.name

    def pace(self) -> Pace:
        """How often its messages may come."""
        return Pace(
            hourly=self.rate == self.Rate.HOURLY,
            max_per_day=self.max_per_day if self.rate == self.Rate.CAPPED else None,
            quiet=Quiet(self.quiet_from, self.quiet_until)
            if self.quiet_from is not None and self.quiet_until is not None
            else None,
            zone=ZoneInfo(self.zone),
        )

    def restart(self, now: datetime) -> None:
        """Let the rule check pages from now on only. The caller saves."""
        self.begins = now


class AlertMatch(models.Model):
    """A page that fitted a rule, with the values that it had."""

    rule = models.ForeignKey(AlertRule, on_delete=models.CASCADE, related_name="matches")
    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, related_name="matches")
    harvest = models.ForeignKey(Harvest, on_delete=models.CASCADE, related_name="+")
    #: What each condition saw.
    values = models.JSONField(default=dict)
    matched = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["rule", "alert"], name="one_match_per_story")
        ]

    def __str__(self) -> str:
        return f"{self.rule_id}: {self.alert_id}"
