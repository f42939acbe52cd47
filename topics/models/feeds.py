"""Feeds that read without signing in, and the public page of a topic."""

from django.conf import settings
from django.core.validators import MinLengthValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from crawler.api.tables import Harvest, Story
from topics.models.alert_rules import AlertRule
from topics.models.searches import SavedSearch
from topics.models.topic import Topic


class Newspaper(models.Model):
    """The public page of a topic; it exists while the owner publishes it."""

    topic = models.OneToOneField(Topic, on_delete=models.CASCADE, related_name="newspaper")
    name = models.SlugField(
        _("address"),
        max_length=60,
        unique=True,
        validators=[MinLengthValidator(3)],
        error_messages={"unique": _("This address is taken. Choose another one.")},
    )
    indexed = models.BooleanField(_("search engines may list it"), default=False)
    created = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Feed(models.Model):
    """What feed readers were shown of one topic, saved search, alert rule or public page.

    Its secret address is made of the signing key and `nonce`, and only its digest is stored:
    a reader of the table alone learns no address. An address stays valid when the key changes.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="feeds"
    )
    topic = models.OneToOneField(Topic, on_delete=models.CASCADE, null=True, related_name="feed")
    search = models.OneToOneField(
        SavedSearch, on_delete=models.CASCADE, null=True, related_name="feed"
    )
    rule = models.OneToOneField(AlertRule, on_delete=models.CASCADE, null=True, related_name="feed")
    newspaper = models.OneToOneField(
        Newspaper, on_delete=models.CASCADE, null=True, related_name="feed"
    )
    #: SHA-256 of the secret in the address; empty without an address.
    digest = models.CharField(max_length=64, default="", blank=True)
    nonce = models.CharField(max_length=64, default="", blank=True)
    #: In which its sentences are written, for every reader.
    language = models.CharField(max_length=8, default="en")
    created = models.DateTimeField()
    used = models.DateTimeField(null=True)
    #: When new pages were last sought.
    looked = models.DateTimeField(null=True)
    #: What was last sent, and since when it has been so.
    content_digest = models.CharField(max_length=64, default="", blank=True)
    changed = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["digest"], condition=~models.Q(digest=""), name="one_feed_per_address"
            ),
            models.CheckConstraint(
                condition=models.Q(topic__isnull=False, search=None, rule=None, newspaper=None)
                | models.Q(topic=None, search__isnull=False, rule=None, newspaper=None)
                | models.Q(topic=None, search=None, rule__isnull=False, newspaper=None)
                | models.Q(topic=None, search=None, rule=None, newspaper__isnull=False),
                name="feed_of_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return f"feed {self.pk} of {self.owner_id}"


class FeedItem(models.Model):
    """A page that a feed has shown: neither it nor its story is new to the feed again."""

    feed = models.ForeignKey(Feed, on_delete=models.CASCADE, related_name="items")
    harvest = models.ForeignKey(Harvest, on_delete=models.CASCADE, related_name="+")
    story = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="+")
    added = models.DateTimeField()
    #: It was taken out once, such as by a site rule, and does not come back.
    dropped = models.BooleanField(default=False)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["feed", "harvest"], name="one_feed_item_per_page"),
            models.UniqueConstraint(fields=["feed", "story"], name="one_feed_item_per_story"),
        ]

    def __str__(self) -> str:
        return f"{self.feed_id}: {self.harvest_id}"
