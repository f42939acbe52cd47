"""Raises pages of sites that are new to FocusWeb."""

from dataclasses import dataclass

from django.utils import timezone

from crawler.models import Site
from crawler.ranking.scorers import Opinion
from focusweb.hookspecs import hookimpl
from focusweb.plugin_settings import setting


@dataclass(frozen=True)
class Settings:
    days: int = setting(90, "days that a site is new", lowest=1, highest=3650)
    share: float = setting(0.1, "share of what a score lacks to 1", highest=0.3)


class SiteAge:
    name = "site_age"

    def __init__(self, settings):
        self._settings, self._ages = settings, {}

    def opinion(self, page):
        age = self._age(page.site)
        if age is None or age >= self._settings.days:
            return None
        return Opinion(self._settings.share, f"its site is known for {age} days")

    def _age(self, site):
        """Whole days since the site was first seen; each site is looked up once."""
        if site not in self._ages:
            seen = Site.objects.filter(name=site).values_list("first_seen", flat=True).first()
            self._ages[site] = seen and (timezone.now() - seen).days
        return self._ages[site]


@hookimpl
def scorers(settings):
    return [SiteAge(settings)]
