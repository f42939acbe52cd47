"""What users are sent: digests with their issues, and alerts.

An issue goes to the topic's owner at a confirmed address; copies go to channels.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from typing import Any, Self
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from crawler.api.tables import Harvest, Story, Url
from topics.models.ledger import LedgerQuerySet, LedgerRow, LedgerState
from topics.models.searches import SavedSearch
from topics.models.topic import Topic
from topics.rules import parts, schedule
from topics.rules.validators import (
    validate_parts,
    validate_times,
    validate_weekdays,
    validate_zone,
)


class AddressProofQuerySet(models.QuerySet["AddressProof"]):
    def of(self, user: Any) -> Self:
        """Keep proofs of the present address of a user's account."""
        return self.filter(user=user, email=user.email).exclude(email="")

    def confirmed(self) -> Self:
        """Keep what was confirmed."""
        return self.exclude(confirmed=None)


class AddressProof(models.Model):
    """A mail with a link that confirms an address, and when the user followed it."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="address_proofs"
    )
    email = models.EmailField()
    asked = models.DateTimeField()
    confirmed = models.DateTimeField(null=True, blank=True)

    objects = AddressProofQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["user", "asked"]), models.Index(fields=["email", "asked"])]

    def __str__(self) -> str:
        return f"{self.user_id} {self.asked:%Y-%m-%d %H:%M}"


class DigestQuerySet(models.QuerySet["Digest"]):
    def due(self, now: datetime) -> Self:
        """Keep digests whose next issue has come, of owners who may sign in."""
        return self.filter(active=True, topic__owner__is_active=True, next_due__lte=now)


class Digest(models.Model):
    """What a topic's owner is sent, and when: wall time and IANA zone, never an offset."""

    class Frequency(models.TextChoices):
        DAILY = "daily", _("daily")
        WEEKLY = "weekly", _("weekly")

    class Language(models.TextChoices):
        ENGLISH = "en", "English"
        CHINESE = "zh-hans", "简体中文"
        TRADITIONAL_CHINESE = "zh-hant", "繁體中文"

    topic = models.OneToOneField(
        "topics.Topic", on_delete=models.CASCADE, related_name="digest", verbose_name=_("topic")
    )
    active = models.BooleanField(_("send this digest"), default=True)
    frequency = models.CharField(
        _("sent"), max_length=8, choices=Frequency.choices, default=Frequency.DAILY
    )
    at = models.TimeField(_("at"), help_text=_("local time, for example 08:00"))
    also_at = models.CharField(
        _("also at"),
        max_length=80,
        blank=True,
        validators=[validate_times],
        help_text=_("further times of the same days, for example 12:30, 18:00"),
    )
    weekdays = models.CharField(
        _("on days"),
        max_length=40,
        blank=True,
        validators=[validate_weekdays],
        help_text=_("for example mon, thu"),
    )
    zone = models.CharField(
        _("time zone"),
        max_length=60,
        default="UTC",
        validators=[validate_zone],
        help_text=_("for example Asia/Shanghai"),
    )
    language = models.CharField(
        _("language"), max_length=8, choices=Language.choices, default=Language.ENGLISH
    )
    max_items = models.PositiveIntegerField(
        _("maximum pages"), default=20, validators=[MinValueValidator(1), MaxValueValidator(50)]
    )
    #: Further sections of the same mail; each story is in one of them.
    also_topics = models.ManyToManyField(
        "topics.Topic",
        related_name="digests_besides",
        blank=True,
        verbose_name=_("also these topics"),
    )
    searches = models.ManyToManyField(
        SavedSearch, related_name="digests", blank=True, verbose_name=_("also these saved searches")
    )
    min_items = models.PositiveIntegerField(
        _("minimum pages"), default=1, validators=[MinValueValidator(1), MaxValueValidator(50)]
    )
    #: Names of what its mails have in addition to pages, with commas.
    besides = models.CharField(
        _("also in the mail"),
        max_length=60,
        blank=True,
        default=", ".join(parts.NAMES),
        validators=[validate_parts],
    )
    skip_empty = models.BooleanField(_("do not send when there is nothing new"), default=True)
    #: The local day of the first issue after a pause.
    paused_until = models.DateField(
        _("pause until"), null=True, blank=True, help_text=_("the day on which mails come again")
    )
    #: What the next issue covers begins here.
    covered_until = models.DateTimeField(_("covers from"), editable=False)
    next_due = models.DateTimeField(_("next"), editable=False, db_index=True)

    #: Topics and searches that a form has, before they are saved.
    preview: tuple[Iterable[Topic], Iterable[SavedSearch]] | None = None

    objects = DigestQuerySet.as_manager()

    class Meta:
        verbose_name = _("digest")
        verbose_name_plural = _("digests")

    def __str__(self) -> str:
        return f"digest of {self.topic_id}"

    def schedule(self) -> schedule.Schedule:
        """When its issues are due."""
        return schedule.Schedule(
            kind=self.frequency,
            at=self.at,
            also_at=schedule.parse_times(self.also_at),
            weekdays=schedule.parse_weekdays(self.weekdays),
            zone=ZoneInfo(self.zone),
        )

    def topics_besides(self) -> list[Topic]:
        """Return the further topics of its mails; none while it is not stored."""
        if self.preview is not None:
            return list(self.preview[0])
        own = (
            self.also_topics.filter(owner=self.topic.owner_id) if self.pk else Topic.objects.none()
        )
        return list(own.exclude(pk=self.topic_id).select_related("crawl"))

    def saved_searches(self) -> list[SavedSearch]:
        """Return the saved searches of its mails; none while it is not stored."""
        if self.preview is not None:
            return list(self.preview[1])
        found = (
            self.searches.filter(owner=self.topic.owner_id)
            if self.pk
            else SavedSearch.objects.none()
        )
        return list(found.select_related("owner", "topic"))

    def is_paused(self, now: datetime) -> bool:
        """Return whether no mail is sent yet, as the day that ends a pause has not come."""
        today = now.astimezone(ZoneInfo(self.zone)).date()
        return self.paused_until is not None and today < self.paused_until

    def plan_next(self, after: datetime) -> None:
        """Set when the next issue is due, strictly after a moment. The caller saves."""
        if self.paused_until is not None:
            zone = ZoneInfo(self.zone)
            begins = datetime.combine(self.paused_until, time.min, zone).astimezone(UTC)
            after = max(after, begins - timedelta(microseconds=1))
        self.next_due = schedule.next_run(self.schedule(), after)


