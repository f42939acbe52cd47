"""Searches that a person keeps: tiles, feeds, sections of digests, scopes of alerts."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

#: Most saved searches of one person.
MAX_SAVED = 100


class SavedSearch(models.Model):
    """A query with all parameters of its URL, under a name."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_searches"
    )
    name = models.CharField(_("name"), max_length=120)
    query = models.CharField(max_length=256)
    #: None searches all topics of the owner.
    topic = models.ForeignKey(
        "topics.Topic", on_delete=models.CASCADE, null=True, related_name="saved_searches"
    )
    order = models.CharField(max_length=12, default="relevance")
    #: Other names of concepts that are switched off.
    without = models.JSONField(default=list)
    on_home = models.BooleanField(default=True)
    created = models.DateTimeField()
    #: How many pages it found, and when the timer counted them; None if it cannot be run.
    n_found = models.PositiveIntegerField(null=True)
    counted = models.DateTimeField(null=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="one_saved_search_per_name")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def conditions(self) -> tuple[str, int | None, list[str]]:
        """What decides which pages it finds."""
        return self.query, self.topic_id, sorted(self.without)

    def restart_rules(self, now: datetime) -> None:
        """Make the alert rules with this search check pages from now on only."""
        self.alert_rules.update(begins=now)
