"""Rules that say which new pages and events are sent at once, where, and how often."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from crawler.api.tables import Harvest
from topics.models.changes import PageChange
from topics.models.channels import Channel
from topics.models.delivery import Alert
from topics.models.searches import SavedSearch
from topics.models.topic import Topic
from topics.rules.alert_pace import Pace, Quiet
from topics.rules.validators import validate_finite, validate_zone

#: Most rules of one person.
MAX_RULES = 100


class AlertRule(models.Model):
    """What is an alert: new pages for which all conditions hold, or another event of a topic."""

    class Watches(models.TextChoices):
        PAGES = "pages", _("a new page that fits")
        CHANGES = "changes", _("a change of a starred page or a seed")
        SPIKE = "spike", _("many more new pages than usual")
        SILENCE = "silence", _("no new page for some days")
        TROUBLE = "trouble", _("no source could be visited for some days")

    class Rate(models.TextChoices):
        IMMEDIATE = "immediate", _("immediately")
        HOURLY = "hourly", _("at most once an hour")
        CAPPED = "capped", _("immediately, but at most so many messages a day")

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="alert_rules"
    )
    name = models.CharField(_("name"), max_length=80)
    active = models.BooleanField(_("on"), default=True)
    watches = models.CharField(
        _("what is an alert"), max_length=10, choices=Watches.choices, default=Watches.PAGES
    )
    after_days = models.PositiveSmallIntegerField(
        _("after days"),
        default=7,
        validators=[MinValueValidator(1), MaxValueValidator(90)],
    )
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
    query = models.CharField(_("search conditions"), max_length=256, blank=True)
    #: Hosts or domains, with commas: a page is on one of the first, and on none of the others.
    site = models.CharField(_("on one of these sites"), max_length=1000, blank=True)
    not_site = models.CharField(_("not on these sites"), max_length=1000, blank=True)
    new_site = models.BooleanField(_("on a new site"), default=False)
    language = models.CharField(_("language"), max_length=12, blank=True)
    within_hours = models.PositiveSmallIntegerField(
        _("published within hours"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(168)],
    )
    min_sites = models.PositiveSmallIntegerField(
        _("reported by sites"),
        null=True,
        blank=True,
        validators=[MinValueValidator(2), MaxValueValidator(100)],
    )

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
    #: Until then its messages wait.
    muted_until = models.DateTimeField(null=True, editable=False)
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
        """Return how often its messages may come."""
        return Pace(
            hourly=self.rate == self.Rate.HOURLY,
            max_per_day=self.max_per_day if self.rate == self.Rate.CAPPED else None,
            quiet=self._quiet(),
            zone=ZoneInfo(self.zone),
        )

    def _quiet(self) -> Quiet | None:
        if self.quiet_from is None or self.quiet_until is None:
            return None
        # Messages go out at a minute: a gap of some seconds between quiet hours has none.
        ends = self.quiet_from, self.quiet_until
        return Quiet(*(end.replace(second=0, microsecond=0) for end in ends))

    def restart(self, now: datetime) -> None:
        """Make the rule check pages from now on only. The caller saves."""
        self.begins = now

    def is_muted(self, now: datetime) -> bool:
        """Return whether its messages wait because its owner muted it."""
        return self.muted_until is not None and now < self.muted_until


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


class RuleEvent(models.Model):
    """Something that happened to a topic and is an alert of a rule; it is noted once."""

    rule = models.ForeignKey(AlertRule, on_delete=models.CASCADE, related_name="events")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="rule_events")
    #: What happened, for ever: two processes cannot note it twice.
    key = models.CharField(max_length=80)
    #: What kind it is, as `AlertRule.Watches` names it, and the numbers its sentence is made of.
    kind = models.CharField(max_length=10)
    facts = models.JSONField(default=dict)
    change = models.ForeignKey(PageChange, on_delete=models.SET_NULL, null=True, related_name="+")
    happened = models.DateTimeField()
    fired = models.DateTimeField()
    seen = models.BooleanField(default=False)

    class Meta:
        ordering = ["-fired", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["rule", "key"], name="one_event_per_rule_and_key")
        ]

    def __str__(self) -> str:
        return f"{self.rule_id}: {self.key}"
