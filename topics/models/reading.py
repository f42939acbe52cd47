"""What a person did with the pages of a topic, and when they last looked."""

from datetime import datetime, timedelta
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from crawler.api.tables import Url

#: Pause after which a reader begins a new visit.
VISIT_PAUSE = timedelta(minutes=30)


class ReadingQuerySet(models.QuerySet["Reading"]):
    def of(self, user: Any, topic: models.Model) -> Self:
        """Keep what one person did with the pages of one topic."""
        return self.filter(user_id=user.pk, topic=topic)


class Reading(models.Model):
    """What a person did with a page: read, starred, hid, tagged or annotated it.

    It changes no score; `Thumb` does.
    """

    class Hidden(models.TextChoices):
        DULL = "dull", _("not interesting")
        SEEN = "seen", _("known from elsewhere")
        OLD = "old", _("out of date")
        POOR = "poor", _("poor quality")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="readings"
    )
    topic = models.ForeignKey("topics.Topic", on_delete=models.CASCADE, related_name="readings")
    url = models.ForeignKey(Url, on_delete=models.CASCADE, related_name="readings")
    read = models.DateTimeField(null=True, blank=True)
    starred = models.DateTimeField(null=True, blank=True)
    hidden = models.CharField(max_length=8, choices=Hidden.choices, blank=True)
    note = models.TextField(blank=True)
    changed = models.DateTimeField()

    objects = ReadingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "topic", "url"], name="one_reading_per_page")
        ]
        indexes = [models.Index(fields=["topic", "user", "changed"])]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.url_id}"


class ReadingTag(models.Model):
    """A word that a person put on a page."""

    reading = models.ForeignKey(Reading, on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(max_length=40)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["reading", "name"], name="one_row_per_tag")]

    def __str__(self) -> str:
        return self.name


class Visit(models.Model):
    """When a user last opened a topic, and when the visit before that one ended."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="visits"
    )
    topic = models.ForeignKey("topics.Topic", on_delete=models.CASCADE, related_name="visits")
    latest = models.DateTimeField()
    before = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "topic"], name="one_visit_per_topic")
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.topic_id}"

    def look(self, now: datetime) -> bool:
        """Note that the person looks now; True if that is to be saved. The caller saves.

        A visit goes on as long as no two looks are `VISIT_PAUSE` apart. Looks of one minute
        count as one, so that a page that updates itself does not write each time.
        """
        pause = now - self.latest
        if pause >= VISIT_PAUSE:
            self.before, self.latest = self.latest, now
        elif pause >= timedelta(minutes=1):
            self.latest = now
        else:
            return False
        return True
