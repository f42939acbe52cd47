"""Crawls, their runs, what they know and what they harvested."""

from datetime import datetime
from typing import Self

import msgspec
from django.db import models
from django.db.models import Exists, Window
from django.db.models.functions import Coalesce, RowNumber
from django.db.models.lookups import GreaterThanOrEqual, LessThanOrEqual
from django.utils.translation import gettext_lazy as _

from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.stuffing import LEAST_TRUST
from crawler.models.web import EPOCH, Page, Url
from crawler.reasons import Reason, StopReason


class Crawl(models.Model):
    """What one topic's crawl is about and how it goes on. Knows no user."""

    key = models.SlugField(max_length=80, unique=True)
    profile_json = models.JSONField(default=dict)
    settings_json = models.JSONField(default=dict)
    #: Raised whenever profile or settings change, so that judges are built again.
    version = models.PositiveIntegerField(default=1)
    first_seen = models.DateTimeField()
    #: One manager agent at a time; a dead one's turn is over.
    managed_by = models.CharField(max_length=120, default="", blank=True)
    managed_until = models.DateTimeField(default=EPOCH)
    link_scale = models.FloatField(default=1.0, help_text="s of the link value")
    n_unranked = models.PositiveIntegerField(default=0, help_text="pages since the last ranking")

    def __str__(self) -> str:
        return self.key

    @property
    def profile(self) -> TopicProfile:
        """What the crawl is about."""
        return msgspec.convert(self.profile_json, TopicProfile)

    @property
    def settings(self) -> CrawlSettings:
        """How it is crawled."""
        return msgspec.convert(self.settings_json, CrawlSettings)

    def first_run(self) -> "Run | None":
        """Return the run that recorded the baseline: the first that could fetch a page."""
        return self.runs.filter(fetched__gt=0).order_by("started").first()

    def baseline_end(self) -> datetime | None:
        """When that run ended, whose pages are known and not news; None while it goes on."""
        first = self.first_run()
        return first.ended if first else None

    def describe(self, profile: TopicProfile, settings: CrawlSettings) -> bool:
        """Take over a profile and settings; True if they changed. The caller saves."""
        # By way of JSON: what comes back from the table holds lists, not tuples.
        row = msgspec.json.decode(msgspec.json.encode((profile, settings)))
        if row == [self.profile_json, self.settings_json]:
            return False
        self.profile_json, self.settings_json = row
        self.version += 1
        return True


class RunQuerySet(models.QuerySet["Run"]):
    def open(self) -> Self:
        """Keep runs that have not ended."""
        return self.filter(ended=None)


class Run(models.Model):
    """One run of a crawl, from its first page to its stop reason."""

    crawl = models.ForeignKey(
        Crawl, on_delete=models.CASCADE, related_name="runs", verbose_name=_("crawl")
    )
    started = models.DateTimeField(_("started"))
    ended = models.DateTimeField(_("ended"), null=True, blank=True)
    n_pages = models.PositiveIntegerField(_("page limit"))
    begun = models.BooleanField(default=False, help_text="its seeds are in the frontier")
    problems = models.JSONField(default=list, help_text="what its sources could not do")
    stop_asked = models.BooleanField(default=False)
    stop_reason = models.CharField(
        _("end reason"),
        max_length=24,
        blank=True,
        choices=[(r.value, r.name) for r in StopReason],
    )
    stop_detail = models.CharField(_("detail"), max_length=300, blank=True)
    fetched = models.PositiveIntegerField(
        _("fetched"), default=0, help_text=_("pages, 304 included")
    )
    kept = models.PositiveIntegerField(_("kept"), default=0)
    failed = models.PositiveIntegerField(_("failed"), default=0)
    n_bytes = models.BigIntegerField(_("bytes"), default=0)
    links_dropped = models.PositiveIntegerField(default=0)
    cpu_s = models.FloatField(
        _("CPU seconds"), default=0.0, help_text=_("collector and parser processes")
    )
    reasons = models.JSONField(default=dict, help_text="reason code -> how many URLs")
    last_url = models.TextField(_("last URL"), blank=True)
    progress_at = models.DateTimeField(default=EPOCH)

    objects = RunQuerySet.as_manager()

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("crawl runs")
        constraints = [
            models.UniqueConstraint(
                fields=["crawl"], condition=models.Q(ended=None), name="one_open_run_per_crawl"
            )
        ]
        indexes = [models.Index(fields=["crawl", "started"], name="runs_by_time")]

    def __str__(self) -> str:
        return f"{self.crawl_id}/{self.pk}"

    @property
    def n_judged(self) -> int:
        """Pages fetched but for those that had not changed: what the budget counts."""
        return self.fetched - int(self.reasons.get(Reason.UNCHANGED, 0))

    @property
    def harvest_rate(self) -> float:
        """Share of the pages read that were kept, in [0, 1]."""
        return self.kept / self.n_judged if self.n_judged > 0 else 0.0

    @property
    def n_left_out(self) -> int:
        """Links that the strategy dropped; traps are counted among the reasons."""
        return max(self.links_dropped - int(self.reasons.get(Reason.TRAP, 0)), 0)

    def pages_per_s(self, now: datetime) -> float:
        """Pages fetched per second of wall clock."""
        seconds = ((self.ended or now) - self.started).total_seconds()
        return self.fetched / seconds if seconds > 0 else 0.0


