"""A user's input to a topic: terms, concepts, example pages, ratings, sites."""

from typing import Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from crawler.api.tables import Concept, Site, Url
from topics.reasons import reason_sentence
from topics.rules.validators import validate_finite


class TopicTerm(models.Model):
    """A term of a topic, given by a person."""

    topic = models.ForeignKey("topics.Topic", on_delete=models.CASCADE, related_name="terms")
    text = models.CharField(_("term"), max_length=80)
    weight = models.FloatField(
        _("weight"),
        default=1.0,
        validators=[validate_finite, MinValueValidator(0.01), MaxValueValidator(10.0)],
    )
    required = models.BooleanField(_("required"), default=False)
    excluded = models.BooleanField(_("excluded"), default=False)

    class Meta:
        verbose_name = _("term")
        verbose_name_plural = _("terms")
        constraints = [models.UniqueConstraint(fields=["topic", "text"], name="one_row_per_term")]

    def __str__(self) -> str:
        return self.text

    def clean(self) -> None:
        """A term cannot be both: no page would ever fit."""
        if self.required and self.excluded:
            raise ValidationError(
                {"excluded": _("A term cannot be both required and excluded. Choose one.")}
            )


class AttachedConcept(models.Model):
    """A concept from which a topic's ontology terms are reached."""

    topic = models.ForeignKey("topics.Topic", on_delete=models.CASCADE, related_name="concepts")
    concept = models.ForeignKey(
        Concept, on_delete=models.CASCADE, related_name="attached_to", verbose_name=_("concept")
    )

    class Meta:
        verbose_name = _("attached concept")
        verbose_name_plural = _("attached concepts")
        constraints = [
            models.UniqueConstraint(fields=["topic", "concept"], name="one_row_per_concept")
        ]

    def __str__(self) -> str:
        return str(self.concept_id)


class OntologyNotice(models.Model):
    """A notice for a topic's owner about a change of an ontology by another user."""

    class What(models.TextChoices):
        CHANGED = "changed"
        DELETED = "deleted"
        HIDDEN = "hidden"

    topic = models.ForeignKey(
        "topics.Topic", on_delete=models.CASCADE, related_name="ontology_notices"
    )
    #: A copy of the ontology's name, as it may be gone.
    title = models.CharField(max_length=200)
    what = models.CharField(max_length=8, choices=What.choices)
    #: Names of the concepts that were attached to the topic and are gone.
    lost = models.JSONField(default=list)
    changed = models.DateTimeField()

    class Meta:
        ordering = ["-changed", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["topic", "title", "what"], name="one_notice_per_ontology"
            )
        ]

    def __str__(self) -> str:
        return f"{self.topic_id}: {self.title} {self.what}"


class SwitchedOffTerm(models.Model):
    """An ontology term that a person does not want; its text as `label_key` folds it."""

    topic = models.ForeignKey("topics.Topic", on_delete=models.CASCADE, related_name="switched_off")
    text = models.CharField(max_length=500)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["topic", "text"], name="one_row_per_switched_off")
        ]

    def __str__(self) -> str:
        return self.text


class ExamplePageQuerySet(models.QuerySet["ExamplePage"]):
    def outdated(self) -> Self:
        """Keep pages that were read whole, menus and all, before articles were found."""
        return self.filter(state=ExamplePage.State.READ, reader_version=None).exclude(url="")

    def to_fetch(self) -> Self:
        """Keep pages that wait to be read, for the first time or again."""
        return self.filter(state=ExamplePage.State.WAITING) | self.outdated()


class ExamplePage(models.Model):
    """A page that shows what the topic is, or what it is not: by address or by its text."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting to be fetched")
        READ = "read", _("read")
        FAILED = "failed", _("could not be fetched")

    topic = models.ForeignKey("topics.Topic", on_delete=models.CASCADE, related_name="examples")
    good = models.BooleanField(_("relevant"), default=True)
    url = models.TextField(_("URL"), blank=True)
    text = models.TextField(_("text"), blank=True)
    title = models.CharField(_("title"), max_length=300, blank=True)
    packed_terms = models.BinaryField(default=b"")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    reason = models.CharField(max_length=24, blank=True)
    #: How the article was found, as `Page.reader_version`.
    reader_version = models.PositiveSmallIntegerField(null=True)
    created = models.DateTimeField()

    objects = ExamplePageQuerySet.as_manager()

    class Meta:
        verbose_name = _("example page")
        verbose_name_plural = _("example pages")
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.title or self.url or self.text[:60]

    @property
    def why(self) -> str:
        """Why it could not be read yet."""
        return str(reason_sentence(self.reason).what) if self.reason else ""


class Thumb(models.Model):
    """A person's word on a found page: it belongs to the topic, or it does not."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="thumbs"
    )
    topic = models.ForeignKey("topics.Topic", on_delete=models.CASCADE, related_name="thumbs")
    url = models.ForeignKey(Url, on_delete=models.CASCADE, related_name="thumbs")
    value = models.SmallIntegerField(choices=[(1, _("relevant")), (-1, _("not relevant"))])
    created = models.DateTimeField()
    #: It answers a question: the topic chose the page, not the person.
    answers = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")
        constraints = [
            models.UniqueConstraint(fields=["user", "topic", "url"], name="one_thumb_per_page")
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.value:+d} {self.url_id}"


class Question(models.Model):
    """A question to a topic's owner about a page; each page once."""

    class State(models.TextChoices):
        OPEN = "open"
        ANSWERED = "answered"
        SKIPPED = "skipped"

    topic = models.ForeignKey("topics.Topic", on_delete=models.CASCADE, related_name="questions")
    url = models.ForeignKey(Url, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    created = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["topic", "url"], name="one_question_per_page")
        ]

    def __str__(self) -> str:
        return f"{self.topic_id}: {self.url_id} {self.state}"


class SiteControl(models.Model):
    """A person's word on a site, for one topic."""

    class Rule(models.TextChoices):
        RAISE = "raise", _("raise")
        LOWER = "lower", _("lower")
        PIN = "pin", _("pin: check first in every run")
        BLOCK = "block", _("block")

    #: With these, no page of the site counts as stuffed.
    TRUSTING = (Rule.RAISE, Rule.PIN)

    topic = models.ForeignKey("topics.Topic", on_delete=models.CASCADE, related_name="sites")
    site = models.ForeignKey(
        Site, on_delete=models.CASCADE, related_name="controls", verbose_name=_("site")
    )
    rule = models.CharField(_("rule"), max_length=8, choices=Rule.choices)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("site rule")
        verbose_name_plural = _("site rules")
        constraints = [models.UniqueConstraint(fields=["topic", "site"], name="one_rule_per_site")]

    def __str__(self) -> str:
        return f"{self.rule} {self.site_id}"
