"""How a topic is crawled, and how its pages are scored: what its owner can set."""

from typing import Final

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from crawler.api.profiles import CrawlSettings
from topics.rules.validators import validate_finite

#: What the crawler takes where nothing is set.
_USUAL: Final = CrawlSettings()


class CrawlFields(models.Model):
    """The fields of a topic that become its `CrawlSettings`."""

    class Breadth(models.TextChoices):
        WIDE = "wide", _("wide: few pages from each site")
        BALANCED = "balanced", _("balanced")
        DEEP = "deep", _("deep: follow each site to the end")

    class LinkValue(models.TextChoices):
        ALL = "all", _("all links")
        RECENT = "recent", _("links of the last 30 days")

    n_pages = models.PositiveIntegerField(
        _("pages per run"),
        default=200,
        validators=[MinValueValidator(1), MaxValueValidator(100_000)],
    )
    max_depth_hops = models.PositiveIntegerField(
        _("depth"),
        default=30,
        validators=[MaxValueValidator(50)],
        help_text=_("maximum number of clicks from a seed"),
    )
    link_weight = models.FloatField(
        _("weight of links"),
        default=_USUAL.link_weight,
        validators=[validate_finite, MinValueValidator(0.0), MaxValueValidator(1.0)],
    )
    content_weight = models.FloatField(
        _("weight of content"),
        default=_USUAL.content_weight,
        validators=[validate_finite, MinValueValidator(0.0), MaxValueValidator(1.0)],
    )
    threshold = models.FloatField(
        _("relevance threshold"),
        default=0.5,
        validators=[validate_finite, MinValueValidator(0.0), MaxValueValidator(1.0)],
    )
    strategy = models.CharField(_("crawl strategy"), max_length=40, default="focus")
    judge = models.CharField(_("relevance judge"), max_length=40, default="focus")
    #: Their own settings, by name; empty for the defaults.
    strategy_parameters = models.JSONField(_("strategy settings"), default=dict, blank=True)
    judge_parameters = models.JSONField(_("judge settings"), default=dict, blank=True)
    #: Of this topic alone, by the plugin's name and the setting's.
    plugin_settings = models.JSONField(default=dict, blank=True, editable=False)
    breadth = models.CharField(
        _("breadth"),
        max_length=8,
        choices=Breadth.choices,
        default=Breadth.BALANCED,
        help_text=_("how much of a run one site may use"),
    )
    ranker = models.CharField(
        _("ranking"),
        max_length=40,
        default=_USUAL.ranker,
        help_text=_("how the content part of the score is calculated"),
    )
    link_value = models.CharField(
        _("links that count"), max_length=8, choices=LinkValue.choices, default=LinkValue.ALL
    )
    link_scale = models.FloatField(
        _("scale of the link value"),
        default=_USUAL.link_scale,
        validators=[validate_finite, MinValueValidator(0.1), MaxValueValidator(1000.0)],
        help_text=_("so many linking sites give a link value of one half; the paper has 1"),
    )

    class Meta:
        abstract = True
