"""The frontier: URLs known to a crawl, each in exactly one state."""

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from crawler.models.crawls import Crawl, Run
from crawler.models.web import EPOCH, Site, Url
from crawler.reasons import Reason

#: As much of an entry's detail as is kept, in characters.
MAX_DETAIL = 300


#: As `is_copy`.
_IS_COPY = Q(reason=Reason.DUPLICATE) | Q(stale=True) & ~Q(reason=Reason.FETCHED)


class FrontierQuerySet(models.QuerySet["FrontierEntry"]):
    def ready(self, now: datetime) -> Self:
        """Keep entries that wait, are due, and whose site no collector holds; best first."""
        # As a plain column SQLite would take it for what narrows most, and sort all the rest.
        due = Coalesce("not_before", Value(EPOCH))
        return (
            self.alias(due=due)
            .filter(
                state=FrontierEntry.State.NEW,
                due__lte=now,
                url__site__held_until__lte=now,
                url__site__stopped=False,
            )
            .order_by("tier", "-priority", "pk")
        )

    def copies(self) -> Self:
        """Keep pages that were copies of others when they were last read, see `is_copy`."""
        return self.filter(_IS_COPY)

    def set_aside(self, reason: str, **values: object) -> int:
        """Update entries that get a reason without being read: copies among them stay copies."""
        stale = Case(When(_IS_COPY, then=True), default=False)
        return self.update(reason=reason, stale=stale, **values)

    def fresh(self, since: datetime) -> Self:
        """Keep links that lead to something new.

        A list's date since then makes a link new, even at the first visit of its page. Without
        a date it is new if it was not there at the first visit. A date before that visit takes
        this away: a site may change all its addresses, or list old pages again (*Resolved*).
        """
        first_look = F("parent__page__first_fetched")
        later = Q(listed=None) | Q(listed__gte=first_look)
        # Of many that wait few have the mark; without it each one's page is looked up.
        marked = self.filter(may_be_fresh=True)
        return marked.filter(Q(listed__gte=since) | later & Q(found__gt=first_look))


def is_copy(reason: str, stale: bool) -> bool:
    """True for a page that was a copy of another when it was last read.

    A later visit that brought no page has a reason of its own, and leaves the mark.
    """
    return reason == Reason.DUPLICATE or (stale and reason != Reason.FETCHED)


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def untaken(self, now: datetime) -> Self:
        """Keep those that wait for a collector and whose hold on their sites goes on."""
        return self.filter(closed=None, taken_by="", leased_until__gt=now)


class Assignment(models.Model):
    """A slice of work the manager agent posts and one collector agent takes."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="assignments")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="assignments")
    posted = models.DateTimeField()
    posted_by = models.CharField(max_length=120, default="", blank=True)
    taken_by = models.CharField(max_length=120, default="", blank=True)
    leased_until = models.DateTimeField(default=EPOCH)
    attempts = models.PositiveIntegerField(default=0)
    closed = models.DateTimeField(null=True, blank=True)
    died = models.BooleanField(default=False, help_text="its collector died or fell silent")
    sites = models.ManyToManyField(Site, related_name="assignments")

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["run"], condition=Q(closed=None), name="open_assignments")]

    def __str__(self) -> str:
        return f"assignment {self.pk}"


class FrontierEntry(models.Model):
    """A URL of a crawl, from discovery to its end."""

    class State(models.TextChoices):
        NEW = "new"
        LEASED = "leased"
        DONE = "done"
        FAILED = "failed"
        QUARANTINED = "quarantined"

    crawl = models.ForeignKey(
        Crawl, on_delete=models.CASCADE, related_name="frontier", verbose_name=_("crawl")
    )
    url = models.ForeignKey(
        Url, on_delete=models.CASCADE, related_name="frontier", verbose_name=_("URL")
    )
    parent = models.ForeignKey(
        Url, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("found on")
    )
    run = models.ForeignKey(
        Run, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("run")
    )
    assignment = models.ForeignKey(
        Assignment, on_delete=models.SET_NULL, null=True, related_name="entries"
    )
    state = models.CharField(_("status"), max_length=12, choices=State.choices, default=State.NEW)
    reason = models.CharField(
        _("reason"), max_length=24, blank=True, choices=[(r.value, r.name) for r in Reason]
    )
    detail = models.CharField(_("detail"), max_length=MAX_DETAIL, blank=True)
    #: Where it redirected when it was fetched last. Few rows have it: see the index below.
    redirects_to = models.ForeignKey(
        Url, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", db_index=False
    )
    #: The kind of address it is, and 1 for what waits until all else is fetched: a kind that
    #: gave nothing new so far, a URL whose collector died while it had nothing else in hand.
    template = models.BigIntegerField(default=0)
    tier = models.PositiveSmallIntegerField(default=0)
    stale = models.BooleanField(default=False, help_text="its page said nothing new")
    priority = models.FloatField(_("priority"), default=0.0)
    depth_hops = models.PositiveIntegerField(_("depth"), default=0)
    redirect_hops = models.PositiveSmallIntegerField(default=0)
    memo = models.BinaryField(default=b"")
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    #: Collectors that died while they held it, and trials that were begun and never ended.
    crashes = models.PositiveSmallIntegerField(default=0)
    trials = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(default=EPOCH)
    found = models.DateTimeField(_("found"))
    ended = models.DateTimeField(_("ended"), null=True, blank=True)
    integrated = models.BooleanField(default=False)
    listed = models.DateTimeField(
        null=True, blank=True, help_text="when a feed or sitemap says it was published"
    )
    may_be_fresh = models.BooleanField(
        default=False,
        db_default=False,
        help_text="its page was looked at before it was found, or a list dates it",
    )

    objects = FrontierQuerySet.as_manager()

    class Meta:
        verbose_name = _("frontier entry")
        verbose_name_plural = _("frontier entries")
        constraints = [
            models.UniqueConstraint(fields=["crawl", "url"], name="one_frontier_entry_per_url")
        ]
        indexes = [
            models.Index(fields=["crawl", "state", "tier", "-priority"]),
            models.Index(fields=["crawl", "template"]),
            models.Index(fields=["assignment", "state"]),
            models.Index(
                fields=["crawl", "state", "tier", "-priority"],
                condition=Q(may_be_fresh=True),
                name="frontier_may_be_fresh",
            ),
            models.Index(
                fields=["redirects_to"],
                condition=Q(redirects_to__isnull=False),
                name="frontier_redirects_to",
            ),
            models.Index(
                fields=["crawl", "not_before"], condition=Q(state="new"), name="frontier_due"
            ),
            models.Index(
                fields=["run", "ended"], condition=Q(ended__isnull=False), name="frontier_ended"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.crawl_id}: {self.url_id} {self.state}"
