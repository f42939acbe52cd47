"""What a person follows, and when it is looked for."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Self
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from crawler.api.profiles import CrawlSettings, TopicProfile, WeightedTerm
from crawler.api.ranking import freshness_weight, half_life_days
from crawler.api.tables import Crawl, Harvest, HarvestQuerySet, Run
from focusweb.database import write_transaction
from topics.errors import TopicError
from topics.models.crawl_fields import CrawlFields
from topics.rules import schedule, topic_rules
from topics.rules.validators import (
    canonical_seeds,
    validate_finite,
    validate_languages,
    validate_queries,
    validate_searches,
    validate_seeds,
    validate_weekdays,
    validate_zone,
)


class TopicQuerySet(models.QuerySet["Topic"]):
    def visible_to(self, user: Any) -> Self:
        """Keep topics that a person may see."""
        return self.filter(owner=user)

    def get_named(self, name: str) -> "Topic":
        """Return the topic of a short name, or of `person/short name` where several people have it.

        Raises
        ------
        TopicError
            If there is none, or more than one.
        """
        person, _slash, slug = name.rpartition("/")
        found = self.filter(slug=slug).select_related("owner", "crawl").order_by("pk")
        topics = list(found.filter(owner__username=person) if person else found)
        if len(topics) == 1:
            return topics[0]
        if topics:
            meant = ", ".join(f"{topic.owner.get_username()}/{topic.slug}" for topic in topics)
            raise TopicError(f"Several people have a topic {name!r}; name one of {meant}.")
        known = ", ".join(self.order_by("slug").values_list("slug", flat=True)[:20])
        raise TopicError(f"There is no topic {name!r}. Topics: {known or 'none yet'}.")

    def due(self, now: datetime) -> Self:
        """Keep topics whose next run has come, or that were never planned: they begin now."""
        planned = models.Q(next_run__lte=now) | models.Q(next_run=None)
        return self.filter(planned, active=True)


class Topic(CrawlFields):
    """A subject that a user follows."""

    class ScheduleKind(models.TextChoices):
        HOURS = "hours", _("every N hours")
        DAILY = "daily", _("daily")
        WEEKLY = "weekly", _("weekly")

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="topics",
        verbose_name=_("owner"),
    )
    name = models.CharField(_("name"), max_length=120)
    slug = models.SlugField(_("short name"), max_length=80, allow_unicode=True)
    languages = models.CharField(
        _("languages"),
        max_length=60,
        blank=True,
        validators=[validate_languages],
        help_text=_("codes such as zh, en; empty for any"),
    )
    queries = models.TextField(
        _("seed queries"),
        blank=True,
        validators=[validate_queries],
        help_text=_("one search query per line; a search engine turns them into seeds"),
    )
    seeds = models.TextField(
        _("seed URLs"),
        blank=True,
        validators=[validate_seeds],
        help_text=_("one http or https URL per line"),
    )
    searches = models.TextField(
        _("search providers"),
        blank=True,
        validators=[validate_searches],
        help_text=_(
            "one per line: the name of a search provider, or a search URL with {searchTerms} in "
            "place of the words; each is sent the seed queries"
        ),
    )
    active = models.BooleanField(_("on"), default=True)

    schedule_kind = models.CharField(
        _("schedule"), max_length=8, choices=ScheduleKind.choices, default=ScheduleKind.HOURS
    )
    every_hours = models.PositiveIntegerField(
        _("hours between runs"),
        default=24,
        validators=[MinValueValidator(1), MaxValueValidator(24 * 31)],
    )
    at = models.TimeField(
        _("at"), null=True, blank=True, help_text=_("local time, for example 08:00")
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
    next_run = models.DateTimeField(_("next run"), null=True, blank=True, editable=False)

    fresh_days = models.PositiveIntegerField(
        _("days that a page counts as new"),
        default=30,
        validators=[MinValueValidator(1), MaxValueValidator(3650)],
    )
    half_life_days = models.PositiveIntegerField(
        _("half-life of new pages"),
        null=True,
        blank=True,
        validators=[MaxValueValidator(3650)],
        help_text=_(
            "days in which the score of a new page counts half in the list; 0 to leave age out; "
            "empty for a fifteenth of the days that a page counts as new"
        ),
    )
    alert_score = models.FloatField(
        _("alert threshold"),
        null=True,
        blank=True,
        validators=[validate_finite, MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text=_("new pages with at least this score raise an alert; empty for none"),
    )
    #: When that score was set: what was stored before is never an alert.
    alerts_from = models.DateTimeField(null=True, editable=False)
    #: When questions were last sought; never again once the owner has answered or dismissed them.
    questions_sought = models.DateTimeField(null=True, editable=False)
    questions_over = models.BooleanField(default=False, editable=False)
    sample = models.BooleanField(_("sample"), default=False, editable=False)
    crawl = models.OneToOneField(
        Crawl, on_delete=models.PROTECT, related_name="topic", null=True, editable=False
    )
    created = models.DateTimeField(auto_now_add=True)

    objects = TopicQuerySet.as_manager()

    class Meta:
        verbose_name = _("topic")
        verbose_name_plural = _("topics")
        ordering = ["name"]
        constraints = [
            # A person's own: who makes a topic must not learn which names others use.
            models.UniqueConstraint(fields=["owner", "slug"], name="one_topic_per_short_name")
        ]

    #: True for a topic as its readers see it, see `as_shared`.
    is_shared = False

    def __str__(self) -> str:
        return self.name

    def as_shared(self) -> Self:
        """The topic as other people read it: its addresses name the owner, it is never saved.

        A short name is unique for its owner only, and no user name and no short name holds "~".
        """
        self.slug = f"{self.owner.get_username()}~{self.slug}"
        self.is_shared = True
        return self

    @property
    def name_and_owner(self) -> str:
        """The name, with the owner's if the topic is shared with its reader."""
        if not self.is_shared:
            return self.name
        words = {"topic": self.name, "name": self.owner.get_username()}
        return _("%(topic)s, from %(name)s") % words

    def save(self, *args: Any, **options: Any) -> None:
        """Store the topic.

        Raises
        ------
        TopicError
            For a topic that is shared with its reader.
        """
        if self.is_shared:
            raise TopicError(f"{self.slug} is shared to be read only")
        super().save(*args, **options)

    def get_absolute_url(self) -> str:
        return reverse("topic_detail", args=[self.slug])

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        """Refuse what is not installed, or does not know its settings.

        Here, as a form without the field leaves it as it is: a plugin may be off for a while.
        """
        wrong = topic_rules.choice_errors(self.strategy, self.judge, self.ranker)
        wrong |= topic_rules.parameter_errors(
            self.strategy, self.judge, self.strategy_parameters, self.judge_parameters
        )
        wrong |= topic_rules.plugin_settings_errors(self.plugin_settings)
        errors: dict[str, list[ValidationError]] = {}
        try:
            super().clean_fields(exclude)
        except ValidationError as error:
            errors = error.update_error_dict(errors)
        for field, message in wrong.items():
            if field not in (exclude or ()):
                errors.setdefault(field, [ValidationError(message)])
        if errors:
            raise ValidationError(errors)

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """Refuse a short name that another topic of the same person has, at its field.

        Here, as a form for people who own what they make has no field for the owner.
        """
        others = Topic.objects.filter(owner=self.owner_id, slug=self.slug).exclude(pk=self.pk)
        if "slug" not in (exclude or ()) and others.exists():
            raise ValidationError(
                {
                    "slug": gettext(
                        "The owner already has a topic with this short name. Choose another one."
                    )
                }
            )
        super().validate_constraints(exclude)

    def clean(self) -> None:
        """Refuse what no single field can see, and spell the seeds as they are stored."""
        errors = (
            topic_rules.content_errors(self.name, self.seeds, self.queries)
            | topic_rules.weight_errors(self.link_weight, self.content_weight)
            | topic_rules.schedule_errors(self.schedule_kind, self.at, self.weekdays)
        )
        if errors:
            raise ValidationError(errors)
        self.seeds = canonical_seeds(self.seeds)

    @write_transaction()
    def add_seeds(self, urls: Sequence[str]) -> None:
        """Add seeds to those that are stored now, which may be more than were read.

        Raises
        ------
        ValidationError
            If they cannot be used, or are too many together.
        """
        self.refresh_from_db(fields=["seeds"])
        self.seeds = canonical_seeds("\n".join([self.seeds, *urls]))
        self.save(update_fields=["seeds"])

    def profile(self) -> TopicProfile:
        """Return what the topic is, as the crawler knows it."""
        return TopicProfile(
            name=self.name,
            languages=tuple(self.language_list()),
            terms=tuple(
                WeightedTerm(term.text, term.weight, term.required, term.excluded)
                for term in self.terms.all()
            ),
            queries=tuple(line.strip() for line in self.queries.splitlines() if line.strip()),
            seeds=tuple(line.strip() for line in self.seeds.splitlines() if line.strip()),
            searches=tuple(self.search_list()),
        )

    def language_list(self) -> list[str]:
        """Codes of the languages of the pages wanted; empty for any."""
        return [word.strip() for word in self.languages.split(",") if word.strip()]

    def search_list(self) -> list[str]:
        """Who is sent the seed queries: names of providers, and search URLs."""
        return [line.strip() for line in self.searches.splitlines() if line.strip()]

    def can_search(self) -> bool:
        """True if any service is sent the seed queries."""
        return bool(self.search_list() or settings.SEARXNG_URL)

    def crawl_settings(self) -> CrawlSettings:
        """How the topic is to be crawled."""
        return CrawlSettings(
            strategy=self.strategy,
            judge=self.judge,
            strategy_parameters=dict(self.strategy_parameters),
            judge_parameters=dict(self.judge_parameters),
            max_depth_hops=self.max_depth_hops,
            n_pages=self.n_pages,
            link_weight=self.link_weight,
            content_weight=self.content_weight,
            threshold=self.threshold,
            breadth=self.breadth,
            ranker=self.ranker,
            link_value=self.link_value,
            link_scale=self.link_scale,
            plugin_settings=dict(self.plugin_settings),
            site_rules=dict(self.sites.values_list("site__name", "rule")) if self.pk else {},
        )

    def plan_next_run(self, after: datetime) -> None:
        """Set when the next run is due, strictly after a moment. The caller saves."""
        self.next_run = schedule.next_run(self.schedule(), after)

    def schedule(self) -> schedule.Schedule:
        """When the topic's runs happen."""
        return schedule.Schedule(
            kind=self.schedule_kind,
            every=timedelta(hours=self.every_hours),
            at=self.at,
            weekdays=schedule.parse_weekdays(self.weekdays),
            zone=ZoneInfo(self.zone),
        )

    def open_run(self) -> Run | None:
        """Return the run that is under way, if any."""
        return self.crawl.runs.open().first() if self.crawl else None

    def last_run(self) -> Run | None:
        """Return the newest run, if any."""
        return self.crawl.runs.order_by("-started").first() if self.crawl else None

    def news(self, now: datetime) -> HarvestQuerySet:
        """Kept pages inside the topic's window that were not there when it began, best first."""
        return self._pages().news(self.window_start(now), now)

    def known_pages(self, now: datetime) -> HarvestQuerySet:
        """Kept pages that are not news: there from the beginning, or older; best first."""
        return self._pages().known(self.window_start(now), now)

    @property
    def news_halved_days(self) -> int:
        """In how many days news lose half their weight when they are put in order; 0 for never."""
        if self.half_life_days is None:
            return half_life_days(self.fresh_days)
        return self.half_life_days

    def freshness_weight(self, page: Harvest, now: datetime) -> float:
        """Return what a page's score counts by among the news, in (0, 1]."""
        # The topic's own date, as in lists: a run of another topic may have found another one.
        age = now - (page.published or page.first_seen)
        return freshness_weight(age, self.news_halved_days)

    def window_start(self, now: datetime) -> datetime:
        """Return the age floor: nothing older is news, wherever it is shown or sent."""
        return now - timedelta(days=self.fresh_days)

    def _pages(self) -> HarvestQuerySet:
        rows = Harvest.objects.filter(crawl__topic=self)
        return rows.select_related("url", "url__site", "url__page")
