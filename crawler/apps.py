"""The app of the crawler: finds, fetches, judges and ranks pages."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CrawlerConfig(AppConfig):
    name = "crawler"
    verbose_name = _("Crawler")