class DigestIssueQuerySet(LedgerQuerySet["DigestIssue"]):
    def delivered(self) -> Self:
        """Keep issues whose pages count as delivered: a person saw them, or may have."""
        here = ~models.Q(state__in=DigestIssue.NOT_DELIVERED)
        return self.filter(here | models.Q(copies__state__in=DigestIssue.GONE_OUT)).distinct()


class DigestIssue(LedgerRow):
    """One issue of a digest, and its mail to the owner."""

    #: Pages of these were not delivered and may come again.
    NOT_DELIVERED = (LedgerState.FAILED, LedgerState.MERGED, LedgerState.HELD, LedgerState.STOPPED)
    #: A copy for a channel that its reader has, or may have.
    GONE_OUT = (LedgerState.SENDING, LedgerState.SENT, LedgerState.UNCERTAIN)

    digest = models.ForeignKey(
        Digest, on_delete=models.CASCADE, related_name="issues", verbose_name=_("digest")
    )
    #: The local day and time of day it was due: with the digest, its name for ever.
    local_date = models.DateField(_("day"))
    slot = models.TimeField(_("at"))
    covers_from = models.DateTimeField(_("covers from"))
    covers_until = models.DateTimeField(_("covers until"))
    #: Pages that were news too but found no place, and those of them that the limit for one site
    #: left out.
    n_more = models.PositiveIntegerField(default=0)
    n_of_full_sites = models.PositiveIntegerField(default=0, db_default=0)
    #: What the mail has in addition to pages, as the reader sees it.
    besides = models.JSONField(default=list)
    recipient = models.EmailField(_("to"), blank=True)
    subject = models.CharField(_("subject"), max_length=300, blank=True)
    message_id = models.CharField("Message-ID", max_length=200, blank=True)
    #: A person wants these very bytes sent, however old their pages have become.
    asked_again = models.BooleanField(default=False)

    objects = DigestIssueQuerySet.as_manager()

    class Meta:
        verbose_name = _("digest issue")
        ordering = ["-pk"]  # not by time: a clock may have run ahead
        verbose_name_plural = _("digest issues")
        constraints = [
            models.UniqueConstraint(
                fields=["digest", "local_date", "slot"], name="one_issue_per_slot"
            )
        ]

    def __str__(self) -> str:
        return f"{self.digest_id}: {self.local_date} {self.slot} {self.state}"


class DigestItem(models.Model):
    """A page of an issue; a delivered page is never delivered again."""

    issue = models.ForeignKey(DigestIssue, on_delete=models.CASCADE, related_name="items")
    url = models.ForeignKey(Url, on_delete=models.CASCADE, related_name="+")
    story = models.ForeignKey(Story, on_delete=models.SET_NULL, null=True, related_name="+")
    #: The topic it is of; null for items from before a digest could have several.
    topic = models.ForeignKey(
        "topics.Topic", on_delete=models.SET_NULL, null=True, related_name="+"
    )
    position = models.PositiveIntegerField()
    #: What the reader saw, frozen: title, site, marks, dates and the why sentence.
    shown = models.JSONField(default=dict)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["issue", "url"], name="one_item_per_page")]

    def __str__(self) -> str:
        return f"{self.issue_id}: {self.url_id}"


class Alert(models.Model):
    """A story of a topic that passed the topic's alert score; it is raised once."""

    class State(models.TextChoices):
        NEW = "new", _("new")
        SEEN = "seen", _("seen")

    topic = models.ForeignKey(
        "topics.Topic", on_delete=models.CASCADE, related_name="alerts", verbose_name=_("topic")
    )
    harvest = models.ForeignKey(
        Harvest, on_delete=models.CASCADE, related_name="alerts", verbose_name=_("page")
    )
    story = models.ForeignKey(Story, on_delete=models.SET_NULL, null=True, related_name="+")
    #: The page's score when it fired, and the score it had to reach.
    score = models.FloatField(_("score"))
    needed = models.FloatField(_("threshold"))
    state = models.CharField(_("status"), max_length=4, choices=State.choices, default=State.NEW)
    fired = models.DateTimeField(_("raised at"))

    class Meta:
        verbose_name = _("alert")
        verbose_name_plural = _("alerts")
        ordering = ["-fired", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["topic", "harvest"], name="one_alert_per_page"),
            models.UniqueConstraint(fields=["topic", "story"], name="one_alert_per_story"),
        ]

    def __str__(self) -> str:
        return f"{self.topic_id}: {self.harvest_id} {self.score:.2f}"
