"""Pages that are watched for changes, and the changes that were found."""

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q

from crawler.api.tables import Url, unpack_text
from topics.models.reading import Reading
from topics.models.topic import Topic


class WatchedPage(models.Model):
    """A starred page or a seed of a topic, with its text as it was compared last."""

    topic = models.ForeignKey(
        "topics.Topic", on_delete=models.CASCADE, related_name="watched_pages"
    )
    url = models.ForeignKey(Url, on_delete=models.CASCADE, related_name="+")
    is_seed = models.BooleanField(default=False)
    packed_text = models.BinaryField(default=b"")
    content_hash = models.CharField(max_length=32)
    #: By which way of reading the text was found: another way is not a change of the page.
    reader_version = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "url"], name="one_watch_per_page")]

    def __str__(self) -> str:
        return f"{self.topic_id}: {self.url_id}"


class PageChangeQuerySet(models.QuerySet["PageChange"]):
    def visible_to(self, user: Any, topic: Topic) -> Self:
        """Keep changes of a topic's seeds, and of pages that the person had starred by then."""
        return self.filter(topic=topic).watched_by(user.pk)

    def watched_by(self, user: int | F) -> Self:
        """Keep changes of seeds, and of pages that a person had starred by then in the topic."""
        starred = Reading.objects.filter(
            topic=OuterRef("topic"), user=user, url=OuterRef("url"), starred__lte=OuterRef("found")
        )
        return self.filter(Q(is_seed=True) | Exists(starred))

    def unread_by(self, user: Any) -> Self:
        """Keep changes that the person has not read."""
        return self.exclude(read_by=user.pk)


class PageChange(models.Model):
    """A change of a watched page: the text before and after."""

    topic = models.ForeignKey("topics.Topic", on_delete=models.CASCADE, related_name="changes")
    url = models.ForeignKey(Url, on_delete=models.CASCADE, related_name="+")
    is_seed = models.BooleanField(default=False)
    found = models.DateTimeField()
    packed_before = models.BinaryField()
    packed_after = models.BinaryField()
    #: The changed words with a few around them: pairs of what became of them, and text.
    summary = models.JSONField(default=list)
    n_inserted = models.PositiveIntegerField()
    n_deleted = models.PositiveIntegerField()
    read_by = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")

    objects = PageChangeQuerySet.as_manager()

    class Meta:
        ordering = ["-found", "-pk"]
        indexes = [models.Index(fields=["topic", "-found"])]

    def __str__(self) -> str:
        return f"{self.topic_id}: {self.url_id} {self.found:%Y-%m-%d %H:%M}"

    @property
    def before(self) -> str:
        """The text before."""
        return unpack_text(self.packed_before)

    @property
    def after(self) -> str:
        """The text after."""
        return unpack_text(self.packed_after)