class Knowledge(models.Model):
    """The public area's knowledge base: named, versioned values of a crawl."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="knowledge")
    name = models.CharField(max_length=40)
    version = models.PositiveIntegerField(default=1)
    payload = models.BinaryField(default=b"")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["crawl", "name"], name="one_value_per_name")]

    def __str__(self) -> str:
        return f"{self.crawl_id}: {self.name} v{self.version}"


class Story(models.Model):
    """A group of near-duplicates of one event; it stays when copies come and go."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="stories")
    first_seen = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.crawl_id}: story {self.pk}"


class HarvestQuerySet(models.QuerySet["Harvest"]):
    def kept(self) -> Self:
        """Keep pages that passed the threshold."""
        return self.filter(kept=True)

    def not_stuffed(self) -> Self:
        """Keep pages whose words are not taken for stuffing, see `crawler.knowledge.stuffing`."""
        return self.filter(trust__gte=LEAST_TRUST)

    def news(self, since: datetime, now: datetime) -> Self:
        """Keep pages published, or else first seen, from `since` to `now`; best first.

        Pages that existed when the crawl began, or when one of its sources was first visited, are
        known and never news. Nor is a page whose story its own site published before under the
        same title, as old: it moved, or got a new date (*Resolved*). A page that is found later
        makes no page old, or a copy with an old date could hide a report; nor does another site.
        """
        return self.kept().filter(self.is_news(since, now)).order_by("-score", "pk")

    def is_news(self, since: datetime, now: datetime) -> models.Q:
        """Return the condition of `news`, for kept pages."""
        # Spelt as in the index `news_by_date`, or all kept pages would be read.
        dated = Coalesce("published", "first_seen")
        lately = GreaterThanOrEqual(dated, since) & LessThanOrEqual(dated, now)
        repeats = models.Q(self._repeat_old_stories(since))
        return models.Q(lately) & models.Q(kept=True, baseline=False) & ~repeats

    def repeating_none(self, since: datetime) -> Self:
        """Leave out pages whose story their site had published before that day."""
        return self.exclude(self._repeat_old_stories(since))

    def known(self, since: datetime, now: datetime) -> Self:
        """Keep the kept pages that are not news; best first."""
        news = self.news(since, now).order_by()
        return self.kept().exclude(pk__in=news.values("pk")).order_by("-score", "pk")

    def one_per_story(self) -> Self:
        """Keep the best page of each story among these; a page without one is its own."""
        story = Coalesce("story_id", -models.F("pk"))
        place = Window(RowNumber(), partition_by=[story], order_by=["-score", "pk"])
        return self.annotate(place_in_story=place).filter(place_in_story=1)

    def _repeat_old_stories(self, since: datetime) -> Exists:
        """Pages of whose story and title their site had shown the crawl an old one before."""
        old = models.Q(baseline=True) | models.Q(published__lt=since)
        old |= models.Q(published=None, first_seen__lt=since)
        before = self.model.objects.filter(
            story=models.OuterRef("story"),
            url__site__domain=models.OuterRef("url__site__domain"),
            url__page__title=models.OuterRef("url__page__title"),
            first_seen__lt=models.OuterRef("first_seen"),
        )
        return Exists(before.filter(old))


class Harvest(models.Model):
    """A crawl's view of a page it fetched: how relevant, how good, and why."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="harvests")
    url = models.ForeignKey(Url, on_delete=models.CASCADE, related_name="harvests")
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, related_name="harvests")
    kept = models.BooleanField(default=False)
    relevance = models.FloatField(default=0.0)
    judge_relevance = models.FloatField(
        null=True, help_text="what the judge says, without feedback; none before it was noted"
    )
    content_value = models.FloatField(default=0.0)
    trust = models.FloatField(default=1.0, db_default=1.0, help_text="less if it is stuffed")
    density = models.FloatField(
        default=0.0, db_default=0.0, help_text="how much of it is about the topic"
    )
    link_value = models.FloatField(default=0.0)
    score = models.FloatField(default=0.0)
    n_linking_sites = models.PositiveIntegerField(default=0)
    link_scale = models.FloatField(default=1.0, help_text="s of its link value")
    explanation = models.JSONField(default=dict)
    first_seen = models.DateTimeField()
    published = models.DateTimeField(null=True, blank=True)
    #: Found by the first run of the crawl or the first visit of a source: known, not news.
    baseline = models.BooleanField(default=False, db_default=False)
    story = models.ForeignKey(
        Story, on_delete=models.SET_NULL, null=True, blank=True, related_name="harvests"
    )

    objects = HarvestQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["crawl", "url"], name="one_harvest_per_url")]
        indexes = [
            models.Index(fields=["crawl", "kept", "-score"]),
            models.Index(
                models.F("crawl"),
                Coalesce("published", "first_seen"),
                condition=models.Q(kept=True, baseline=False),
                name="news_by_date",
            ),
            models.Index(
                fields=["crawl", "first_seen"],
                condition=models.Q(kept=True, baseline=False),
                name="news_by_find",
            ),
            # Few are trusted less than fully: they are found without reading all.
            models.Index(fields=["crawl", "trust"]),
        ]

    def __str__(self) -> str:
        return f"{self.crawl_id}: {self.url_id} {self.score:.3f}"

    @property
    def page(self) -> Page:
        """The page as last fetched."""
        return self.url.page

    @property
    def title(self) -> str:
        """What the page is called: its URL if it has no title."""
        return self.url.page.title or self.url.url
