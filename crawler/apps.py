"""The app of the crawler: finds, fetches, judges and ranks pages."""

from django.apps import AppConfig
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from focusweb import failpoints


class CrawlerConfig(AppConfig):
    name = "crawler"
    verbose_name = _("Crawler")

    def ready(self) -> None:
        """Arm the kill point, if a test set one."""
        failpoints.arm(failpoints.read_plan(settings.KILL_AT))
